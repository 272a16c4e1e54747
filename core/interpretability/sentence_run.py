"""A sentence pair on its way through the model, level by level. Axis letters: see `core.config`."""

from itertools import chain

from core.config import ModelConfig
from core.inference.model import attention_weight_names, stacked
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.language import _
from core.model.forward import EMBEDDINGS
from core.records.analysis import SentenceRun
from core.theory.model_parts import SIDES
from core.theory.parts import Side

MAX_TOKENS = 48  # on each side: more would be too thin to tell apart in the living picture
_CANDIDATES = 6


def follow(tracer: Tracer, pair: ForcedPair) -> SentenceRun:
    """Return what one pass over a pair computes at each level.

    Raises:
        ValueError: it has more tokens than the living picture shows.
    """
    if (most := max(len(pair.source), len(pair.decoder_input))) > MAX_TOKENS:
        raise ValueError(
            _("The living picture shows up to {most} tokens on a side. Received: {received}").format(
                most=MAX_TOKENS, received=most
            )
        )
    levels = {side: _levels(tracer.config, side) for side in SIDES}
    names = [*attention_weight_names(tracer.config), *chain(*levels.values()), "output"]
    found = tracer.results(pair, names)
    for embedding in EMBEDDINGS.values():
        found[f"{embedding}/positions"] = found[f"{embedding}/positions"][None]
    return SentenceRun(
        attention=pair.attention(found, tracer.config),
        levels={side: stacked(found, names) for side, names in levels.items()},
        candidates=tracer.translator.candidates(found["output"][0], _CANDIDATES),
    )


def _levels(config: ModelConfig, side: Side) -> list[str]:
    """Return the names of the levels of a `SentenceRun`."""
    embedding = EMBEDDINGS[side]
    sublayers = ["self_attention", *["cross_attention"] * (side == "decoder"), "feed_forward"]
    return [
        f"{embedding}/tokens",
        f"{embedding}/positions",
        embedding,
        *(f"{side}/layer_{i}/{each}_residual" for i in range(config.num_layers) for each in sublayers),
        side,
    ]
