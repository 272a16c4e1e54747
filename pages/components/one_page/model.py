"""A model as the data of a page that computes with it in the browser; page_model.js reads it."""

from typing import Any

from core.interpretability.attention_view import KIND_NAMES
from core.interpretability.heads import clearest_head
from core.language import _, number
from core.records.attention import ATTENTION_KINDS, AttentionRecord
from core.server.trained_model import TrainedModel
from core.tokens.base import Tokenizer
from core.weights import parameter_count

# What forward.js computes: the values of a config's fields. A test compares each with Python.
COMPUTED: dict[str, tuple[str, ...]] = {
    "positional_encoding": ("sinusoidal", "learned", "rotary", "none"),
    "activation": ("relu", "gelu", "swiglu"),
    "norm": ("post", "pre"),
    "norm_kind": ("layer", "rms"),
}
_TOKENS = ("word", "character")  # the kinds of tokens that tokens.js reads
_MAX_PARAMETERS = 2_000_000  # 5 MB of a page
_MAX_EXAMPLES = 6  # that say which head is shown first
_NUMBERS = ("num_layers", "num_heads", "d_model", "max_source_length", "max_target_length", "tie_embeddings")


def why_no_page(model: TrainedModel) -> str:
    """Return why a model cannot be in a page; empty where it can."""
    checkpoint = model.checkpoint
    tokenizers = checkpoint.source_tokenizer, checkpoint.target_tokenizer
    parameters = parameter_count(checkpoint.config)
    if model.shipped:
        return _(
            "This model comes with the app. It would make a page of 20 MB, and the licence of the texts that it has "
            "learned from does not let it be changed. A model that you train goes into a page."
        )
    if any(each.kind not in _TOKENS for each in tokenizers):
        return _(
            "A page reads words or characters, and this model’s tokens are subwords. Choose words under Settings on "
            "Train, and train again."
        )
    if parameters > _MAX_PARAMETERS:
        return _("A page holds up to {most} parameters, and this model has {count}.").format(
            most=number(_MAX_PARAMETERS, ","), count=number(parameters, ",")
        )
    for field, values in COMPUTED.items():
        if (value := getattr(checkpoint.config, field)) not in values:
            return _("A page cannot compute this model’s setting {setting}.").format(
                setting=f"{field}={value}"
            )
    return ""


def tokenizer_data(tokenizer: Tokenizer) -> dict[str, Any]:
    """Return a tokenizer for tokens.js."""
    return {"kind": tokenizer.kind, "tokens": list(tokenizer.vocabulary.tokens)}


def model_data(model: TrainedModel) -> dict[str, Any]:
    """Return all of a model but its weights for page_model.js, with the head to show first of each kind of attention."""
    checkpoint = model.checkpoint
    config = checkpoint.config
    return {
        "config": {name: getattr(config, name) for name in (*_NUMBERS, *COMPUTED)},
        "source": tokenizer_data(checkpoint.source_tokenizer),
        "target": tokenizer_data(checkpoint.target_tokenizer),
        "weights": [[name, array.size] for name, array in checkpoint.weights.items()],
        "kinds": {kind: list(map(_, KIND_NAMES[kind])) for kind in ATTENTION_KINDS},
        "first": _first_heads(model),
    }


def weights_bytes(model: TrainedModel) -> bytes:
    """Return the weights one after the other, as little-endian float16."""
    return b"".join(array.astype("<f2").tobytes() for array in model.checkpoint.weights.values())


def _first_heads(model: TrainedModel) -> dict[str, str]:
    """Return the head of each kind of attention that does most clearly what it does, over the model's examples."""
    sources = [pair.source for pair in model.checkpoint.examples[:_MAX_EXAMPLES]]
    if not sources:
        return dict.fromkeys(ATTENTION_KINDS, "1.1")
    records: list[AttentionRecord] = [model.translator.explain(each).attention for each in sources]
    found = {kind: clearest_head([each.of_kind(kind) for each in records], kind) for kind in ATTENTION_KINDS}
    return {kind: f"{layer + 1}.{head + 1}" for kind, (layer, head) in found.items()}
