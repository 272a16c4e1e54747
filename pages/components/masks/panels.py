from __future__ import annotations

from collections.abc import Sequence

from core.figures.mask_panels import masks_figure
from core.figures.masks import MaskInfo
from pages.components.widgets.figure import show_figure
from pages.components.widgets.responsive import wide_and_narrow


def show_masks(infos: Sequence[MaskInfo], alt: str, across: int = 1) -> None:
    """Masks of one shape, on a phone one below the other.

    Args:
        infos: one or more.
        alt: what they show, for screen readers.
        across: how many stand side by side on a screen.
    """
    wide_and_narrow(
        "mask",
        lambda narrow: show_figure(masks_figure(infos, across, narrow), alt=alt, key=f"mask_{narrow}"),
    )
