"""The functions that `forward` computes with, in NumPy: to translate, to explain, and to calculate on paper.

All that are not here are NumPy's own. Some that have the name of one of these are faster as methods of arrays.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import asarray as array  # noqa: F401
from numpy.typing import ArrayLike

from core.arrays import Floats, Ids, Reals

EPSILON = 1e-6  # for all norms; avoids a division by 0
BLOCKED = -1e9  # exp() of it is exactly 0 in float32; being finite, it can be added to scores

reshape = np.ndarray.reshape
swapaxes = np.ndarray.swapaxes

_FEW_ROWS = 7
_LARGE_KERNEL = 1 << 17  # numbers, 512 kB
_PART_COLUMNS = 512


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # such as `__path__`, which would make this file look like a package
        raise AttributeError(name)
    return getattr(np, name)


def softmax(scores: ArrayLike, mask: ArrayLike | None = None) -> Reals:
    """Return the scores (…, S) as weights: exp(score) / sum of exp(scores), over the last axis.

    Args:
        scores: finite numbers; S is 1 or more.
        mask: fits the scores by broadcasting; True where attention is allowed. None for everywhere.

    Returns:
        Weights of at least 0, exactly 0 where masked. Each row sums to 1; one that is masked everywhere is all 0.
    """
    scores = np.asarray(scores)
    if mask is not None:
        scores = scores + additive(mask)
    # Subtracting the largest score changes no weight, and keeps exp() from overflowing.
    weights: Reals = np.exp(scores - np.maximum.reduce(scores, axis=-1, keepdims=True))
    weights /= np.add.reduce(weights, axis=-1, keepdims=True)
    # Mask again: a row that is masked everywhere would attend to blocked positions.
    return weights if mask is None else np.where(mask, weights, 0.0)


def additive(mask: ArrayLike) -> Floats:
    """Return what a mask adds to the scores before the softmax (3.2.3): 0 where it is True, -1e9 where it is False."""
    return np.where(np.asarray(mask, dtype=np.bool_), 0.0, BLOCKED).astype(np.float32)


def layer_norm(x: ArrayLike, gamma: ArrayLike = 1.0, beta: ArrayLike = 0.0) -> Reals:
    """Give each vector mean 0 and variance 1, then the learned scale and shift (Ba et al. 2016, equation (4)).

    Args:
        x: vectors, shape (…, D).
        gamma: scale, shape (D,) or a number.
        beta: shift, shape (D,) or a number.
    """
    vectors = np.asarray(x)
    width = vectors.shape[-1]
    centred = vectors - np.add.reduce(vectors, axis=-1, keepdims=True) / width
    variance = np.vecdot(centred, centred)[..., np.newaxis] / width
    centred /= np.sqrt(variance + EPSILON)
    centred *= gamma
    centred += beta
    return centred


def rms_norm(x: Reals, gamma: Floats) -> Reals:
    """Give each vector (…, D) a root mean square of 1, then the learned scale (Zhang & Sennrich 2019, equation (4))."""
    mean_square = np.vecdot(x, x)[..., np.newaxis] / x.shape[-1]
    return x / np.sqrt(mean_square + EPSILON) * gamma


def relu(x: Reals) -> Reals:
    """Return max(0, x) (3.3)."""
    return np.maximum(x, 0)


def gelu(x: Reals) -> Reals:
    """Return x P(X <= x) for a standard normal X (Hendrycks & Gimpel 2016)."""
    return x * (1 + erf(x / math.sqrt(2))) / 2


def swiglu(x: Reals) -> Reals:
    """Return SiLU of the first half of x times the second, (…, 2F) -> (…, F) (Shazeer 2020, equation (5))."""
    gate, values = np.split(x, 2, axis=-1)
    return gate * (1 + np.tanh(gate / 2)) / 2 * values  # SiLU is x sigmoid(x); by tanh, no large x overflows


def erf(x: Reals) -> Reals:
    """Return the error function, within 1.5e-7 (Abramowitz & Stegun 1964, formula 7.1.26)."""
    size = np.abs(x)
    t = 1 / (1 + 0.3275911 * size)
    polynomial = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    return np.asarray(np.sign(x) * (1 - polynomial * np.exp(-size * size)))


def dense(x: Reals, kernel: Floats, bias: Floats | None) -> Reals:
    """Return x W + b, with all positions as rows of one product, (…, D) -> (…, units)."""
    rows = x.reshape(-1, x.shape[-1])
    if 1 < len(rows) <= _FEW_ROWS and kernel.size >= _LARGE_KERNEL:
        product = _product_of_few_rows(rows, kernel)
    else:
        product = rows @ kernel
    if bias is not None:
        product += bias
    return product.reshape(*x.shape[:-1], kernel.shape[1])


def _product_of_few_rows(rows: Reals, kernel: Floats) -> Reals:
    """Return rows @ kernel, (N, D) @ (D, units), part by part, for two to seven rows and a large kernel.

    Here reading the kernel takes longer than multiplying, and OpenBLAS reads it fastest for a single row. So each part is
    first multiplied with one row. That product is thrown away, but it leaves the part in the processor's cache for all
    rows: 0.6 ms instead of 0.95 for (4, 256) @ (256, 8000) on one core.
    """
    product = np.empty((len(rows), kernel.shape[1]), np.float32)
    for first in range(0, kernel.shape[1], _PART_COLUMNS):
        part = slice(first, first + _PART_COLUMNS)
        _ = rows[:1] @ kernel[:, part]
        np.matmul(rows, kernel[:, part], out=product[:, part])
    return product


def take(table: Reals, ids: Ids) -> Reals:
    """Return the rows of a table, (V, D) -> (…, D): as `one_hot(ids) @ table` would, without multiplying by 0."""
    return table[ids]


def transpose(matrix: Floats) -> Floats:
    """Return the transpose, contiguous: products with a few rows take half the time."""
    return np.ascontiguousarray(matrix.T)


def split(x: Reals, number: int, axis: int) -> Sequence[Reals]:
    """Return equal parts along the heads' axis, as views."""
    assert axis == -3
    size = x.shape[axis] // number
    return [x[..., n * size : (n + 1) * size, :, :] for n in range(number)]


def shape(x: Reals) -> tuple[int, ...]:
    """Return the lengths of the axes."""
    return x.shape
