"""A part of the encoder-decoder: its inputs and output, its weights and its matrix products.

Axes: B batch, S source length, T target length, L layers, D model width, H heads, K head dimension, F feed-forward
width, V vocabulary (the target's).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from core.config import ModelConfig

Side = Literal["encoder", "decoder"]
Kind = Literal["words", "embedding", "self-attention", "cross-attention", "feed-forward", "norm", "output"]
KINDS_WITH_WEIGHTS: tuple[Kind, ...] = tuple(kind for kind in get_args(Kind) if kind != "words")
Sizes = Mapping[str, int]  # the length of each axis

SOURCE_VOCABULARY = "source vocabulary"  # axes of embeddings that have no letter
MAX_LENGTH_AXES: dict[Side, str] = {"encoder": "max source length", "decoder": "max target length"}


@dataclass(frozen=True)
class Tensor:
    """An array with named axes."""

    name: str
    axes: tuple[str, ...]  # letters, numbers of a fixed length, or both: "3D" is three times the model width

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        """Its shape, with a number for each letter."""
        return tuple(_length(axis, sizes) for axis in self.axes)

    def size(self, sizes: Sizes) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape(sizes))


@dataclass(frozen=True)
class MatrixProduct:
    """(rows, inner) times (inner, columns)."""

    name: str
    rows: str  # an axis, as the other two
    inner: str
    columns: str
    layer: str = ""  # name of its dense layer; attention's own products have no weights

    @property
    def weights(self) -> tuple[Tensor, ...]:
        """Kernel and bias of the dense layer."""
        if not self.layer:
            return ()
        return (
            Tensor(f"{self.layer}/kernel", (self.inner, self.columns)),
            Tensor(f"{self.layer}/bias", (self.columns,)),
        )

    def operations(self, sizes: Sizes) -> int:
        """Multiplications and additions."""
        return 2 * Tensor(self.name, (self.rows, self.inner, self.columns)).size(sizes)


@dataclass(frozen=True)
class Part:
    """One part of the model; one inside a layer is there once per layer."""

    key: str
    side: Side
    kind: Kind
    title: str
    reads: tuple[Tensor, ...]
    gives: Tensor
    inside: tuple[Tensor, ...] = ()
    products: tuple[MatrixProduct, ...] = ()
    other_weights: tuple[Tensor, ...] = ()  # in no matrix product: those of embeddings and norms
    path: str = ""  # in a layer: where a checkpoint has its weights, as "self_attention_residual"

    @property
    def in_layer(self) -> bool:
        return bool(self.path)

    @cached_property
    def weights(self) -> tuple[Tensor, ...]:
        """All its weights in a checkpoint's order; of a part in a layer, those of one layer."""
        return (*self.other_weights, *(weight for product in self.products for weight in product.weights))

    def copies(self, config: ModelConfig) -> int:
        """How many times the model has it."""
        return config.num_layers if self.in_layer else 1


def model_sizes(config: ModelConfig) -> dict[str, int]:
    """The lengths of the axes that are the same for every batch."""
    return {
        "L": config.num_layers,
        "D": config.d_model,
        "H": config.num_heads,
        "K": config.head_dim,
        "F": config.d_ff,
        "V": config.target_vocab_size,
        SOURCE_VOCABULARY: config.source_vocab_size,
        MAX_LENGTH_AXES["encoder"]: config.max_source_length,
        MAX_LENGTH_AXES["decoder"]: config.max_target_length,
    }


def axis_sizes(config: ModelConfig, pairs: int, source_length: int, target_length: int) -> dict[str, int]:
    """Return the lengths of all axes, for a batch of pairs with so many tokens in the longest source and target."""
    return {**model_sizes(config), "B": pairs, "S": source_length, "T": target_length}


def length_axis(side: Side) -> str:
    """S or T."""
    return "S" if side == "encoder" else "T"


def vectors(side: Side, name: str = "vectors") -> Tensor:
    """What passes from part to part of a side: a vector for each position."""
    return Tensor(name, ("B", length_axis(side), "D"))


def _length(axis: str, sizes: Sizes) -> int:
    if axis.isdigit():
        return int(axis)
    if axis in sizes:
        return sizes[axis]
    return int(axis[:-1]) * sizes[axis[-1]]  # as "3D"
