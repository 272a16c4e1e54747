"""The batch as a tensor, (batch, length, d_model), one slice at a time."""

from __future__ import annotations

import streamlit as st

from core.figures.tensor import (
    AXES,
    Axis,
    color_limit,
    kept_axes,
    tensor_block_figure,
    tensor_slice_figure,
)
from core.theory.embedding import embed
from pages.components.lesson.view import View
from pages.components.text_as_numbers.sentence_batch import ask_batch
from pages.components.text_as_numbers.vectors_of import token_vectors
from pages.components.widgets import remembered
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.numbers import slider

_PLURALS: dict[Axis, str] = {"sentence": "Sentences", "position": "Positions", "channel": "Channels"}


def _show_tensor() -> None:
    vectors = token_vectors()
    st.caption(vectors.description)
    with st.expander("The three sentences", icon=":material/edit:"):
        batch = ask_batch(vectors.tokenizer, vectors.first)
    tensor = embed(batch.ids, vectors.matrix)
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    with left:
        axis = remembered.choose("Step through the", _PLURALS, "axis")
    with right:
        index = _choose_index(axis, tensor.shape[AXES.index(axis)])
    left_over = kept_axes(tensor.shape, axis)
    number = index + 1 if axis == "sentence" else index
    one_hot_numbers = batch.ids.size * len(vectors.matrix)
    st.markdown(
        f"{axis.capitalize()} **{number:,}** fixed, what is left is {left_over}. The whole tensor has "
        f"{' × '.join(f'{size:,}' for size in tensor.shape)} = **{tensor.size:,}** numbers; one-hot it would have "
        f"{one_hot_numbers:,}."
    )
    block, cells = st.columns([2, 3], gap="medium")
    with block:
        show_figure(
            tensor_block_figure(tensor.shape, axis, index),
            alt=f"The block of numbers, {axis} {number} marked in it",
            key="tensor_block",
        )
    with cells:
        show_figure(
            tensor_slice_figure(tensor, batch.tokens, axis, index),
            alt=f"The numbers of the slice {left_over} as colors",
            key="tensor_slice",
        )
        st.caption(
            f"The colors end at ±{color_limit(tensor):.3g}; one number in a hundred lies beyond them and gets the last "
            "color."
        )


def _choose_index(axis: Axis, count: int) -> int:
    """From 0. People count sentences from 1, positions and channels from 0 as the formulas do."""
    if axis == "sentence":
        return slider("Sentence", 1, count, 1, "slice_sentence") - 1
    return slider(axis.capitalize(), 0, count - 1, 0, f"slice_{axis}")


TENSOR = View(_show_tensor, (embed,))
