"""One text as words and as subwords, side by side."""

from __future__ import annotations

import streamlit as st

from core.figures.id_table import id_chips_html, legend_html
from core.tokens.subword import SubwordTokenizer
from core.tokens.word import WordTokenizer
from pages.components.lesson.exercises import text_as_numbers as exercises
from pages.components.lesson.explanation import Formula, Lesson
from pages.components.lesson.view import View
from pages.components.text_as_numbers.first_texts import ENGLISH
from pages.components.text_as_numbers.readers import Reader, ask_text, subword_reader, word_reader
from pages.components.widgets.memory import sent_value, set_value

_EXAMPLES = (
    ENGLISH.text, "searchability", "serendipity", "triceratops", "where is the station", "i like 🍕",
)  # fmt: skip
_MAX_SHOWN = 40  # tokens


def _show_subwords() -> None:
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
        subwords = subword_reader()
        if subwords is None:
            st.info(
                "This copy of the app comes without an English subword vocabulary.",
                icon=":material/inventory_2:",
            )
        else:
            _show_cells(subwords, text)
    st.html(legend_html(["word", "unknown"]))


def _show_cells(reader: Reader, text: str) -> None:
    st.markdown(f"**{reader.title}**, from {reader.vocabulary}")
    cells = reader.cells(text)
    if not cells:
        st.caption("There is nothing to read: neither a letter nor a digit.")
        return
    st.html(id_chips_html(cells[:_MAX_SHOWN]))
    unknown = sum(cell.kind == "unknown" for cell in cells)
    counted = f"{len(cells)} token{'s' if len(cells) > 1 else ''}, {unknown or 'none'} unknown."
    st.markdown(f"{counted} Shown: the first {_MAX_SHOWN}." if len(cells) > _MAX_SHOWN else counted)


def _take_example() -> None:
    if chosen := sent_value("text_example"):
        set_value(ENGLISH.text_key, chosen)


SUBWORDS = View(
    "Words and subwords",
    _show_subwords,
    Lesson(
        notice="A token's id is its place in the vocabulary, nothing more. A word that is missing from a vocabulary of "
        "words gets the id 1, so all unknown words look the same. A subword vocabulary spells new words instead: `##` "
        "joins a subword to the one before it.",
        formulas=(
            Formula(
                r"\mathrm{id}(w) = \begin{cases} \text{place of } w \text{ in } V & w \in V \\ 1 & w \notin V "
                r"\end{cases}",
                "Words: the vocabulary V begins with pad 0, unknown 1, start 2, end 3; frequent words come first",
            ),
            Formula(
                r"\begin{aligned} w &= p_1 p_2 \dots p_n \\ p_k &= \text{the longest subword in } V "
                r"\text{ that fits} \end{aligned}",
                "Subwords: Wu et al. 2016, section 4.1; Song et al. 2021, section 2",
            ),
        ),
        code=(WordTokenizer.encode, SubwordTokenizer.cut, SubwordTokenizer.end_of_longest_subword),
        exercise=exercises.SUBWORDS,
    ),
    is_long=True,
)
