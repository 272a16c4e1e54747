"""What is computed when: in one training step, and while a sentence is translated."""

from __future__ import annotations

import streamlit as st

from core.config import ModelConfig
from core.corpora.toy import PAIRS
from core.figures.architecture import architecture_svg
from core.weights import parameter_count
from pages.components.architecture.flows import FlowStep, training_flow, translation_flow
from pages.components.architecture.models import choose_config
from pages.components.architecture.step_texts import text_of, title_of
from pages.components.architecture.tensor_table import show_tensors
from pages.components.architecture.word_batch import fitting, perfect_translation, word_batch
from pages.components.architecture.word_rows import show_rows
from pages.components.lesson.stepper import choose_step
from pages.components.lesson.view import View
from pages.components.widgets import remembered
from pages.components.widgets.drawing.svg import show_svg

MAX_PAIRS = 4
_FIRST = (7, 0)  # a long pair and a short one, so that there is padding
_WHAT = {"training": "Training: one step", "translating": "Decoding: one sentence"}


def _show_flow() -> None:
    config = choose_config()
    if config is None:
        return
    text, picture = st.columns([5, 4], gap="large")
    with text:
        steps, number = _choose_step(config)
        step = steps[number - 1]
        _show_step(step, number)
    with picture:
        show_svg(architecture_svg(config, active=step.active), "flow")


def _choose_step(config: ModelConfig) -> tuple[list[FlowStep], int]:
    """What is watched: its steps, and which of them, from 1."""
    translating = remembered.choose("Watch", _WHAT, "what") == "translating"
    # At least "bonjour", one word that becomes one word, fits the smallest model that there can be.
    titles = {
        number: f"{pair.source} → {pair.target}" for number, pair in enumerate(PAIRS) if fitting(pair, config)
    }
    steps = _translating(config, titles) if translating else _training(config, titles)
    return steps, choose_step(len(steps), "writing_step" if translating else "training_step")


def _training(config: ModelConfig, titles: dict[int, str]) -> list[FlowStep]:
    first = [number for number in _FIRST if number in titles]
    chosen = remembered.choose_several("The batch", titles, "pairs", first, MAX_PAIRS)
    if not chosen:
        st.caption("A batch has at least one pair; this one is used.")
        chosen = list(titles)[:1]
    batch = word_batch([PAIRS[number] for number in chosen], config)
    return training_flow(config, batch, parameter_count(config))


def _translating(config: ModelConfig, titles: dict[int, str]) -> list[FlowStep]:
    number = remembered.choose("The sentence", titles, "translated", default=_FIRST[0], look="menu")
    return translation_flow(config, *perfect_translation(PAIRS[number], config))


def _show_step(step: FlowStep, number: int) -> None:
    st.markdown(f"#### {number}. {title_of(step)}\n{text_of(step)}")
    show_rows(step.rows)
    show_tensors([("Output", tensor) for tensor in step.makes], step.sizes)
    st.caption("The words are those of the fifteen pairs; the numbers are the chosen model's.")


FLOW = View(_show_flow, (training_flow, translation_flow))
