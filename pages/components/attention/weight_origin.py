"""How one weight of an attention map came about, for the current sentence."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from core.figures.html.number_tables import number_text
from core.figures.html.weight_origin import calculations, remark, weight_origin_html
from core.interpretability.head_numbers import head_numbers
from core.language import N_, _
from core.records.analysis import HeadNumbers
from core.records.attention import AttentionKind, Head
from core.server.translation_job import ChosenSentence
from pages.components.attention.one_row import SHOWN_CHANNELS, SHOWN_KEYS, set_row
from pages.components.frame.menu import go_to
from pages.components.model.sentence import try_to_analyze
from pages.components.widgets.numbers import Rows
from pages.components.widgets.state import mirror
from pages.content.markdown import plain
from pages.content.pages import ATTENTION_BY_HAND, is_shown

ANCHOR = "weight-origin"
Cell = tuple[int, int]  # row and column, from 0

_TITLES: dict[AttentionKind, tuple[str, str]] = {  # of the menus of rows and columns
    "cross": (N_("Written token"), N_("Source token")),
    "encoder": (N_("Token that attends"), N_("Token attended to")),
    "decoder": (N_("Token that attends"), N_("Token attended to")),
}


def show_weight_origin(
    chosen: ChosenSentence, head: Head, cell: Cell | None, choose_cell: Callable[[Cell], None]
) -> None:
    """Ask for a cell of one head's map, and show the arithmetic behind its weight.

    Args:
        chosen: the sentence.
        head: the head whose map is shown.
        cell: the chosen cell; None while there is none.
        choose_cell: called with another cell before the page reruns.
    """
    attention = chosen.explained.attention.of_kind(head.kind)
    with st.container(key="weight_origin"):
        _choose_tokens(head.kind, attention.rows, attention.columns, cell, choose_cell)
        if cell is None:
            return
        numbers = _numbers_of(chosen, head)
        if numbers is None:
            return
        row, column = cell
        weight = number_text(float(numbers.steps.weights[cell]))
        said = _(
            "**{token}** cannot attend to **{other}**: its weight is **{weight}** in layer {layer}, head {head}."
        )
        if numbers.mask[cell]:
            said = _(
                "**{token}** attends to **{other}**: its weight is **{weight}** in layer {layer}, head {head}."
            )
        about = said.format(
            token=plain(numbers.rows[row]),
            other=plain(numbers.columns[column]),
            weight=weight,
            layer=head.layer + 1,
            head=head.head + 1,
        )
        st.markdown(f"{about} {_about_query(chosen, head, row)}")
        left, right = st.columns(2, gap="medium")
        with left:
            for number, each in enumerate(calculations(numbers, row, column), start=1):
                st.markdown(f"{number}. {plain(each.saying)}")
                st.latex(each.latex)
            if note := remark(numbers, row, column):
                st.info(plain(note), icon=":material/lightbulb:")
            _offer_paper(numbers, row, column)
        with right:
            st.html(weight_origin_html(numbers, row, column))


def _choose_tokens(
    kind: AttentionKind,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    cell: Cell | None,
    choose_cell: Callable[[Cell], None],
) -> None:
    st.subheader(_("How this weight came about"), anchor=ANCHOR)
    st.caption(_("Click on a cell of the large map, or choose two words."))
    row, column = cell or (None, None)
    # The first of two words chosen: the other one is the first of its menu.
    menus = (
        (rows, mirror("origin_row", row, lambda chosen: choose_cell((chosen or 0, column or 0)))),
        (columns, mirror("origin_column", column, lambda chosen: choose_cell((row or 0, chosen or 0)))),
    )
    for place, title, (tokens, kept) in zip(st.columns(2), _TITLES[kind], menus, strict=True):
        place.selectbox(
            _(title),
            range(len(tokens)),
            index=None,
            format_func=partial(_numbered, tokens),
            placeholder=_("Choose a word"),
            **kept,
        )


def _numbered(tokens: tuple[str, ...], number: int) -> str:
    return f"{number + 1}. {tokens[number]}"


def _numbers_of(chosen: ChosenSentence, head: Head) -> HeadNumbers | None:
    """Return the numbers of a head, with the words as typed."""
    numbers = try_to_analyze(chosen.model, head_numbers, chosen.pair, head)
    if numbers is None:
        return None
    attention = chosen.explained.attention.of_kind(head.kind)
    return replace(numbers, rows=attention.rows, columns=attention.columns)


def _about_query(chosen: ChosenSentence, head: Head, row: int) -> str:
    """Return which position asks, where that is not plain: a row of cross-attention is the token that is written."""
    if head.kind != "cross":
        return ""
    attention = chosen.explained.attention
    read = plain(attention.decoder_input_tokens[row])
    return _(
        "The query is that of the position that has just read “{token}”; the key comes from the encoder."
    ).format(token=read)


def _offer_paper(numbers: HeadNumbers, row: int, column: int) -> None:
    """Show the button that takes the numbers to Attention by hand, cut to a size for paper."""
    if not is_shown(ATTENTION_BY_HAND):
        return
    columns = _shown_columns(numbers, row, column)
    steps = numbers.steps
    if st.button(
        _("Compute it by hand"),
        icon=ATTENTION_BY_HAND.icon,
        key="by_hand",
        help=_(
            "With {tokens} of {all_tokens} tokens, {numbers} of {all_numbers} numbers of each vector, so the weights "
            "will be others."
        ).format(
            tokens=len(columns),
            all_tokens=len(numbers.columns),
            numbers=SHOWN_CHANNELS,
            all_numbers=steps.keys.shape[1],
        ),
    ):
        tokens = [numbers.rows[row], *(numbers.columns[place] for place in columns)]
        set_row(tokens, _cut(steps.queries[[row]]), _cut(steps.keys[columns]), _cut(steps.values[columns]))
        go_to(ATTENTION_BY_HAND, {"by_hand_view": "row"})


def _shown_columns(numbers: HeadNumbers, row: int, column: int) -> list[int]:
    """Return the chosen column and those with the largest weights, in the order of the sentence."""
    order = np.argsort(-numbers.steps.weights[row], kind="stable")
    allowed = [int(place) for place in order if numbers.mask[row, place] and place != column]
    return sorted([column, *allowed[: SHOWN_KEYS - 1]])


def _cut(vectors: np.ndarray) -> Rows:
    """Return the first numbers of each vector, rounded; a narrower head has zeros after its own."""
    first = np.zeros((len(vectors), SHOWN_CHANNELS))
    width = min(SHOWN_CHANNELS, vectors.shape[1])
    first[:, :width] = vectors[:, :width]
    return tuple(map(tuple, (first.round(2) + 0.0).tolist()))
