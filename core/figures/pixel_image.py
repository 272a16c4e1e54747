"""A matrix as a small PNG, one pixel a cell: a hundred bytes where a figure of cells takes thousands."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from core.figures.viridis import colors_of

_LEVELS = 255  # colors; one more, the last, is see-through
_TRANSPARENCY = b"\xff" * _LEVELS + b"\0"


def pixel_image(weights: NDArray[np.floating], highest: float) -> str:
    """A data address of the picture, for an <image> with `image-rendering: pixelated`.

    Args:
        weights: (rows, columns), from 0; NaN is see-through.
        highest: the weight of the brightest color.
    """
    rows, columns = weights.shape
    levels = np.clip(np.nan_to_num(weights) / (highest or 1.0), 0, 1) * (_LEVELS - 1)
    indexes = np.where(np.isnan(weights), _LEVELS, levels.round()).astype(np.uint8)
    lines = np.zeros((rows, columns + 1), np.uint8)  # each begins with its filter, 0: none
    lines[:, 1:] = indexes
    header = struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)  # 8 bits, indexes of a palette
    chunks = (
        (b"IHDR", header),
        (b"PLTE", colors_of(np.linspace(0, 1, _LEVELS)).tobytes() + b"\0\0\0"),
        (b"tRNS", _TRANSPARENCY),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    )
    png = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
