"""Where a token stands, written as waves (Vaswani et al. 2017, section 3.5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BASE = 10_000.0  # the longest wave approaches BASE * 2 pi positions (3.5)


def sinusoidal_encoding(length: int, d_model: int) -> NDArray[np.float32]:
    """Sines in the even channels, cosines in the odd ones, as the paper writes them (3.5).

    PE(pos, 2i) = sin(pos / 10000^(2i / d_model)) and PE(pos, 2i + 1) = cos of the same angle.

    Args:
        length: number of positions, counted from 0; 0 or more.
        d_model: width D; 1 or more. Of an odd width the last channel is a sine without its cosine.

    Returns:
        Encoding of shape (length, D).

    Raises:
        ValueError: `length` or `d_model` is out of its range.
    """
    if length < 0:
        raise ValueError(f"length must be 0 or more. Received: {length}")
    if d_model < 1:
        raise ValueError(f"d_model must be 1 or more. Received: {d_model}")
    # float64 until the end: float32 angles of late positions would be wrong in the third decimal.
    positions = np.arange(length, dtype=np.float64)[:, np.newaxis]  # (length, 1)
    even_channels = np.arange(0, d_model, 2, dtype=np.float64)  # the paper's 2i
    angles = positions / BASE ** (even_channels / d_model)  # (length, ceil(D / 2))
    encoding = np.empty((length, d_model), dtype=np.float64)
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles[:, : d_model // 2])
    return encoding.astype(np.float32)
