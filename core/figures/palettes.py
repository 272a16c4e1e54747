"""The colors of numbers from 0 to the highest, as people may choose them. All are evenly perceived, and dark at 0.

Their darkest ends stand out from a white and from a nearly black page, so that 0 never looks like "nothing".
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Palette = Literal["viridis", "cividis", "greys"]

USUAL: Palette = "viridis"

_STOPS: dict[Palette, str] = {  # ten colors or two, from which browsers and `colors_of` interpolate
    "viridis": "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725",
    "cividis": "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
    "greys": "2b2b2b f2f2f2",
}


def plotly_scale(palette: Palette) -> list[tuple[float, str]]:
    """The colors as Plotly takes them."""
    stops = _STOPS[palette].split()
    return [(place / (len(stops) - 1), f"#{stop}") for place, stop in enumerate(stops)]


def colors_of(shares: NDArray[np.floating], palette: Palette = USUAL) -> NDArray[np.uint8]:
    """Red, green and blue (..., 3) of numbers from 0 to 1."""
    stops = np.array([list(bytes.fromhex(stop)) for stop in _STOPS[palette].split()], np.float64)
    places = np.linspace(0, 1, len(stops))
    channels = [np.interp(shares, places, stops[:, channel]) for channel in range(3)]
    return np.stack(channels, axis=-1).round().astype(np.uint8)
