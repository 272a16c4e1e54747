"""Many texts at once: one a line in, a table and a CSV file out."""

from __future__ import annotations

from functools import partial
from statistics import fmean

import pandas as pd
import streamlit as st

from core.classroom.jobs import Status, brief
from core.classroom.models import TrainedModel, file_name
from core.classroom.settings import server_settings
from core.classroom.translation_job import Line, LinesAnswer, TranslationJob, TranslationRequest
from core.classroom.workspace import Workspace
from core.config import DecodingConfig
from core.inference.texts import TextTranslation, is_unsure
from pages.components.app.queues import translation_queue
from pages.components.app.text_limits import TextError, check_work
from pages.components.app.translating import wait_a_little
from pages.components.widgets.drawing.tables import csv_of_table, for_display
from pages.components.widgets.live_job import try_to_start
from pages.components.widgets.live_translation import show_live_translation
from pages.components.widgets.texts import text_area
from pages.components.widgets.words import plain

_SCORE = {False: "log P", True: "log P divided by the length penalty"}  # by whether it is beam search's


def show_many_lines(workspace: Workspace, model: TrainedModel, decoding: DecodingConfig) -> None:
    """A box for the lines, and what became of the last ones."""
    job = workspace.lines_job
    working = job is not None and job.active
    with st.form("batch", border=False):
        text = text_area(
            f"One text in {model.source_language} per line" if model.source_language else "One text per line",
            "\n".join(pair.source for pair in model.checkpoint.examples),
            key="lines",
            height=220,
        )
        pressed = st.form_submit_button(
            "Translate all lines", type="primary", icon=":material/translate:", disabled=working
        )
    if pressed:
        try:
            lines = tuple(lines_of(text, decoding))
            try_to_start(
                partial(_start, workspace, TranslationRequest(model, lines, decoding, skip_wordless=True))
            )
        except TextError as error:
            st.error(plain(str(error)), icon=":material/error:")
    _show_progress(workspace)
    if workspace.lines is not None:
        _show(workspace.lines)


def _show_progress(workspace: Workspace) -> None:
    """How far the lines are; when they rest, what became of them is kept."""
    job = workspace.lines_job
    if job is None:
        return
    wait_a_little(job)
    view = job.view()
    if view.status is not Status.FINISHED:
        show_live_translation(job, key="lines")
    if not view.active:
        workspace.lines = _answer_of(job)


def lines_of(text: str, decoding: DecodingConfig) -> list[str]:
    """The lines that are not blank.

    Raises:
        TextError: there are none, or too many, or too long ones.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise TextError("There are no words to translate. Type one text per line.")
    limits = server_settings()
    if len(lines) > limits.max_lines:
        raise TextError(
            f"At most {limits.max_lines:,} lines are translated at once. Received: {len(lines):,}."
        )
    if len(text) > limits.max_text:
        raise TextError(
            f"At most {limits.max_text:,} characters are translated at once. Received: {len(text):,}."
        )
    check_work(text, decoding)
    return lines


def _start(workspace: Workspace, request: TranslationRequest) -> None:
    workspace.start_lines(request, translation_queue())
    workspace.lines = None


def _answer_of(job: TranslationJob) -> LinesAnswer | None:
    """The lines that are done; None before the first one."""
    view, request = job.view(), job.work.request
    done = [text for text in view.progress.texts if not text.left]
    if not done:
        return None
    lines = tuple(
        _line(source, whole, request.decoding) for source, whole in zip(request.texts, done, strict=False)
    )
    return LinesAnswer(request.model, request.decoding, lines, view.seconds)


def _line(source: str, whole: TextTranslation, decoding: DecodingConfig) -> Line:
    """A line without words stays without a translation: one emoji must not cost the others theirs."""
    if not whole.sentences:
        return Line(source, "", None)
    best = [sentence.best for sentence in whole.sentences]
    return Line(
        source,
        whole.text,
        fmean(each.score for each in best),
        any(is_unsure(each, decoding) for each in best),
    )


def _show(answer: LinesAnswer) -> None:
    count = len(answer.lines)
    st.caption(
        f"{count:,} line{'s' if count > 1 else ''} by **{plain(answer.model.name)}** in {brief(answer.seconds)}. "
        "The score is the model's own: "
        f"{_SCORE[answer.decoding.beam_size > 1]}, mean over a line's sentences. Closer to 0 means more confident."
    )
    st.dataframe(
        for_display(_frame(answer)),
        hide_index=True,
        column_config={"score": st.column_config.NumberColumn(format="%.3f")},
        alt="Each line with its translation and score",
    )
    st.download_button(
        "Download as CSV",
        data=lambda: csv_of_table(_frame(answer)),
        file_name=f"translations-{file_name(answer.model.name)}.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )


def _frame(answer: LinesAnswer) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "source": [line.source for line in answer.lines],
            "translation": [line.translation for line in answer.lines],
            "score": [line.score for line in answer.lines],
            "to check": ["low confidence" if line.is_unsure else "" for line in answer.lines],
        }
    )
