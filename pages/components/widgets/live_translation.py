"""A translation as it runs: drawn again and again until it rests."""

from __future__ import annotations

import streamlit as st

from core.classroom.duration import duration
from core.classroom.job import Status
from core.classroom.queue import QueueFullError
from core.classroom.translation_job import TranslationJob, TranslationView
from pages.components.widgets.words import plain

_SECONDS_BETWEEN = 0.5
_DRAWN = "_drawn_translation"


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
            on_click=_go_on,
            args=(job,),
            key=f"continue_{key}",
            help="Go on where it stopped.",
        )
    st.fragment(_draw, run_every=_SECONDS_BETWEEN if job.active else None)(job)


def _go_on(job: TranslationJob) -> None:
    try:
        job.start()
    except QueueFullError as error:
        st.toast(str(error), icon=":material/group:")


def _draw(job: TranslationJob) -> None:
    view = job.view()
    if view.status is not Status.FAILED:
        st.progress(view.done / view.total if view.total else 0.0, text=_progress_text(job, view))
    # The script that drew this fragment saw an active job; let it see the rest once.
    if not view.active and st.session_state.get(_DRAWN) is job:
        st.session_state[_DRAWN] = None
        st.rerun()
    if view.active:
        st.session_state[_DRAWN] = job


def _progress_text(job: TranslationJob, view: TranslationView) -> str:
    sentences = f"Sentence {view.done:,} of {view.total:,}"
    if view.active and job.stopping:
        return "Stopping after the sentences under way."
    match view.status:
        case Status.WAITING if view.place:
            others = "one translation" if view.place == 1 else f"{view.place} translations"
            return f"Waiting for {others} of other people. Yours starts by itself."
        case Status.WAITING | Status.STARTING:
            return "Preparing: loading TensorFlow, the first time."
        case Status.RUNNING if view.seconds_left is None:
            return f"{sentences} · compiling the search, the first time"
        case Status.RUNNING:
            return f"{sentences} · about {duration(view.seconds_left or 0)} left"
        case Status.STOPPED:
            why = plain(view.message) or "Stopped."
            return f"{why} {view.done:,} of {view.total:,} sentences are translated."
        case _:
            return f"Done: {view.total:,} sentences."
