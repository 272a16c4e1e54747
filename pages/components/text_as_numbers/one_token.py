"""One token: its one-hot row, times the embedding matrix, is its vector."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.figures.id_table import IdCell, id_chips_html
from core.figures.number_tables import one_hot_html
from core.theory.embedding import embed, look_up, one_hot
from core.tokens.vocabulary import END, START
from pages.components.lesson.view import View
from pages.components.text_as_numbers.readers import ask_text
from pages.components.text_as_numbers.sentence_batch import sentence_batch
from pages.components.text_as_numbers.vectors_of import TokenVectors, token_vectors
from pages.components.widgets.numbers import slider
from pages.components.widgets.words import plain

MAX_TOKENS = 40
_CHANNELS = 8  # of the vectors that are shown


def _show_one_token() -> None:
    vectors = token_vectors()
    st.caption(vectors.description)
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        text = ask_text(vectors.first)
    cells = _cells(text, vectors)
    with right:
        place = slider("Token at position", 0, len(cells) - 1, 1, "token")
    st.html(id_chips_html(cells, now=place))
    cell = cells[place]
    tokens = vectors.tokenizer.vocabulary.tokens
    vocab_size, width = vectors.matrix.shape
    product = one_hot(cell.id, vocab_size) @ vectors.matrix
    difference = float(np.abs(product - look_up(cell.id, vectors.matrix)).max())
    st.markdown(
        f"**{plain(cell.token)}** has the id **{cell.id:,}**. One-hot, that is {vocab_size:,} numbers: all are 0, "
        f"only number {cell.id:,} is 1. Times the matrix, it picks out row {cell.id:,}: over all {width:,} "
        f"channels, the product and the row differ by **{difference:g}**."
    )
    st.html(one_hot_html(cell.id, vectors.matrix, tokens, _CHANNELS))
    st.caption(
        "The whole product is computed; only the entries around this one and the first channels are shown."
    )


def _cells(text: str, vectors: TokenVectors) -> tuple[IdCell, ...]:
    """Start, the first tokens, end."""
    vocabulary = vectors.tokenizer.vocabulary
    inner = sentence_batch([text], vectors.tokenizer, MAX_TOKENS, wrapped=False)
    if inner.lost[0]:
        st.caption(f"Only the first {MAX_TOKENS} tokens are shown.")
    words = tuple(cell for cell in inner.cells[0] if cell.kind != "pad")
    return (
        IdCell(START, vocabulary.start_id, "start"),
        *words,
        IdCell(END, vocabulary.end_id, "end"),
    )


ONE_TOKEN = View(_show_one_token, (one_hot, look_up, embed))
