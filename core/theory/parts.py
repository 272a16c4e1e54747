"""A part of the model: inputs, output, weights, matrix products. Axis letters: see `core.config`; V is the target's."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from core.config import ModelConfig
from core.language import N_, _

Side = Literal["encoder", "decoder"]
Kind = Literal["words", "embedding", "self-attention", "cross-attention", "feed-forward", "norm", "output"]
KINDS_WITH_WEIGHTS: tuple[Kind, ...] = tuple(kind for kind in get_args(Kind) if kind != "words")
Sizes = Mapping[str, int]  # the length of each axis

SOURCE_VOCABULARY = "source vocabulary"  # axes of embeddings without a letter
MAX_LENGTH_AXES: dict[Side, str] = {"encoder": "max source length", "decoder": "max target length"}


@dataclass(frozen=True)
class Tensor:
    """An array with named axes."""

    name: str
    axes: tuple[str, ...]  # letters, fixed lengths, or both: "3D" is three times the model width

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        """Return the shape, with a number for each letter."""
        return tuple(_length(axis, sizes) for axis in self.axes)

    def size(self, sizes: Sizes) -> int:
        """Return how many numbers the array holds."""
        return math.prod(self.shape(sizes))


@dataclass(frozen=True)
class MatrixProduct:
    """A product of matrices (rows, inner) and (inner, columns)."""

    name: str
    rows: str  # an axis, like the other two
    inner: str
    columns: str
    layer: str = ""  # name of its dense layer; the scores and the mixing have no weights

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
        """Count multiplications and additions."""
        return 2 * Tensor(self.name, (self.rows, self.inner, self.columns)).size(sizes)


@dataclass(frozen=True)
class Part:
    """One part of the model; a part inside a layer occurs once per layer."""

    key: str
    side: Side
    kind: Kind
    title: str
    inputs: tuple[Tensor, ...]
    output: Tensor
    intermediates: tuple[Tensor, ...] = ()
    products: tuple[MatrixProduct, ...] = ()
    other_weights: tuple[Tensor, ...] = ()  # outside matrix products: embeddings and norms
    path: str = ""  # of a part in a layer: where a checkpoint has its weights ("self_attention_residual")

    @property
    def in_layer(self) -> bool:
        return bool(self.path)

    @cached_property
    def weights(self) -> tuple[Tensor, ...]:
        """All weights of the part in a checkpoint's order; for a part in a layer, those of one layer."""
        return (*self.other_weights, *(weight for product in self.products for weight in product.weights))

    def copies(self, config: ModelConfig) -> int:
        """Return how many times the model has this part."""
        return config.num_layers if self.in_layer else 1


def model_sizes(config: ModelConfig) -> dict[str, int]:
    """Return the lengths of the axes that do not depend on the batch."""
    return {
        "L": config.num_layers,
        "D": config.d_model,
        "H": config.num_heads,
        "K": config.head_dim,
        "F": config.inner_dim,
        "V": config.target_vocab_size,
        SOURCE_VOCABULARY: config.source_vocab_size,
        MAX_LENGTH_AXES["encoder"]: config.max_source_length,
        MAX_LENGTH_AXES["decoder"]: config.max_target_length,
    }


def axis_sizes(config: ModelConfig, pairs: int, source_length: int, target_length: int) -> dict[str, int]:
    """Return the lengths of all axes for a batch of `pairs`, padded to the given lengths in tokens."""
    return {**model_sizes(config), "B": pairs, "S": source_length, "T": target_length}


def length_axis(side: Side) -> str:
    """Return the letter of a side's length: S or T."""
    return "S" if side == "encoder" else "T"


def vectors(side: Side, name: str = N_("vectors")) -> Tensor:
    """Return the tensor that a side passes from part to part: a vector for each position; `name` is in English."""
    return Tensor(_(name), ("B", length_axis(side), "D"))


def _length(axis: str, sizes: Sizes) -> int:
    if axis.isdigit():
        return int(axis)
    if axis in sizes:
        return sizes[axis]
    return int(axis[:-1]) * sizes[axis[-1]]  # "3D"
