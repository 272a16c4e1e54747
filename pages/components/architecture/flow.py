"""What is computed when: in one training step, and while a sentence is translated."""

from __future__ import annotations

import streamlit as st

from core.config import ModelConfig
from core.corpora.toy import PAIRS
from core.figures.architecture import parts_info, parts_svg
from core.model.weight_shapes import parameter_count
from core.theory.flow_step import FlowStep
from core.theory.training_flow import training_flow
from core.theory.translation_flow import translation_flow
from pages.components.architecture.models import choose_model
from pages.components.architecture.step_sayings import saying_of, title_of
from pages.components.architecture.tensor_table import show_tensors
from pages.components.architecture.word_batch import fitting, said_while_translating, word_batch
from pages.components.architecture.word_rows import show_rows
from pages.components.lesson.explanation import Formula, Lesson
from pages.components.lesson.stepper import choose_step
from pages.components.lesson.view import View
from pages.components.widgets.svg import show_svg

MAX_PAIRS = 4
_TITLES = [f"{pair.source} → {pair.target}" for pair in PAIRS]
_FIRST = (_TITLES[7], _TITLES[0])  # a long one and a short one, so that there is padding
_WHAT = {"training": "Training: one step", "translating": "Translating: one sentence"}


def _show_flow() -> None:
    config = choose_model()
    if config is None:
        return
    what = st.segmented_control(
        "Watch", list(_WHAT), default="training", required=True, format_func=_WHAT.__getitem__, key="what",
        bind="query-params",
    )  # fmt: skip
    # At least "bonjour", one word that becomes one word, fits the smallest model that there can be.
    titles = [title for title, pair in zip(_TITLES, PAIRS, strict=True) if fitting(pair, config)]
    translating = what == "translating"
    steps = _translating(config, titles) if translating else _training(config, titles)
    number = choose_step(len(steps), "writing_step" if translating else "training_step")
    _show_step(steps[number - 1], number, config)


def _training(config: ModelConfig, titles: list[str]) -> list[FlowStep]:
    chosen = st.multiselect(
        "The batch", titles, default=[title for title in _FIRST if title in titles], max_selections=MAX_PAIRS,
        key="pairs", bind="query-params",
    )  # fmt: skip
    if not chosen:
        st.caption("A batch has at least one pair; this one is taken.")
        chosen = titles[:1]
    batch = word_batch([PAIRS[_TITLES.index(title)] for title in chosen], config)
    return training_flow(config, batch, parameter_count(config))


def _translating(config: ModelConfig, titles: list[str]) -> list[FlowStep]:
    first = titles.index(_FIRST[0]) if _FIRST[0] in titles else 0
    title = st.selectbox("The sentence", titles, first, key="translated", bind="query-params")
    return translation_flow(config, *said_while_translating(PAIRS[_TITLES.index(title)], config))


def _show_step(step: FlowStep, number: int, config: ModelConfig) -> None:
    said, drawn = st.columns([5, 4], gap="large")
    with said:
        st.markdown(f"#### {number}. {title_of(step)}\n{saying_of(step)}")
        show_rows(step.rows)
        show_tensors([("Comes out", tensor) for tensor in step.makes], step.sizes)
        st.caption("The words are those of the fifteen pairs; the numbers are the chosen model's.")
    with drawn:
        show_svg(parts_svg(parts_info(config, step.active)), "flow")


FLOW = View(
    "Training and translating",
    _show_flow,
    Lesson(
        notice="In training the decoder runs once and answers at all positions, because the right words are known. In "
        "translating it runs once for each word, because each answer is the next question. The encoder runs once "
        "either way.",
        formulas=(
            Formula(
                r"p(y \mid x) = \prod_{t=1}^{T} p(y_t \mid y_{<t},\, x)",
                "What both compute: Vaswani et al. 2017, section 3, auto-regressive",
            ),
            Formula(
                r"L = -\frac{1}{T} \sum_{t=1}^{T} \log p(y_t \mid y_{<t},\, x)",
                "What training makes small: the cross-entropy",
            ),
        ),
        code=(training_flow, translation_flow),
        question="A sentence of 4 words is translated into 5. How often does the decoder run, and how often in training?",
        answer="Six times: once for each word and once for the end sign. In training once, for all six at the same "
        "time.",
    ),
)
