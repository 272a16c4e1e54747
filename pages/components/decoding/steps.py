"""A translation step by step: what each could have written, where it looked, and another word to say instead."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.classroom.translation_job import Answer
from core.figures.decoding import next_tokens_figure, step_attention_figure
from core.records import DecodingStep, Hypothesis
from pages.components.decoding.beginning import Beginning
from pages.components.decoding.said import STEP, ask_beginning, offer_tokens, rerun_if_said, show_undo_said
from pages.components.decoding.written import most_tokens, steps_of
from pages.components.lesson.stepper import show_steps
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.words import plain


def show_writing(answer: Answer, hypothesis: Hypothesis, beginning: Beginning) -> None:
    """Controls over the steps of one translation, and the step."""
    steps = steps_of(answer, hypothesis.ids)
    show_steps(len(steps), STEP, partial(_show_step, answer, hypothesis, beginning, steps))


def _show_step(
    answer: Answer,
    hypothesis: Hypothesis,
    beginning: Beginning,
    steps: tuple[DecodingStep, ...],
    number: int,
) -> None:
    rerun_if_said()
    step, position = steps[number - 1], number - 1
    forced = position in beginning.forced
    text, undo = st.columns([7, 1], vertical_alignment="center")
    said = f"With your tokens → **{plain(hypothesis.text)}**  \n" if beginning.ids else ""
    text.markdown(said + text_so_far(steps, position, beginning))
    with undo:
        show_undo_said(beginning)
    others = {token.id: token.token for token in step.likeliest if token.id != step.chosen.id}
    tokens, box = st.columns([3, 2], vertical_alignment="bottom")
    # Next to the translation that they change: from below the figures it would be out of sight.
    with tokens:
        offer_tokens(others, position, hypothesis.ids, beginning)
    with box:
        ask_beginning(answer.model.checkpoint.target_tokenizer, most_tokens(answer))
    bars, attention = st.columns(2)
    tokens_figure = next_tokens_figure(step, forced)
    with bars:
        show_figure(
            tokens_figure,
            alt=f"The likeliest tokens of step {number}, of which “{step.chosen.token}” was written",
            key="next_tokens",
        )
    with attention:
        height = tokens_figure["layout"]["height"]
        show_figure(
            step_attention_figure(steps, position, answer.sentence.source_tokens, height),
            alt=f"Cross-attention of step {number}: how much each layer attends to each source token",
            key="step_attention",
        )
    st.caption(_words_about(step, forced))


def text_so_far(steps: tuple[DecodingStep, ...], position: int, beginning: Beginning) -> str:
    """The tokens written, the one of the step in bold, those to come in grey; a pen marks the forced ones."""
    return " ".join(
        _chip(step.chosen.token, number - position, number in beginning.forced)
        for number, step in enumerate(steps)
    )


def _chip(token: str, distance: int, forced: bool) -> str:
    said = f"✎ {plain(token)}" if forced else plain(token)
    if distance > 0:
        return f":gray[{said}]"
    color = "orange" if forced else "blue" if distance == 0 else "gray"
    return f":{color}-badge[{f'**{said}**' if distance == 0 else said}]"


def _words_about(step: DecodingStep, forced: bool) -> str:
    who = "You chose it" if forced else "The search chose it"
    rank = "the likeliest token" if step.chosen.rank == 1 else f"number {step.chosen.rank:,} of all tokens"
    return (
        f"{who}: **{plain(step.chosen.token)}**, {rank}, log P = {step.chosen.log_probability:z.3f} nats. The "
        "bars: probability of the next token, given the source and all tokens before. The heatmap: cross-attention of "
        "this step, the mean over each layer's heads. It shows what the step attended to, not why it chose the token."
    )
