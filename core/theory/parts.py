"""The parts of the encoder-decoder: what each reads, makes and gives on (Vaswani et al. 2017, figure 1).

Axes: B batch, S source length, T target length, L layers, D model width, H heads, K head width, F feed-forward
width, V vocabulary (the target's).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core.config import ModelConfig

Side = Literal["encoder", "decoder"]
Kind = Literal["words", "embedding", "self-attention", "cross-attention", "feed-forward", "norm", "output"]
Axes = tuple[str, ...]

PAPER = "Vaswani et al. 2017"
PRE_NORM_PAPER = "Xiong et al. 2020"


@dataclass(frozen=True)
class Tensor:
    """An array with named axes."""

    name: str
    axes: Axes  # letters, or digits where a length is always the same

    def shape(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Its lengths, with a number for each letter."""
        return tuple(int(axis) if axis.isdigit() else sizes[axis] for axis in self.axes)


@dataclass(frozen=True)
class Part:
    """One part of the model; one inside a layer is there once a layer."""

    key: str
    side: Side
    kind: Kind
    title: str
    source: str  # where it is described
    reads: tuple[Tensor, ...]
    inside: tuple[Tensor, ...]
    gives: Tensor
    in_layer: bool = False


@dataclass(frozen=True)
class Batch:
    """How much text the model reads at once."""

    pairs: int  # B
    source_length: int  # S, tokens of the longest source sentence
    target_length: int  # T, tokens of the longest decoder input


def axis_sizes(config: ModelConfig, batch: Batch) -> dict[str, int]:
    """What each letter stands for."""
    return {
        "L": config.num_layers,
        "B": batch.pairs,
        "S": batch.source_length,
        "T": batch.target_length,
        "D": config.d_model,
        "H": config.num_heads,
        "K": config.head_width,
        "F": config.d_ff,
        "V": config.target_vocab_size,
    }


def part_of(weight: str) -> str:
    """The key of the part that a weight belongs to.

    Args:
        weight: its name in `core.model.weight_shapes`, as "encoder/layer_0/self_attention/output/kernel".
    """
    room, _, rest = weight.partition("/")
    if room in ("encoder", "decoder"):
        steps = rest.split("/")
        sublayer = steps[1] if steps[0].startswith("layer_") else steps[0]
        return f"{room}_{sublayer.replace('_residual', '_norm')}"
    # One matrix for both languages is counted where it is met first.
    return "source_embedding" if room == "shared_embedding" else room


def length_axis(side: Side) -> str:
    """S or T."""
    return "S" if side == "encoder" else "T"


def vectors(side: Side, name: str = "vectors") -> Tensor:
    """What is passed on along a side: a vector for each position."""
    return Tensor(name, ("B", length_axis(side), "D"))
