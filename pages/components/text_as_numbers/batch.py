"""Three sentences as a matrix of ids, padded and cut."""

from __future__ import annotations

import streamlit as st

from core.figures.id_table import id_table_html, kinds_of, legend_html
from core.tokens.base import pad
from pages.components.lesson.view import View
from pages.components.text_as_numbers.first_texts import ENGLISH
from pages.components.text_as_numbers.readers import choose_reader
from pages.components.text_as_numbers.sentence_batch import SentenceBatch, ask_batch, cut_and_pad
from pages.components.widgets.words import first_words, plain

_MAX_NAMED = 6  # tokens that are named of those cut off


def _show_batch() -> None:
    reader = choose_reader()
    batch = ask_batch(reader.tokenizer, ENGLISH)
    sentences, length = batch.ids.shape
    name = f"The batch: a matrix of {sentences} × {length} ids"
    st.html(id_table_html(name, ("Sentence 1", "Sentence 2", "Sentence 3"), batch.cells))
    st.markdown(
        f"{_describe_lost(batch)}**{batch.pads} of {batch.ids.size}** positions are padding tokens. The shape is "
        f"(batch, length) = ({sentences}, {length})."
    )
    for place in batch.empty:
        st.caption(f"Sentence {place + 1} has no words. Training would refuse it.")
    st.html(legend_html(kinds_of(batch.cells)))


def _describe_lost(batch: SentenceBatch) -> str:
    """What was cut off, in words."""
    text = ""
    for number, lost in enumerate(batch.lost, start=1):
        if lost:
            named = " ".join(plain(first_words(cell.token, 20)) for cell in lost[:_MAX_NAMED])
            more = f" and {len(lost) - _MAX_NAMED} more" if len(lost) > _MAX_NAMED else ""
            text += f"Sentence {number} is too long: **{named}**{more} was cut off. "
    return text


BATCH = View(_show_batch, (cut_and_pad, pad))
