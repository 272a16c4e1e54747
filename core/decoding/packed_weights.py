"""A model's weights as tensors: one by one for XLA, and packed, as one argument of a graph or variable of its loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import tensorflow as tf

from core.config import ModelConfig
from core.model.stateless import bound
from core.model.tensor import Tensor
from core.model.transformer import Transformer
from core.theory.model_parts import token_embedding_name
from core.weights import Weights, weight_shapes

PACKED = tf.TensorSpec((), tf.variant)  # in a graph's signature


@dataclass(frozen=True, eq=False)
class WeightTensors:
    """A model's weights in two forms, which share their memory; `transposed` is a copy."""

    config: ModelConfig
    each: tuple[Tensor, ...]  # in the order of `weight_shapes`, for XLA, which cannot unpack
    packed: Tensor  # for all other graphs

    @classmethod
    def of(cls, config: ModelConfig, weights: Weights) -> Self:
        """The weights of a model of this config, by name."""
        each = tuple(tf.constant(weights[name]) for name in weight_shapes(config))
        return cls(config, each, pack(each))

    @cached_property
    def transposed(self) -> tuple[Tensor, ...]:
        """The tied output matrix (D, V), transposed for XLA; empty if the output has a matrix of its own.

        With two rows or more XLA multiplies by it twice as fast as by the embeddings as they lie. Made at first use.
        """
        if not self.config.tie_embeddings:
            return ()
        number = list(weight_shapes(self.config)).index(token_embedding_name(self.config, "decoder"))
        return (tf.transpose(self.each[number]),)


def pack(weights: Sequence[Tensor]) -> Tensor:
    """All weights as one argument, without a copy.

    TensorFlow takes some 10 µs to check each argument of a call: for a hundred weights a millisecond, a quarter of the
    time that translating a sentence takes.

    Args:
        weights: in the order of `weight_shapes`.
    """
    return tf.raw_ops.OptionalFromValue(components=weights)


def unpack(packed: Tensor, config: ModelConfig) -> list[Tensor]:
    """The reverse of `pack`."""
    shapes = list(weight_shapes(config).values())
    return tf.raw_ops.OptionalGetValue(
        optional=packed, output_types=[tf.float32] * len(shapes), output_shapes=shapes
    )


@contextmanager
def bound_to_packed(model: Transformer, packed: Tensor) -> Iterator[None]:
    """As `bound`, to packed weights, which are unpacked where this is entered.

    Enter it again in the body of a loop: TensorFlow hands each tensor that a body takes from outside from step to step.
    For a hundred weights that was 4 % of the time of a greedy step.
    """
    with bound(model, unpack(packed, model.config)):
        yield
