"""One text as words and as pieces of words, side by side."""

from __future__ import annotations

import streamlit as st

from core.figures.id_table import id_chips_html, legend_html
from core.tokens.subword import SubwordTokenizer
from core.tokens.word import WordTokenizer
from pages.components.lesson.explanation import Formula, Lesson
from pages.components.lesson.view import View
from pages.components.text_as_numbers.first_texts import ENGLISH
from pages.components.text_as_numbers.readers import Reader, ask_text, piece_reader, word_reader
from pages.components.widgets.told import tell

_EXAMPLES = (
    ENGLISH.text, "searchability", "serendipity", "triceratops", "where is the station", "i like 🍕",
)  # fmt: skip
_MOST = 40  # tokens that are shown


def _show_pieces() -> None:
    text = ask_text(ENGLISH)
    st.pills(
        "Try one",
        _EXAMPLES,
        key="text_example",
        on_change=_take_example,
        label_visibility="collapsed",
        wrap=True,
    )
    left, right = st.columns(2, gap="large")
    with left:
        _show_cells(word_reader(), text)
    with right:
        pieces = piece_reader()
        if pieces is None:
            st.info(
                "This copy of the app comes without a vocabulary of English pieces.",
                icon=":material/inventory_2:",
            )
        else:
            _show_cells(pieces, text)
    st.html(legend_html(["word", "unknown"]))


def _show_cells(reader: Reader, text: str) -> None:
    st.markdown(f"**{reader.title}**, from {reader.vocabulary}")
    cells = reader.cells(text)
    if not cells:
        st.caption("There is nothing to read: no letter, no digit.")
        return
    st.html(id_chips_html(cells[:_MOST]))
    unknown = sum(cell.kind == "unknown" for cell in cells)
    counted = f"{len(cells)} token{'s' if len(cells) > 1 else ''}, {unknown or 'none'} unknown."
    st.markdown(f"{counted} Shown: the first {_MOST}." if len(cells) > _MOST else counted)


def _take_example() -> None:
    if chosen := st.session_state["text_example"]:
        tell(ENGLISH.text_key, chosen)


PIECES = View(
    "Words and pieces",
    _show_pieces,
    Lesson(
        notice="A token's id is its place in a list, nothing more. A word that is not in the list of words becomes "
        "the id 1, so all unknown words look alike. A list of pieces spells new words instead: `##` joins a piece "
        "to the one before it.",
        formulas=(
            Formula(
                r"\mathrm{id}(w) = \begin{cases} \text{place of } w \text{ in } V & w \in V \\ 1 & w \notin V "
                r"\end{cases}",
                "Words: the vocabulary V begins with pad 0, unknown 1, start 2, end 3; frequent words come first",
            ),
            Formula(
                r"\begin{aligned} w &= p_1 p_2 \dots p_n \\ p_k &= \text{the longest piece in } V "
                r"\text{ that fits} \end{aligned}",
                "Pieces: Wu et al. 2016, section 4.1; Song et al. 2021, section 2",
            ),
        ),
        code=(WordTokenizer.encode, SubwordTokenizer.cut, SubwordTokenizer.end_of_longest_subword),
        question="Which English words can the classroom's list of 35 entries tell apart?",
        answer="31: four entries are the special ones. All other words are the same to it, the id 1. The pieces can "
        "spell any word whose letters they have, at the price of more tokens.",
    ),
)
