"""Properties of positional encodings (Vaswani et al. 2017, section 3.5)."""

import math

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Doubles, Floats
from core.model.forward import rotate, sinusoidal_encoding

BASE = 10_000.0  # the longest wave approaches BASE * 2 pi positions (3.5)


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


def rotated_pair(length: int, pair: int, width: int) -> Floats:
    """Rotate one pair of channels of a query and of a key, always the same, by rotary positions (Su et al. 2021).

    Args:
        length: T, positions from 0 on.
        pair: number of the pair, from 0 to K / 2 - 1; the first turns fastest.
        width: K, of a head.

    Returns:
        Both channels of the query and of the key at each position, (T, 2, 2).
    """
    channels = [pair, pair + width // 2]
    query_and_key = np.zeros((2, length, width), np.float32)
    query_and_key[:, :, channels] = np.array([[1.0, 0.0], [0.8, 0.6]])[:, None]
    rotated: Floats = rotate(query_and_key, sinusoidal_encoding(length, width))[:, :, channels]
    return rotated.swapaxes(0, 1)


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
