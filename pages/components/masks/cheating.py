"""What training without the causal mask would learn: to copy."""

from __future__ import annotations

import streamlit as st

from core.figures.masks import answers_info
from core.theory.masks import answers_in_sight, causal_mask
from core.tokens.vocabulary import END, START
from pages.components.lesson.exercises import masks as exercises
from pages.components.lesson.explanation import Formula, Lesson
from pages.components.lesson.view import View
from pages.components.masks.panels import show_masks
from pages.components.widgets import remembered

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
    show_masks(
        [answers_info(_EXAMPLE, mask, END)],
        "What the decoder may attend to for each word it predicts; a star marks the answer",
    )
    if masked:
        st.success("Nothing to copy: it has to learn to translate.", icon=":material/school:")
    else:
        st.warning(
            "This is cheating: copying the next word is far easier than translating.",
            icon=":material/content_copy:",
        )


CHEATING = View(
    "No causal mask",
    _show_cheating,
    Lesson(
        notice="Without the mask, the training loss falls almost to 0, because the model copies the next word instead "
        "of predicting it. Only [END] cannot be copied here; in a row with padding the input holds [END] too, as under "
        "Text as numbers › Teacher forcing. When the model translates by itself, there is no next word to copy yet, "
        "and it fails.",
        formulas=(
            Formula(
                r"label_t = input_{t+1}",
                "Why it is so easy: the decoder's input is the labels shifted right by one (section 3.1)",
            ),
        ),
        code=(causal_mask, answers_in_sight),
        exercise=exercises.CHEATING,
    ),
)
