"""The colors of numbers from 0 to the highest: evenly perceived, also by color-blind people, and dark at 0.

The darkest end stands out from a white and from a nearly black page, so that 0 never looks like "nothing".
"""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

# From which browsers and `colors_of` interpolate.
_STOPS = ["440154", "482878", "3e4989", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725"]

VIRIDIS = [(place / (len(_STOPS) - 1), f"#{stop}") for place, stop in enumerate(_STOPS)]
"""The colors as Plotly takes them."""

_LEVELS = 255  # colors of a picture; one more, the last, is see-through


def colors_of(shares: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return red, green and blue (..., 3) of numbers from 0 to 1."""
    stops = np.array([list(bytes.fromhex(stop)) for stop in _STOPS], np.float64)
    places = np.linspace(0, 1, len(stops))
    channels = [np.interp(shares, places, stops[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=-1).round().astype(np.uint8)


def pixel_image(weights: NDArray[np.floating], highest: float) -> str:
    """Return the data address of a PNG with one pixel a cell: a hundred bytes where a figure takes thousands.

    It is for an <image> with `image-rendering: pixelated`.

    Args:
        weights: (rows, columns), from 0; NaN is see-through.
        highest: the weight of the brightest color.
    """
    levels = np.clip(np.nan_to_num(weights) / (highest or 1.0), 0, 1) * (_LEVELS - 1)
    indexes = np.where(np.isnan(weights), _LEVELS, levels.round()).astype(np.uint8)
    image = Image.fromarray(indexes)
    image.putpalette(colors_of(np.linspace(0, 1, _LEVELS)).tobytes() + b"\0\0\0")
    png = io.BytesIO()
    image.save(png, "PNG", transparency=_LEVELS)
    return f"data:image/png;base64,{base64.b64encode(png.getvalue()).decode()}"
