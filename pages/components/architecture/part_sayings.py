"""What each part of a model does, in a sentence or two."""

from __future__ import annotations

from core.config import ModelConfig
from core.theory.parts import Part

_ACTIVATIONS = {"relu": "ReLU", "gelu": "GELU"}
_FINAL_NORM = "The sums have grown from layer to layer; one last norm gives every vector the same size again."

_SAYINGS = {
    "source_words": "The source sentences as ids, padded to one length.",
    "target_words": "A start sign and the words so far, as ids: in training the right ones, in translating the model's "
    "own.",
    "encoder_self_attention": "Every word looks at every word of its sentence, in several heads at once, but not at "
    "padding.",
    "decoder_self_attention": "Every word looks at itself and the words before it: the future and the padding are "
    "masked.",
    "decoder_cross_attention": "Every target word asks, and the words of the source answer: queries from the decoder, "
    "keys and values from the encoder's output.",
    "encoder_final_norm": _FINAL_NORM,
    "decoder_final_norm": _FINAL_NORM,
}


def saying_of(part: Part, config: ModelConfig) -> str:
    """What is said of a part when it is opened.

    Args:
        part: of the model.
        config: of the model.
    """
    if part.kind == "embedding":
        return _embedding(part, config)
    if part.kind == "feed-forward":
        return (
            f"Each position by itself: out to a larger width, {_ACTIVATIONS[config.activation]}, and back. No word "
            "sees another here."
        )
    if part.kind == "norm" and part.in_layer:
        return _norm(config)
    if part.kind == "output":
        return _output(config)
    return _SAYINGS[part.key]


def _embedding(part: Part, config: ModelConfig) -> str:
    learned = config.positional_encoding == "learned"
    how = "a learned vector for its place" if learned else "the waves of its place"
    saying = f"Looks up a vector for every id, multiplies it by √D, and adds {how}."
    shared = config.share_embeddings and part.side == "decoder"
    return f"{saying} The matrix is the source's, and counted there." if shared else saying


def _norm(config: ModelConfig) -> str:
    if config.norm == "pre":
        return (
            "Gives each vector mean 0 and variance 1, then a learned scale and shift. Only the sublayer sees it: its "
            "result is added to the vectors as they were."
        )
    return (
        "Adds what went into the sublayer to what came out, then gives each vector mean 0 and variance 1, and a "
        "learned scale and shift."
    )


def _output(config: ModelConfig) -> str:
    saying = "One number for every entry of the vocabulary; the softmax turns them into probabilities."
    whose = "one" if config.share_embeddings else "target"
    return (
        f"{saying} The matrix is the {whose} embedding's, and counted there."
        if config.tie_embeddings
        else saying
    )
