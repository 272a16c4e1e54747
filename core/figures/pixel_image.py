"""A matrix as a small PNG, one pixel a cell: a hundred bytes where a figure of cells takes thousands."""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from core.figures.viridis import colors_of

_LEVELS = 255  # colors; one more, the last, is see-through


def pixel_image(weights: NDArray[np.floating], highest: float) -> str:
    """Return a data address of the picture, for an <image> with `image-rendering: pixelated`.

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
