"""The views of one translation's attention: each draws its figure and says how to read it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.figures.attention import attention_figure, highest_weight
from core.figures.attention_drawings import linked_tokens, overview_svg
from core.interpretability.words import attention_links
from core.records import AttentionView
from pages.components.attention_maps.map_choice import MapChoice, open_head
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.drawing.linked_tokens import show_linked_tokens
from pages.components.widgets.drawing.svg import show_svg
from pages.components.widgets.words import first_words, plain

_MAX_LISTED = 160  # characters of the tokens below the overview
_NOTHING = "All tokens are hidden. Show start and end tokens again under Reading."

_ROWS = {
    "cross": "Each row is a decoding step (query position); each column is a source token (key position).",
    "encoder": "Each row is a source token (query position); each column is a source token it attends to (key "
    "position).",
    "decoder": "Each row is a token the decoder has read (query position); it attends to itself and to those before "
    "it. The future is masked.",
}


def show_overview(view: AttentionView, choice: MapChoice) -> None:
    """All layers and heads, small; a press opens one."""
    show_svg(overview_svg(view), key="overview", on_press=open_head)
    _say(
        view,
        f"{view.name}: press a head to open it. {_ROWS[choice.reading.kind]} The brightest is "
        f"{highest_weight(view, view.weights):.2g}, the darkest 0.",
    )
    st.markdown(
        f"**Rows from the top** {_listed(view.rows)}  \n**Columns from the left** {_listed(view.columns)}"
    )


def show_head(view: AttentionView, choice: MapChoice) -> None:
    """One head as a heatmap."""
    figure = attention_figure(view, choice.layer, choice.head)
    show_figure(figure, alt=view.title(choice.layer, choice.head), key="head_figure")
    _say(view, f"{_ROWS[choice.reading.kind]} Hover to read a {view.says}.")


def show_lines(view: AttentionView, choice: MapChoice) -> None:
    """One head as lines between tokens."""
    lines = linked_tokens(view, choice.layer, choice.head)
    st.markdown(f"**{view.title(choice.layer, choice.head)}**")
    show_linked_tokens(lines, key="lines_figure")
    _say(
        view,
        f"Tokens on the left attend to tokens on the right; the stronger a line, the higher the {view.says}. Point at a "
        f"token, or press it to pin it.{_left_out(lines['least'])}",
    )


def show_alignment(view: AttentionView, choice: MapChoice) -> None:
    """Each word of the translation with the source word it attends to most."""
    weights = view.head(choice.layer, choice.head)
    marked = {(row, column) for column, row in attention_links(weights)} if weights.size else set()
    st.markdown(f"**{view.title(choice.layer, choice.head)}: each word's strongest link**")
    show_linked_tokens(linked_tokens(view, choice.layer, choice.head, marked), key="words_figure")
    _say(
        view,
        "Orange: the source word that each word attends to most. Often that is its translation, but not always: a word "
        "without a counterpart has a strongest link too.",
    )


def is_empty(view: AttentionView) -> bool:
    """Whether nothing is left to show, said where it is so."""
    if view.rows and view.columns:
        return False
    st.info(_NOTHING, icon=":material/visibility_off:")
    return True


def _listed(tokens: Sequence[str]) -> str:
    """The tokens in order, with a space between; a long text's first ones."""
    return plain(first_words(" ".join(tokens), _MAX_LISTED))


def _say(view: AttentionView, text: str) -> None:
    st.caption(" ".join([text, *view.notes]))


def _left_out(least: float) -> str:
    return f" Links below {least:.2g} are left out." if least > 0.001 else ""
