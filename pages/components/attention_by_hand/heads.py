"""Attention in several heads: split, attend, concatenate."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.figures.attention_steps import STAGES, heads_html
from core.theory.attention_steps import concatenate_heads, multi_head_steps, split_heads
from pages.components.lesson.number_editor import Floats
from pages.components.lesson.view import View
from pages.components.widgets import remembered

_SENTENCE = ("the", "cat", "sat")
_WIDTH = 4  # of its words


def _show_heads() -> None:
    left, right = st.columns([1, 2])
    with left:
        heads = remembered.choose("Heads", (1, 2, 4), "heads", default=2)
    with right:
        stage = remembered.choose("Stage", STAGES, "stage", default="project")
    words, kernels = _example()
    record = multi_head_steps(words, kernels, heads)
    st.markdown(_describe(stage, heads))
    st.html(heads_html(record, _SENTENCE, stage))
    st.caption("Three words, four numbers each, and random weights, as before training.")


def _describe(stage: str, heads: int) -> str:
    width = _WIDTH // heads
    numbers = f"{width} number{'s' if width > 1 else ''}"
    return {
        "project": "The queries, keys and values of all heads come from one matrix product each. The colors show "
        "which columns belong to which head.",
        "split": f"**Split.** Each of {heads} head{'s' if heads > 1 else ''} takes its {numbers} of every word. "
        "Nothing is computed: the columns are only divided up.",
        "attend": "**Attend.** Each head does on its own what you did by hand, so each can attend to something else.",
        "join": "**Concatenate.** The heads' outputs stand side by side again, as wide as the words, and W_O mixes "
        "them.",
    }[stage]


def _example() -> tuple[Floats, Floats]:
    """Words (T, D) and W_Q, W_K, W_V, W_O (4, D, D), always the same."""
    random = np.random.default_rng(3)
    words = random.standard_normal((len(_SENTENCE), _WIDTH))
    kernels = random.standard_normal((4, _WIDTH, _WIDTH)) / 2  # keeps the variance: 1 / sqrt(4)
    return words.round(1), kernels.round(1)


HEADS = View(_show_heads, (multi_head_steps, split_heads, concatenate_heads))
