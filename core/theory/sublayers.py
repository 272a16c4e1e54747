"""The sublayers of an encoder or decoder layer, and their norms."""

from __future__ import annotations

from dataclasses import replace

from core.config import ModelConfig
from core.theory.parts import (
    PAPER,
    PRE_NORM_PAPER,
    MatrixProduct,
    Part,
    Side,
    Tensor,
    length_axis,
    vectors,
)

CROSS_ATTENTION = "decoder_cross_attention"  # key of the part that the encoder's output leads to
_ACTIVATIONS = {"relu": "ReLU", "gelu": "GELU"}
_ATTENTION = f"{PAPER}, sections 3.2.2 and 3.2.3"


def self_attention(side: Side) -> Part:
    """Attention of a side to itself."""
    length, masked = length_axis(side), side == "decoder"
    # The encoder's mask is the same for every query; the decoder's also hides what is ahead of each.
    mask = Tensor("mask", ("B", "1", length if masked else "1", length))
    return Part(
        key=f"{side}_self_attention",
        side=side,
        kind="self-attention",
        title="Masked self-attention" if masked else "Self-attention",
        description=(
            "Every word attends to itself and the words before it: future positions and padding are masked."
            if masked
            else "Every word attends to every word of its sentence, in several heads at once; padding is masked."
        ),
        reference=_ATTENTION,
        reads=(vectors(side), mask),
        gives=vectors(side),
        inside=(
            Tensor("queries, keys, values", ("B", "H", length, "K")),
            Tensor("scores, weights", ("B", "H", length, length)),
            Tensor("mixed values", ("B", "H", length, "K")),
        ),
        products=(
            MatrixProduct("queries, keys, values", length, "D", "3D", "query_key_value"),
            *_attending(length, length),
        ),
        path="self_attention",
    )


def cross_attention() -> Part:
    """The decoder's attention to the encoder's output."""
    return Part(
        key=CROSS_ATTENTION,
        side="decoder",
        kind="cross-attention",
        title="Cross-attention",
        description="Every target word attends to the source words: queries from the decoder, keys and values from the "
        "encoder's output.",
        reference=_ATTENTION,
        reads=(
            vectors("decoder"),
            vectors("encoder", "encoder's output"),
            Tensor("mask", ("B", "1", "1", "S")),
        ),
        gives=vectors("decoder"),
        inside=(
            Tensor("queries", ("B", "H", "T", "K")),
            Tensor("keys, values", ("B", "H", "S", "K")),
            Tensor("scores, weights", ("B", "H", "T", "S")),
            Tensor("mixed values", ("B", "H", "T", "K")),
        ),
        products=(
            MatrixProduct("queries", "T", "D", "D", "query"),
            MatrixProduct("keys, values", "S", "D", "2D", "key_value"),
            *_attending("T", "S"),
        ),
        path="cross_attention",
    )


def _attending(queries: str, keys: str) -> tuple[MatrixProduct, ...]:
    """The matrix products of both kinds of attention.

    All heads together cost what one of width D would: they are H heads of D / H. Scores of future words are
    computed too, then masked.
    """
    return (
        MatrixProduct("scores", queries, "D", keys),
        MatrixProduct("mixed values", queries, keys, "D"),
        MatrixProduct("output", queries, "D", "D", "output"),
    )


def feed_forward(config: ModelConfig, side: Side) -> Part:
    """The two dense layers at each position."""
    length = length_axis(side)
    return Part(
        key=f"{side}_feed_forward",
        side=side,
        kind="feed-forward",
        title="Feed-forward",
        description=f"Each position by itself: up to a larger width, {_ACTIVATIONS[config.activation]}, and back down. "
        "No word sees another here.",
        reference=f"{PAPER}, section 3.3",
        reads=(vectors(side),),
        gives=vectors(side),
        inside=(Tensor("inner", ("B", length, "F")),),
        products=(
            MatrixProduct("inner", length, "D", "F", "inner"),
            MatrixProduct("outer", length, "F", "D", "outer"),
        ),
        path="feed_forward",
    )


def norm_of(config: ModelConfig, sublayer: Part) -> Part:
    """The norm before or after a sublayer."""
    side = sublayer.side
    post = Part(
        key=f"{sublayer.key}_norm",
        side=side,
        kind="norm",
        title=f"Add & norm after {sublayer.title.lower()}",
        description="Adds what went into the sublayer to what came out, then gives each vector mean 0 and variance 1, "
        "and a learned scale and shift.",
        reference=f"{PAPER}, section 3.1",
        reads=(vectors(side, "sublayer's input"), vectors(side, "sublayer's output")),
        gives=vectors(side),
        inside=(vectors(side, "sum"),),
        other_weights=scale_and_shift("norm"),
        path=f"{sublayer.path}_residual",
    )
    if config.norm == "post":
        return post
    return replace(
        post,
        title=f"Norm before {sublayer.title.lower()}",
        description="Gives each vector mean 0 and variance 1, then a learned scale and shift. Only the sublayer reads "
        "it: the sublayer's output is added to the vectors as they were.",
        reference=f"{PRE_NORM_PAPER}; the paper has it after the sum",
        reads=(vectors(side),),
        gives=vectors(side, "normed vectors"),
        inside=(),
    )


def scale_and_shift(norm: str) -> tuple[Tensor, Tensor]:
    """What a norm learns."""
    return Tensor(f"{norm}/gamma", ("D",)), Tensor(f"{norm}/beta", ("D",))
