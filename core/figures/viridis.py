"""Viridis as numbers, for drawings that are not Plotly's: the scale of `theme.ATTENTION_SCALE`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# The ten colors from which Plotly interpolates it.
_ANCHORS = np.array(
    [
        (68, 1, 84), (72, 40, 120), (62, 73, 137), (49, 104, 142), (38, 130, 142),
        (31, 158, 137), (53, 183, 121), (110, 206, 88), (181, 222, 43), (253, 231, 37),
    ],
    np.float64,
)  # fmt: skip


def viridis(shares: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Red, green and blue (..., 3) of numbers from 0 to 1."""
    places = np.linspace(0, 1, len(_ANCHORS))
    channels = [np.interp(shares, places, _ANCHORS[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=-1).round().astype(np.uint8)
