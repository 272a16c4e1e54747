from __future__ import annotations

from collections.abc import Sequence

from core.figures.mask_panels import mask_figures
from core.figures.masks import MaskInfo
from pages.components.widgets.drawing.figure import show_figures


def show_masks(infos: Sequence[MaskInfo], alt: str, across: int = 1) -> None:
    """Masks of one shape, `across` of them beside each other where there is room."""
    show_figures(mask_figures(infos, across), alt, "mask", across)
