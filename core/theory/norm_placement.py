"""The placement of the layer norm, and its effect on vectors that pass a stack of layers.

The paper uses post-norm (Vaswani et al. 2017, section 3.1), most later models pre-norm (Xiong et al. 2020, "On Layer
Normalization in the Transformer Architecture").
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Reals

Sublayer = Callable[[Reals], Reals]

EPSILON = 1e-6  # for all norms; avoids a division by 0
# Sizes of the example stack.
_WORDS = 64
_WIDTH = 64
_INNER = 256
_SUBLAYERS = 2  # per layer


def layer_norm(x: ArrayLike, gamma: ArrayLike = 1.0, beta: ArrayLike = 0.0) -> Reals:
    """Give each vector mean 0 and variance 1, then the learned scale and shift (Ba et al. 2016, equation (4)).

    Args:
        x: vectors, shape (…, D).
        gamma: scale, shape (D,) or a number.
        beta: shift, shape (D,) or a number.
    """
    vectors = np.asarray(x)
    width = vectors.shape[-1]
    centred = vectors - vectors.sum(axis=-1, keepdims=True) / width
    variance = np.vecdot(centred, centred)[..., np.newaxis] / width
    return np.asarray(centred / np.sqrt(variance + EPSILON) * gamma + beta)


def post_norm(x: Reals, sublayer: Sublayer) -> Reals:
    """Return LayerNorm(x + Sublayer(x)), as in section 3.1 of the paper."""
    return layer_norm(x + sublayer(x))


def pre_norm(x: Reals, sublayer: Sublayer) -> Reals:
    """Return x + Sublayer(LayerNorm(x)), where the residual passes unchanged (Xiong et al. 2020)."""
    return x + sublayer(layer_norm(x))


@dataclass(frozen=True)
class StackMeasures:
    """How vectors change in a stack of layers: one number per layer, the input first."""

    size: tuple[float, ...]  # root mean square of all numbers
    cosine_similarity: tuple[float, ...]  # between a vector and its input, mean over the vectors, -1 to 1


def measure_stack(connection: Callable[[Reals, Sublayer], Reals], num_layers: int) -> StackMeasures:
    """Send vectors through an untrained stack with two sublayers per layer.

    The sublayers are feed-forward networks with Glorot weights, the same at every call. Attention would only mix the
    vectors of different words.
    """
    random = np.random.default_rng(7)
    start = layer_norm(random.standard_normal((_WORDS, _WIDTH)))
    limit = (6 / (_WIDTH + _INNER)) ** 0.5  # Glorot & Bengio 2010, equation 16
    x = start
    size = [_size(start)]
    cosine_similarity = [1.0]
    for _ in range(num_layers):
        for _ in range(_SUBLAYERS):
            inner, outer = random.uniform(-limit, limit, (2, _WIDTH, _INNER))
            x = connection(x, _feed_forward(inner, outer.T))
        size.append(_size(x))
        cosine_similarity.append(_cosine_similarity(start, x))
    return StackMeasures(tuple(size), tuple(cosine_similarity))


def _feed_forward(inner: Reals, outer: Reals) -> Sublayer:
    return lambda x: np.asarray(np.maximum(x @ inner, 0) @ outer)  # (T, D) -> (T, F) -> (T, D)


def _size(x: Reals) -> float:
    return float(np.sqrt(np.mean(x**2)))


def _cosine_similarity(first: Reals, second: Reals) -> float:
    lengths = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
    return float(np.mean((first * second).sum(axis=-1) / lengths))
