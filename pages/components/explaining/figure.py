"""Figures, drawings and tables on a page."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Literal

import pandas as pd
import streamlit as st
from plotly.basedatatypes import BaseFigure
from streamlit.delta_generator import DeltaGenerator

from core.figures.theme import TICK_SIZE, Figure, Mode, plotly_config, themed
from core.language import _, language, number
from pages.components.frame.presenting import is_presenting
from pages.components.widgets.component import draw_component

SCREEN = 780  # width of a figure beside the menu on a page of 1280, pixels
_PHONE = 310  # the same on a page of 360
_SCREEN_BOTTOM = 716  # height of a projector's screen, pixels
_GAP = 16  # pixels
PRESENTED = 20 / TICK_SIZE  # scale on a projector: letters of at least 20 pixels


class _Unchecked(BaseFigure):
    """A plain dictionary that Streamlit accepts as a Plotly figure.

    `st.plotly_chart` turns each dictionary into an object and checks every property (Streamlit 1.67,
    `return_figure_from_figure_or_data`); on a figure it only calls `to_dict`. The tests check ours.
    """

    def __init__(self, figure: Figure) -> None:  # without the base class, which would check
        self._figure = figure

    def to_dict(self) -> Figure:
        return self._figure


def height_below(top: int) -> int:
    """Return the height that a projector's screen has for a figure, below `top` pixels of the page."""
    return _SCREEN_BOTTOM - top


def panel_width(across: int) -> float:
    """Return the width of each of `across` figures side by side on a projector's screen."""
    return (SCREEN - _GAP * (across - 1)) / across


def show_figure(
    figure: Figure,
    alt: str,
    key: str | None = None,
    on_click: Callable[[Any], None] | None = None,
) -> None:
    """Draw a figure at full width; on a phone, a wide one scrolls sideways.

    Args:
        figure: a figure of core.figures.
        alt: what it shows, for screen readers.
        key: the element's key, kept when a figure is redrawn; a figure that may scroll or be clicked needs one.
        on_click: called before the page reruns, with the `customdata` of the clicked point.
    """
    if on_click is not None and key is not None:
        with _scrolled(f"scrolled_{key}", _min_width(figure), across=1):
            _draw(figure, alt, _clicked_key(key), partial(_pass_click, key, on_click))
    elif key is not None and _min_width(figure) > _PHONE:
        show_figures([figure], alt, key, across=1)
    else:
        _draw(figure, alt, key)


def show_figures(figures: Sequence[Figure], alt: str, key: str, across: int = 4) -> None:
    """Draw figures of one kind side by side, as many as fit; the others go below.

    Args:
        figures: one figure or more.
        alt: what they show, for screen readers.
        key: a key that is unique on the page.
        across: the most figures in one row.
    """
    with _scrolled(key, max(map(_min_width, figures)), across):
        numbered = _("{figure}: {number} of {count}")
        for place, figure in enumerate(figures, start=1):
            each = numbered.format(figure=alt, number=place, count=len(figures))
            _draw(figure, alt if len(figures) == 1 else each, f"{key}_{place}")


def _scrolled(key: str, width: int, across: int) -> DeltaGenerator:
    """Return a container for figures of a smallest width, side by side; it scrolls if one does not fit."""
    st.html(
        f"""<style>.st-key-{key} {{ display: grid; gap: {_GAP}px; align-items: start; overflow: auto hidden;
        grid-template-columns: repeat(auto-fit,
        minmax(max({width}px, (100% - {(across - 1) * _GAP}px) / {across}), 1fr)); }}
        {_scroll_hints(key, width)}</style>"""
    )
    return st.container(key=key)


def _scroll_hints(key: str, width: int) -> str:
    """Return CSS that shows that a figure scrolls: a line above it, not in print, and in Chrome a permanent scrollbar."""
    place = f".st-key-{key}"
    hint = json.dumps(_("Scroll sideways to see all of it →"), ensure_ascii=False)
    return f"""{place}::-webkit-scrollbar {{ height: 6px; }}
        {place}::-webkit-scrollbar-thumb {{ background: #888; border-radius: 3px; }}
        {place} {{ container-type: inline-size; }}
        @media screen {{ @container (max-width: {width - 1}px) {{ {place}::before {{
        content: {hint}; position: sticky; left: 0; justify-self: start;
        font-size: 0.8rem; opacity: 0.75; }} }} }}"""


def _pass_click(key: str, on_click: Callable[[Any], None]) -> None:
    """Call `on_click` with the clicked point of a figure, and draw the figure anew, with nothing clicked."""
    selected = st.session_state.get(_clicked_key(key)) or {}
    if points := selected.get("selection", {}).get("points"):
        st.session_state[f"{key}_clicks"] = st.session_state.get(f"{key}_clicks", 0) + 1
        on_click(points[0].get("customdata"))


def _clicked_key(key: str) -> str:
    """Return the key of a figure that can be clicked, another one after each click."""
    return f"{key}_{st.session_state.get(f'{key}_clicks', 0)}"


def _draw(
    figure: Figure,
    alt: str,
    key: str | None,
    on_select: Callable[[], None] | None = None,
) -> None:
    mode: Mode = "dark" if st.context.theme.type == "dark" else "light"
    shown = themed(figure, mode, PRESENTED if is_presenting() else 1.0)
    place: AbstractContextManager[object] = nullcontext()
    if is_presenting():  # presenting.css sets the height
        shown["layout"] = {name: value for name, value in shown["layout"].items() if name != "height"}
        place = st.container(key=f"presented_{key or 'figure'}", height="stretch")
    with place:
        st.plotly_chart(
            _Unchecked(shown),
            height="stretch" if is_presenting() else "content",
            key=key,
            config=plotly_config(shown),
            alt=alt,
            theme=None,
            on_select=on_select or "ignore",
            selection_mode="points",
        )


def _min_width(figure: Figure) -> int:
    """Return the figure's smallest width in pixels, at most a screen's; 0 where every width is fine."""
    return min(SCREEN, figure["layout"].get("meta", {}).get("min_width", 0))


ON_ONE_SCREEN = """<style>
@media (min-width: 701px) { svg { max-height: var(--figure-height, max(24rem, 100vh - 12rem)); } }
</style>"""  # goes before a drawing, which then fits below the heading; full width on a phone


def show_svg(svg: str, key: str = "svg", on_click: Callable[[str], None] | None = None) -> None:
    """Show one of our own drawings; `currentColor` in it is the theme's text color.

    st.html strips SVG, and st.image ignores the theme.

    Args:
        svg: the drawing.
        key: a key that is unique on the page.
        on_click: called before the page reruns, with the `data-part` of the clicked part.
    """

    def clicked() -> None:
        part = (st.session_state.get(key) or {}).get("part")
        if on_click is not None and isinstance(part, str):
            on_click(part)

    draw_component("drawing", '<div class="drawing"></div>', svg, key, on_part_change=clicked)


def show_table(
    table: pd.DataFrame,
    numbers: Sequence[str],
    alt: str,
    decimals: int = 3,
    height: Literal["auto", "content"] = "auto",
) -> None:
    """Show a table.

    Args:
        table: the table.
        numbers: the titles of the columns whose numbers are shown with these decimals.
        alt: what it contains, for screen readers.
        decimals: how many.
        height: of the table, as for `st.dataframe`.
    """
    shown = for_display(table, decimals)
    looks: dict[str, Any] = {"hide_index": True, "height": height, "alt": alt}
    if language().decimal == ".":
        column = st.column_config.NumberColumn(format=f"%.{decimals}f")
        st.dataframe(shown, column_config=dict.fromkeys(numbers, column), **looks)
        return
    # A column's own format has no decimal comma.
    write = partial(number, spec=f".{decimals}f")
    written = shown.style.format({title: write for title in numbers if title in shown}, na_rep="")
    st.dataframe(written, **looks)


def for_display(table: pd.DataFrame, decimals: int = 3) -> pd.DataFrame:
    """Return a table with rounded numbers, and 0 instead of "-0.000"."""
    return table.map(lambda cell: round(cell, decimals) + 0.0 if isinstance(cell, float) else cell)
