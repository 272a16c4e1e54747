"""What a layer of the encoder or decoder is made of, with the norms around it."""

from __future__ import annotations

from collections.abc import Iterator

from core.config import ModelConfig
from core.theory.parts import PAPER, PRE_NORM_PAPER, Part, Side, Tensor, length_axis, vectors


def self_attention(side: Side) -> Part:
    """Attention of a side to itself."""
    length = length_axis(side)
    # The encoder's is the same for every word that looks; the decoder's leaves out what is ahead of each.
    mask = Tensor("mask", ("B", "1", length if side == "decoder" else "1", length))
    return Part(
        f"{side}_self_attention",
        side,
        "self-attention",
        "Masked self-attention" if side == "decoder" else "Self-attention",
        f"{PAPER}, sections 3.2.2 and 3.2.3",
        (vectors(side), mask),
        (
            Tensor("queries, keys, values", ("B", "H", length, "K")),
            Tensor("scores, weights", ("B", "H", length, length)),
            Tensor("mixed values", ("B", "H", length, "K")),
        ),
        vectors(side),
        in_layer=True,
    )


def cross_attention() -> Part:
    """The decoder's attention to the encoder's output."""
    return Part(
        "decoder_cross_attention",
        "decoder",
        "cross-attention",
        "Cross-attention",
        f"{PAPER}, sections 3.2.2 and 3.2.3",
        (vectors("decoder"), vectors("encoder", "encoder's output"), Tensor("mask", ("B", "1", "1", "S"))),
        (
            Tensor("queries", ("B", "H", "T", "K")),
            Tensor("keys, values", ("B", "H", "S", "K")),
            Tensor("scores, weights", ("B", "H", "T", "S")),
            Tensor("mixed values", ("B", "H", "T", "K")),
        ),
        vectors("decoder"),
        in_layer=True,
    )


def feed_forward(side: Side) -> Part:
    """The two dense layers at each position."""
    return Part(
        f"{side}_feed_forward",
        side,
        "feed-forward",
        "Feed-forward",
        f"{PAPER}, section 3.3",
        (vectors(side),),
        (Tensor("inner", ("B", length_axis(side), "F")),),
        vectors(side),
        in_layer=True,
    )


def with_norm(config: ModelConfig, side: Side, sublayer: Part) -> tuple[Part, Part]:
    """A sublayer and its norm, in their order."""
    if config.norm == "pre":
        norm = Part(
            f"{sublayer.key}_norm",
            side,
            "norm",
            f"Norm before {sublayer.title.lower()}",
            f"{PRE_NORM_PAPER}; the paper has it after the sum",
            (vectors(side),),
            (),
            vectors(side, "normed vectors"),
            in_layer=True,
        )
        return norm, sublayer
    norm = Part(
        f"{sublayer.key}_norm",
        side,
        "norm",
        f"Add & norm after {sublayer.title.lower()}",
        f"{PAPER}, section 3.1",
        (vectors(side, "sublayer's input"), vectors(side, "sublayer's output")),
        (vectors(side, "sum"),),
        vectors(side),
        in_layer=True,
    )
    return sublayer, norm


def final_norm(config: ModelConfig, side: Side) -> Iterator[Part]:
    """The norm that ends a pre-norm stack; a post-norm one has none."""
    if config.norm == "pre":
        yield Part(
            f"{side}_final_norm",
            side,
            "norm",
            f"Final norm of the {side}",
            PRE_NORM_PAPER,
            (vectors(side),),
            (),
            vectors(side),
        )
