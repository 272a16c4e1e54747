"""What an evaluation found: each figure with what it means."""

from __future__ import annotations

import streamlit as st

from core.classroom.evaluation_job import EvaluationResult
from core.classroom.jobs import duration
from pages.components.evaluate.measures import measures_of
from pages.components.evaluate.table import show_sentences
from pages.components.widgets.words import plain


def show_result(result: EvaluationResult) -> None:
    """The figures and the sentences of one evaluation."""
    st.subheader(plain(result.plan.title), divider="blue")
    st.caption(_about(result))
    if result.plan.note:
        st.info(result.plan.note, icon=":material/info:")
    measures = measures_of(result.figures)
    widths = [1.4 if measure.margin else 1.0 for measure in measures]
    for column, measure in zip(st.columns(widths), measures, strict=True):
        with column.container(border=True, height="stretch"):
            st.metric(measure.name, measure.text)
            st.caption(measure.meaning)
    show_sentences(result)


def _about(result: EvaluationResult) -> str:
    figures = result.figures
    stopped = f" (of {result.total:,}: it was stopped)" if figures.pairs < result.total else ""
    left_out = (
        f" · {figures.left_out:,} left out: empty or too long for the model" if figures.left_out else ""
    )
    return (
        f"{plain(result.plan.data)} · **{figures.pairs:,}** pairs evaluated{stopped}{left_out} · "
        f"{duration(figures.seconds)}"
    )
