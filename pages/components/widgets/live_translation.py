"""A translation as it runs: drawn again and again until it rests."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.classroom.duration import duration
from core.classroom.job import JobView, Status
from core.classroom.translation_job import TranslationJob, TranslationProgress
from pages.components.widgets.live_job import show_live_job, try_to_start, waiting_text
from pages.components.widgets.words import plain

_SECONDS_BETWEEN = 0.5


def show_live_translation(job: TranslationJob, key: str = "text") -> None:
    """How far a translation is, with Stop; of one that was stopped, how far it came, with Continue.

    Args:
        job: to show.
        key: of its buttons.
    """
    if job.active:
        st.button(
            "Stop",
            icon=":material/stop:",
            on_click=job.stop,
            disabled=job.stopping,
            key=f"stop_{key}",
            help="What is translated by then is kept.",
        )
    elif job.view().status is Status.STOPPED:
        st.button(
            "Continue",
            type="primary",
            icon=":material/resume:",
            on_click=try_to_start,
            args=(job.start,),
            key=f"continue_{key}",
            help="Go on where it stopped.",
        )
    show_live_job(job, partial(_draw, job), _SECONDS_BETWEEN)


def _draw(job: TranslationJob, view: JobView[TranslationProgress]) -> None:
    if view.status is not Status.FAILED:
        st.progress(view.done / view.total if view.total else 0.0, text=_progress_text(job, view))


def _progress_text(job: TranslationJob, view: JobView[TranslationProgress]) -> str:
    sentences = f"Sentence {view.done:,} of {view.total:,}"
    if view.active and job.stopping:
        return "Stopping after the sentences under way."
    match view.status:
        case Status.WAITING | Status.STARTING:
            return waiting_text(view, "translation")
        case Status.RUNNING if view.seconds_left is None:
            return f"{sentences} · compiling the search, the first time"
        case Status.RUNNING:
            return f"{sentences} · about {duration(view.seconds_left or 0)} left"
        case Status.STOPPED:
            why = plain(view.message) or "Stopped."
            return f"{why} {view.done:,} of {view.total:,} sentences are translated."
        case _:
            return f"Done: {view.total:,} sentences."
