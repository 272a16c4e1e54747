"""Attention of words that are one number each."""

from __future__ import annotations

import numpy as np

from core.figures.number_tables import numbered
from core.theory.attention import softmax
from core.theory.attention_steps import attention_steps
from pages.components.attention_by_hand.steps import choose_count, editors_and_steps, show_attention_steps
from pages.components.lesson.number_editor import Rows, edit_numbers, show_reset
from pages.components.lesson.view import View

_WORDS: Rows = ((1.0,), (2.0,), (3.0,), (-1.0,))
_WEIGHTS: Rows = ((0.5,), (1.0,), (10.0,))


def _show_numbers() -> None:
    left, right = editors_and_steps()
    with left:
        count = choose_count()
        words = edit_numbers("x", _WORDS, numbered("x", count), ["number"], "The words, one number each")
        weights = edit_numbers("w", _WEIGHTS, ["W_Q", "W_K", "W_V"], ["weight"], "The weights, one each")
        show_reset({"x": _WORDS, "w": _WEIGHTS})
    with right:
        show_attention_steps(attention_steps(words, *weights[:, np.newaxis]), "step")


NUMBERS = View(_show_numbers, (attention_steps, softmax), is_long=True)
