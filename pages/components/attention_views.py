"""What the page about attention by hand can show, one view at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from core.figures.attention_steps import STAGES, attention_steps_html, attention_steps_info, heads_html
from core.figures.fuzzy_dictionary import fuzzy_dictionary_figure, fuzzy_dictionary_info
from core.figures.number_tables import numbered
from core.figures.score_scale import WIDTHS, score_scale_figure, score_scale_info
from core.theory.attention_steps import AttentionSteps, attention_steps, multi_head_steps
from pages.components.bounded_slider import bounded_slider
from pages.components.figure import show_figure
from pages.components.number_editor import Floats, edit_numbers, reset_numbers

MAX_WORDS = 4
_WORDS = ((1.0,), (2.0,), (3.0,), (-1.0,))  # what is shown first, of which three
_WEIGHTS = ((0.5,), (1.0,), (10.0,))
_VECTORS = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (-1.0, 0.5))
_KERNELS = {
    "wq": ((1.0, 0.0), (0.0, 2.0)),
    "wk": ((2.0, 0.0), (0.0, 1.0)),
    "wv": ((10.0, 0.0), (0.0, 10.0)),
}
_SENTENCE = ("the", "cat", "sat")
_WIDTH = 4  # of its words


@dataclass(frozen=True)
class View:
    """One way to look at attention."""

    title: str
    show: Callable[[], None]


def _show_dictionary() -> None:
    left, right = st.columns(2)
    degrees = left.slider("Where the query points, degrees", 0, 90, 72, key="query", bind="query-params")
    strength = right.slider(
        "How strong the query is", 1, 40, 10, key="strength", bind="query-params",
        help="The length of the query. The stronger, the more the best key gets.",
    )  # fmt: skip
    info = fuzzy_dictionary_info(degrees, strength)
    st.markdown(
        "How many legs has a *kitten*? An ordinary dictionary has only `fish`, `hen`, `dog` and `cat`, so it "
        f"fails. The fuzzy one lets every key answer, the nearer the louder: **{info.answer:.2f} legs**."
    )
    show_figure(
        fuzzy_dictionary_figure(info),
        alt="Share of each key: "
        + ", ".join(f"{name} {weight:.0%}" for name, weight in zip(info.names, info.weights, strict=True)),
        key="dictionary",
    )


def _show_numbers() -> None:
    left, middle, right = st.columns([2, 2, 3], gap="large")
    with right:
        count = _count()
        st.button(
            "Back to the first numbers", icon=":material/undo:", on_click=reset_numbers, args=(("x", "w"),)
        )
    with left:
        words = edit_numbers("x", _WORDS, numbered("x", count), ["number"], "The words, one number each")
    with middle:
        weights = edit_numbers("w", _WEIGHTS, ["W_Q", "W_K", "W_V"], ["weight"], "The weights, one each")
    _show_steps(attention_steps(words, *weights[:, np.newaxis]), "step")


def _show_vectors() -> None:
    left, right = st.columns([2, 3], gap="large")
    with right:
        count = _count()
        st.button(
            "Back to the first numbers", icon=":material/undo:", on_click=reset_numbers,
            args=(("vectors", *_KERNELS),),
        )  # fmt: skip
    with left:
        words = edit_numbers(
            "vectors", _VECTORS, numbered("x", count), numbered("d", 2), "The words, two numbers each"
        )
    kernels = []
    with st.expander("Change the weights W_Q, W_K and W_V", icon=":material/tune:"):
        for column, (key, kernel) in zip(st.columns(3), _KERNELS.items(), strict=True):
            with column:
                title = f"W_{key[-1].upper()}"
                kernels.append(edit_numbers(key, kernel, numbered("x", 2), numbered("d", 2), title))
    _show_steps(attention_steps(words, *kernels), "vector_step")


def _count() -> int:
    count = st.segmented_control(
        "How many words", [2, 3, MAX_WORDS], default=3, required=True, key="count", bind="query-params"
    )
    return count or 3


def _show_steps(record: AttentionSteps, key: str) -> None:
    """The cell that is being computed, its calculation, and all tables as they stand then."""
    info = attention_steps_info(record)
    last = len(info.steps)
    slider, buttons = st.columns([3, 2], vertical_alignment="bottom")
    with slider:
        number = bounded_slider(f"Step of {last}", 1, last, last, key)
    with buttons, st.container(horizontal=True):
        st.button(
            "Back", icon=":material/chevron_left:", on_click=_go, args=(key, number - 1), disabled=number == 1
        )
        st.button(
            "Next",
            icon=":material/chevron_right:",
            on_click=_go,
            args=(key, number + 1),
            disabled=number == last,
        )
    step = info.steps[number - 1]
    st.markdown(f"**{step.saying}**")
    st.latex(step.calculation)
    st.html(attention_steps_html(info, number))


def _go(key: str, number: int) -> None:
    st.session_state[key] = number


def _show_heads() -> None:
    left, right = st.columns([1, 2])
    heads = left.segmented_control(
        "Heads", [1, 2, 4], default=2, required=True, key="heads", bind="query-params"
    )
    stage = right.segmented_control(
        "Stage",
        list(STAGES),
        default="project",
        required=True,
        format_func=STAGES.__getitem__,
        key="stage",
        bind="query-params",
        wrap=True,
    )
    words, kernels = _example()
    record = multi_head_steps(words, kernels, heads or 2)
    st.markdown(_said_of(stage or "project", record.num_heads))
    st.html(heads_html(record, _SENTENCE, stage or "project"))
    st.caption("Three words, four numbers each, and weights by chance, as before any training.")


def _said_of(stage: str, heads: int) -> str:
    width = _WIDTH // heads
    numbers = f"{width} number{'s' if width > 1 else ''}"
    return {
        "project": "All heads' queries, keys and values come from one multiplication each. The colours show which "
        "columns belong to which head.",
        "split": f"**Split.** Each of {heads} head{'s' if heads > 1 else ''} takes its {numbers} of every word. "
        "Nothing is computed: the columns are only dealt out.",
        "attend": "**Attend.** Each head does what you did by hand, by itself, so each can look somewhere else.",
        "join": "**Concatenate.** The heads' outputs stand side by side again, as wide as the words, and W_O mixes "
        "them.",
    }[stage]


def _example() -> tuple[Floats, Floats]:
    """Words (T, D) and W_Q, W_K, W_V, W_O (4, D, D), always the same."""
    random = np.random.default_rng(3)
    words = random.standard_normal((len(_SENTENCE), _WIDTH))
    kernels = random.standard_normal((4, _WIDTH, _WIDTH)) / 2  # keeps the variance: 1 / sqrt(4)
    return words.round(1), kernels.round(1)


def _show_scale() -> None:
    d_k = st.select_slider("d_k: numbers in a query and in a key", WIDTHS, 64, key="d_k", bind="query-params")
    info = score_scale_info(d_k)
    st.markdown(
        f"Scores of random queries and keys spread by **{info.spread:.1f}**, about √{d_k:,}. The softmax keeps "
        f"**{info.raw_entropy:.2f} bits** of openness without dividing, **{info.scaled_entropy:.2f} bits** with it."
    )
    show_figure(
        score_scale_figure(info),
        alt=f"Entropy of the softmax over d_k; at {d_k}: {info.raw_entropy:.2f} and {info.scaled_entropy:.2f} bits",
        key="scale",
    )


VIEWS = {
    "dictionary": View("Fuzzy dictionary", _show_dictionary),
    "numbers": View("Single numbers", _show_numbers),
    "vectors": View("Small vectors", _show_vectors),
    "heads": View("Heads", _show_heads),
    "scale": View("Why √d_k", _show_scale),
}
