"""Figures on a page. One arrangement goes out for every width: the browser wraps panels, or scrolls a wide figure."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from plotly.basedatatypes import BaseFigure

from core.figures.label_fit import PHONE, scroll_sign
from core.figures.theme import PLOTLY_CONFIG, Figure, Mode, themed
from pages.components.widgets.page.presenting import is_presenting

_GAP = 16  # pixels
_PRESENTED = 1.2  # times as large as usual are letters on a projector; the page's own are 1.25 times


class _Unchecked(BaseFigure):
    """A plain dictionary that Streamlit takes for a figure of Plotly's.

    `st.plotly_chart` makes an object of each dictionary and checks every property (Streamlit 1.67,
    `return_figure_from_figure_or_data`); of a figure it only calls `to_dict`. The tests have checked ours.
    """

    def __init__(self, figure: Figure) -> None:  # the base class would begin to check
        self._figure = figure

    def to_dict(self) -> Figure:
        return self._figure


def show_figure(figure: Figure, alt: str, key: str | None = None) -> None:
    """Draw a figure as wide as there is room; on a phone, one that needs more scrolls sideways.

    Args:
        figure: from core.figures.
        alt: what it shows, for screen readers.
        key: the same for a figure that is drawn again and again; a figure that may scroll needs one.
    """
    if key is not None and _min_width(figure) > PHONE:
        show_figures([figure], alt, key, across=1)
    else:
        _draw(figure, alt, key)


def show_figures(figures: Sequence[Figure], alt: str, key: str, across: int = 4) -> None:
    """Draw figures of one kind beside each other, as many as fit; the others go on below.

    Args:
        figures: one or more.
        alt: what they show, for screen readers.
        key: once a page.
        across: how many stand side by side where there is room.
    """
    width = max(map(_min_width, figures))
    st.html(
        f"""<style>.st-key-{key} {{ display: grid; gap: {_GAP}px; align-items: start; overflow: auto hidden;
        grid-template-columns: repeat(auto-fit,
        minmax(max({width}px, (100% - {(across - 1) * _GAP}px) / {across}), 1fr)); }}
        {_scroll_signs(key, width)}</style>"""
    )
    with st.container(key=key):
        for number, figure in enumerate(figures, start=1):
            each = alt if len(figures) == 1 else f"{alt}: {number} of {len(figures)}"
            _draw(figure, each, f"{key}_{number}")


def _scroll_signs(key: str, width: int) -> str:
    """What says that there is more, before people scroll: a line above, and in Chrome a scrollbar that stays."""
    return f""".st-key-{key}::-webkit-scrollbar {{ height: 6px; }}
        .st-key-{key}::-webkit-scrollbar-thumb {{ background: #888; border-radius: 3px; }}
        {scroll_sign(f".st-key-{key}", width)}"""


def _draw(figure: Figure, alt: str, key: str | None) -> None:
    mode: Mode = "dark" if st.context.theme.type == "dark" else "light"
    shown = themed(figure, mode, _PRESENTED if is_presenting() else 1.0)
    st.plotly_chart(_Unchecked(shown), key=key, config=PLOTLY_CONFIG, alt=alt, theme=None)


def _min_width(figure: Figure) -> int:
    """Pixels; 0 where it looks right at every width."""
    return figure["layout"].get("meta", {}).get("min_width", 0)
