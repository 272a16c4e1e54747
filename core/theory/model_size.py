"""What a model weighs: numbers it has learned, memory, and operations.

Only matrix products are counted, two operations (multiply and add) for each pair of numbers that meet. Left out is
what costs little beside them: looking up embeddings, biases, norms, softmax, activations.

So each weight of a kernel costs two operations a token, and a source token and a target token together cost 2 N:
the one passes the encoder and makes cross-attention's keys and values, the other passes all the rest. Kaplan et al.
2020 ("Scaling Laws for Neural Language Models", section 2.1) count in this way for a decoder alone, where every
token passes all N weights. Their N leaves out vocabulary and position embeddings, and their count the product that
gives the logits; here both the output's matrix and its product count.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from core.config import ModelConfig
from core.theory.model_parts import parts_of_model
from core.theory.parts import Kind, part_of

Shapes = Mapping[str, tuple[int, ...]]  # of weights, by name

WEIGHTY_KINDS: tuple[Kind, ...] = (
    "embedding",
    "self-attention",
    "cross-attention",
    "feed-forward",
    "norm",
    "output",
)
BYTES_FLOAT32, BYTES_FLOAT16 = 4, 2  # a number
BYTES_TRAINING = 16  # a number, its gradient and Adam's two averages, float32 each
TRAINING_FACTOR = 3  # backward costs about twice what forward does (Kaplan et al. 2020, section 2.1)


def parameters_by_part(shapes: Shapes) -> dict[str, int]:
    """How many numbers each part has learned, all its layers together.

    Args:
        shapes: of all weights, from `core.model.weight_shapes`.

    Returns:
        By the part's key; parts without weights are left out.
    """
    count: Counter[str] = Counter()
    for name, shape in shapes.items():
        count[part_of(name)] += math.prod(shape)
    return dict(count)


def parameters_by_kind(config: ModelConfig, shapes: Shapes) -> dict[Kind, int]:
    """The same by what the parts do, encoder and decoder together, in the order of the paper.

    Args:
        config: of the model.
        shapes: of all its weights.
    """
    count = parameters_by_part(shapes)
    sums: dict[Kind, int] = dict.fromkeys(WEIGHTY_KINDS, 0)
    for part in parts_of_model(config):
        if part.kind in sums:
            sums[part.kind] += count.get(part.key, 0)
    return sums


@dataclass(frozen=True)
class MatrixProduct:
    """(rows, inner) times (inner, columns), once in each of some layers."""

    part: str  # key
    name: str
    rows: int
    inner: int
    columns: int
    layers: int

    @property
    def operations(self) -> int:
        """Multiplications and additions, all layers together."""
        return 2 * self.rows * self.inner * self.columns * self.layers


def matrix_products(config: ModelConfig, source_length: int, target_length: int) -> list[MatrixProduct]:
    """Every matrix product of one pair of sentences on the way forward, as in training.

    All heads of an attention together cost what one of width D would: H heads of width D / H. Scores of
    future words are computed too, then masked.

    Args:
        config: of the model.
        source_length: S, tokens.
        target_length: T, tokens of the decoder's input.
    """
    s, t, d, layers = source_length, target_length, config.d_model, config.num_layers
    cross = "decoder_cross_attention"
    return [
        *_self_attention("encoder", s, d, layers),
        *_feed_forward("encoder", s, config),
        *_self_attention("decoder", t, d, layers),
        MatrixProduct(cross, "queries", t, d, d, layers),
        MatrixProduct(cross, "keys, values", s, d, 2 * d, layers),
        MatrixProduct(cross, "scores", t, d, s, layers),
        MatrixProduct(cross, "mixed values", t, s, d, layers),
        MatrixProduct(cross, "output", t, d, d, layers),
        *_feed_forward("decoder", t, config),
        MatrixProduct("output", "logits", t, d, config.target_vocab_size, 1),
    ]


def forward_operations(config: ModelConfig, source_length: int, target_length: int) -> int:
    """Operations of one pair of sentences on the way forward."""
    return sum(product.operations for product in matrix_products(config, source_length, target_length))


def _self_attention(side: str, length: int, width: int, layers: int) -> list[MatrixProduct]:
    part = f"{side}_self_attention"
    return [
        MatrixProduct(part, "queries, keys, values", length, width, 3 * width, layers),
        MatrixProduct(part, "scores", length, width, length, layers),
        MatrixProduct(part, "mixed values", length, length, width, layers),
        MatrixProduct(part, "output", length, width, width, layers),
    ]


def _feed_forward(side: str, length: int, config: ModelConfig) -> list[MatrixProduct]:
    part, layers = f"{side}_feed_forward", config.num_layers
    return [
        MatrixProduct(part, "inner", length, config.d_model, config.d_ff, layers),
        MatrixProduct(part, "outer", length, config.d_ff, config.d_model, layers),
    ]
