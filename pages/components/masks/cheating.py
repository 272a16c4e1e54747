"""What training without the causal mask would learn: to copy."""

from __future__ import annotations

import streamlit as st

from core.figures.masks import answers_figures
from core.theory.masks import answers_in_sight, causal_mask
from core.tokens.vocabulary import END, START
from pages.components.lesson.view import View
from pages.components.widgets import remembered
from pages.components.widgets.drawing.figure import show_figures

_EXAMPLE = (START, "i", "like", "tensorflow")  # what the decoder reads of one classroom pair


def _show_cheating() -> None:
    masked = remembered.toggle("With the causal mask", False, "look_ahead")
    mask = causal_mask(len(_EXAMPLE)) | (not masked)
    seen = answers_in_sight(mask)
    st.markdown(
        "In training, the decoder gets the whole translation and predicts every next word at once. So its input holds "
        f"the answers, marked ★, one position further on. **{seen or 'None'} of {len(_EXAMPLE)} answers "
        f"{'are' if seen else 'is'} in sight.**"
    )
    show_figures(
        answers_figures(_EXAMPLE, mask, END),
        alt="What the decoder may attend to for each word it predicts; a star marks the answer",
        key="mask",
        across=1,
    )
    if masked:
        st.success("Nothing to copy: it has to learn to translate.", icon=":material/school:")
    else:
        st.warning(
            "This is cheating: copying the next word is far easier than translating.",
            icon=":material/content_copy:",
        )


CHEATING = View(_show_cheating, (causal_mask, answers_in_sight))
