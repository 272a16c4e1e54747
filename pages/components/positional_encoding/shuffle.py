"""What attention knows about the order of words, with and without positions."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.figures.positions import word_order_figures
from core.theory.untrained_head import EXAMPLE, read_words, shuffled_order
from pages.components.lesson.view import View
from pages.components.widgets.drawing.figure import show_figures
from pages.components.widgets.numbers import slider
from pages.components.widgets.texts import text_input
from pages.components.widgets.words import plain

MAX_WORDS = 10


def _show_shuffle() -> None:
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        text = text_input("A sentence", EXAMPLE, "words", max_chars=200)
    with right:
        shuffle = slider("Shuffle", 0, 30, 1, "shuffle", help="0 leaves the words in their order.")
    words = text.split()
    if len(words) > MAX_WORDS:
        st.caption(f"Only the first {MAX_WORDS} words are read.")
        words = words[:MAX_WORDS]
    if not words:
        st.caption("There are no words to shuffle.")
        return
    order = shuffled_order(len(words), shuffle)
    st.markdown(f"#### {plain(' '.join(words))} → {plain(' '.join(words[place] for place in order))}")
    maps, changes = [], []
    for with_positions in (False, True):
        output, written = read_words(words, range(len(words)), with_positions)
        shuffled_output, shuffled = read_words(words, order, with_positions)
        maps += [written, shuffled]
        changes.append(np.abs(output - shuffled_output).max())
    st.markdown(
        f"Shuffling changes a word's output by at most **{changes[0]:.2f}** without positions, and by up to "
        f"**{changes[1]:.2f}** with them."
    )
    show_figures(
        word_order_figures(words, maps),
        alt="Attention over the words as written and shuffled, without and with positions",
        key="word_order",
        across=2,
    )
    st.caption(
        "One untrained head. Rows are query positions, columns key positions; the shuffled maps have their rows and "
        "columns put back in the written order, so that equal maps look equal."
    )


SHUFFLE = View(_show_shuffle, (read_words,), is_long=True)
