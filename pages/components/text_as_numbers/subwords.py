"""One text as words and as subwords, side by side."""

from __future__ import annotations

import streamlit as st

from core.figures.id_table import id_chips_html, legend_html
from core.tokens.subword import SubwordTokenizer
from core.tokens.word import WordTokenizer
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
    _show_subwords,
    (WordTokenizer.encode, SubwordTokenizer.cut, SubwordTokenizer.end_of_longest_subword),
    is_long=True,
)
