"""Positional encoding: the position of a token as sines and cosines (Vaswani et al. 2017, section 3.5)."""

import math

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Doubles, Floats

BASE = 10_000.0  # the longest wave approaches BASE * 2 pi positions (3.5)


def sinusoidal_encoding(length: int, d_model: int) -> Floats:
    """Return sines in the even channels and cosines in the odd ones (3.5).

    PE(pos, 2i) = sin(pos / 10000^(2i / d_model)) and PE(pos, 2i + 1) = cos of the same angle.

    Args:
        length: number of positions, counted from 0; 0 or more.
        d_model: width D; 1 or more. With an odd width, the last channel is a sine without its cosine.

    Returns:
        Encoding of shape (length, D).
    """
    # float64 until the end: float32 angles of late positions would be wrong in the third decimal.
    positions = np.arange(length, dtype=np.float64)[:, np.newaxis]  # (length, 1)
    even_channels = np.arange(0, d_model, 2, dtype=np.float64)  # the paper's 2i
    angles = positions / BASE ** (even_channels / d_model)  # (length, ceil(D / 2))
    encoding = np.empty((length, d_model), dtype=np.float64)
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles[:, : d_model // 2])
    return encoding.astype(np.float32)


def wavelengths(d_model: int) -> Doubles:
    """Return after how many positions the wave of each channel repeats (3.5).

    The wavelengths form a geometric progression from 2 pi to 10000 * 2 pi.

    Args:
        d_model: width D; 1 or more.

    Returns:
        Wavelengths in positions, shape (D,); a sine and its cosine share one.
    """
    channels = np.arange(d_model)
    return 2.0 * math.pi * BASE ** ((channels - channels % 2) / d_model)


def wave(positions: ArrayLike, channel: int, d_model: int) -> Doubles:
    """Return one channel of the encoding at any real positions (3.5).

    Args:
        positions: real numbers, any shape.
        channel: from 0 to D - 1; even channels are sines, odd ones cosines.
        d_model: width D.

    Returns:
        Values from -1 to 1, with the shape of `positions`.
    """
    angles = np.asarray(positions, np.float64) / BASE ** ((channel - channel % 2) / d_model)
    return np.asarray(np.cos(angles) if channel % 2 else np.sin(angles))


def dot_products(encoding: ArrayLike, position: int) -> Doubles:
    """Return the dot product of one position with every position.

    For sinusoids of even width, it is a sum of cosines of the distance: D / 2 at distance 0, and less elsewhere.

    Args:
        encoding: one row for each position, shape (length, D).
        position: index of a row, from 0.

    Returns:
        Dot products, shape (length,).
    """
    rows = np.asarray(encoding, dtype=np.float64)
    return np.asarray(rows @ rows[position])


def cosine_similarities(encoding: ArrayLike) -> Doubles:
    """Return the cosine of the angle between every two positions.

    Args:
        encoding: one row for each position, shape (length, D).

    Returns:
        Cosines from -1 to 1, shape (length, length); 0 for a row of zeros.
    """
    rows = np.asarray(encoding, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    directions = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return np.asarray(directions @ directions.T)
