"""The two masks of the decoder, and what is left open by both."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.figures.masks import mask_info
from core.theory.masks import decoder_mask, look_ahead_mask, padding_mask
from pages.components.lesson.explanation import Formula, Lesson
from pages.components.lesson.view import View
from pages.components.masks.convention import choose_convention
from pages.components.masks.editable_batch import choose_sentence, edit_batch
from pages.components.masks.panels import show_masks


def _show_both() -> None:
    batch = edit_batch(start=True)
    left, right = st.columns(2)
    with left:
        number = choose_sentence()
    with right:
        convention = choose_convention()
    words, ids = batch.words[number - 1], batch.ids[number - 1 : number]
    length = len(words)
    combined = decoder_mask(ids)[0, 0]
    st.markdown(f"**{int(combined.sum())} of {combined.size} places are open** in sentence {number}.")
    masks = {
        "Padding": np.broadcast_to(padding_mask(ids)[0, 0], (length, length)),
        "Look-ahead": look_ahead_mask(length),
        "Both together": combined,
    }
    show_masks(
        [mask_info(title, mask, words, words, convention) for title, mask in masks.items()],
        "The padding mask, the look-ahead mask, and both together",
        across=3,
    )


BOTH = View(
    "Both",
    _show_both,
    Lesson(
        notice="The decoder's self-attention takes both masks: a place is open only if it is no pad and not ahead. "
        "Here the triangle does the work: pads stand at the end, so no word ever reaches one. The padding mask "
        "changes the rows of pads alone, which nobody reads; in the encoder and in cross-attention it is needed.",
        formulas=(
            Formula(
                r"m_{b,1,t,s} = (id_{b,s} \neq 0) \wedge (s \le t)",
                "Section 3.2.3, and padding. In the other way of writing, ∧ becomes the maximum",
            ),
        ),
        code=(decoder_mask,),
        question="Compare the last two pictures row by row. In which rows do they differ, and does any word lie there?",
        answer="Only in the rows of pads. Before its first pad, a row of the triangle has no pad to look at. With "
        "pads at the front of a sentence it would be otherwise.",
    ),
)
