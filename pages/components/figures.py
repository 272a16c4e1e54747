"""Figures, drawings and tables on a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import pandas as pd
import streamlit as st
from plotly.basedatatypes import BaseFigure
from streamlit.runtime import exists

from core.corpora.delimited import escape_formula
from core.figures.label_fit import PHONE, scroll_sign
from core.figures.theme import PLOTLY_CONFIG, TICK_SIZE, Figure, Mode, themed
from pages.components.share import is_presenting
from pages.components.style import read_asset

_GAP = 16  # pixels
_PRESENTED = 20 / TICK_SIZE  # times as large as usual are letters on a projector: 20 pixels at least


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
    if not is_presenting():
        _plot(themed(figure, mode), alt, key, "content")
        return
    # As high as presenting.css makes the place.
    shown = themed(figure, mode, _PRESENTED)
    shown["layout"] = {name: value for name, value in shown["layout"].items() if name != "height"}
    with st.container(key=f"presented_{key or 'figure'}", height="stretch"):
        _plot(shown, alt, key, "stretch")


def _plot(figure: Figure, alt: str, key: str | None, height: Literal["content", "stretch"]) -> None:
    st.plotly_chart(_Unchecked(figure), height=height, key=key, config=PLOTLY_CONFIG, alt=alt, theme=None)


def _min_width(figure: Figure) -> int:
    """Pixels; 0 where it looks right at every width."""
    return figure["layout"].get("meta", {}).get("min_width", 0)


ON_ONE_SCREEN = """<style>
@media (min-width: 701px) { svg { max-height: var(--figure-height, max(24rem, 100vh - 12rem)); } }
</style>"""  # before a drawing: below the heading, and on a phone as wide as it is
_TEXT_COLOR = "svg { color: var(--st-text-color); font-family: var(--st-font); }"


def show_svg(svg: str, key: str = "svg", on_press: Callable[[str], None] | None = None) -> None:
    """Show a drawing of our own making; `currentColor` in it is the theme's text colour.

    st.html strips SVG, and st.image shows one that knows nothing of the theme.

    Args:
        svg: the drawing.
        key: once a page.
        on_press: called before the page runs again with the `data-part` of what was pressed in the drawing.
    """
    if not exists():  # components need a running server; a test that drives the script has none
        return

    def pressed() -> None:
        part = (st.session_state.get(key) or {}).get("part")
        if on_press is not None and isinstance(part, str):
            on_press(part)

    component = st.components.v2.component(
        "transformer_classroom_svg",
        html='<div class="drawing"></div>',
        css=_TEXT_COLOR,
        js=read_asset("drawing.js"),
    )
    component(key=key, data=svg, on_part_change=pressed)


ROW_HEIGHT = 84  # pixels: three lines of text; Streamlit (1.67) wraps text only in rows of more than 68
_LONG = 32  # characters that do not fit into half of a narrow table
TEXT_WIDTH = 258  # pixels: three columns of sentences fit beside some figures on a small laptop


def are_long(texts: Iterable[str]) -> bool:
    """Whether a table needs rows of several lines for them."""
    return max(map(len, texts), default=0) > _LONG


def csv_of_table(table: pd.DataFrame) -> bytes:
    """A table as CSV for spreadsheets: a byte order mark for the accents, and no text that runs as a formula."""
    return table.map(_text_cell).to_csv(index=False).encode("utf-8-sig")


def for_display(table: pd.DataFrame, decimals: int = 3) -> pd.DataFrame:
    """A table with rounded numbers; what rounds to 0 has no minus sign, as "-0.000" of a probability near 1 would."""
    return table.map(lambda cell: round(cell, decimals) + 0.0 if isinstance(cell, float) else cell)


def _text_cell(cell: object) -> object:
    # A carriage return may begin a row, and pandas does not quote it.
    return escape_formula(cell.replace("\r", " ")) if isinstance(cell, str) else cell
