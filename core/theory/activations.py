"""The activations of the feed-forward network (Vaswani et al. 2017, section 3.3)."""

import math

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Reals


def relu(x: ArrayLike) -> Reals:
    """Return max(0, x)."""
    return np.maximum(np.asarray(x), 0)


def gelu(x: ArrayLike) -> Reals:
    """Return x P(X <= x) for a standard normal X (Hendrycks & Gimpel 2016)."""
    values = np.asarray(x)
    return np.asarray(values * (1 + erf(values / math.sqrt(2))) / 2)


def erf(x: ArrayLike) -> Reals:
    """Return the error function, within 1.5e-7 (Abramowitz & Stegun 1964, formula 7.1.26)."""
    values = np.asarray(x)
    size = np.abs(values)
    t = 1 / (1 + 0.3275911 * size)
    polynomial = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    return np.asarray(np.sign(values) * (1 - polynomial * np.exp(-size * size)))
