"""The palette of heatmaps, chosen once: a projector may show one better than another."""

from __future__ import annotations

from typing import cast

from core.figures.palettes import USUAL, Palette
from pages.components.app.session import current_workspace
from pages.components.widgets.remembered import choose

_KEY = "palette"  # and its name in the address
_TITLES: dict[Palette, str] = {"viridis": "Viridis", "cividis": "Cividis", "greys": "Grays"}


def choose_palette() -> None:
    """The widget, on pages whose figures are heatmaps."""
    choose(
        "Colors of heatmaps",
        _TITLES,
        key=_KEY,
        default=USUAL,
        help="All are safe for color-blind people. Cividis looks the same to nearly everybody; grays survive a weak "
        "projector and a printer.",
    )


def current_palette() -> Palette:
    """The one that was chosen, on whatever page."""
    return cast("Palette", current_workspace().kept.get(_KEY, USUAL))
