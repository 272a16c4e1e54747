"""An evaluation as it runs: drawn again and again until it rests."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.classroom.duration import duration
from core.classroom.evaluation_job import EvaluationJob
from core.classroom.job import JobView, Progress, Status
from pages.components.widgets.live_job import show_live_job, waiting_text
from pages.components.widgets.words import plain

_SECONDS_BETWEEN = 1.0


def show_live_evaluation(job: EvaluationJob) -> None:
    """Draw how far an evaluation is; when it comes to rest, the whole page runs again."""
    show_live_job(job, partial(_draw, job), _SECONDS_BETWEEN)


def _draw(job: EvaluationJob, view: JobView[Progress]) -> None:
    if view.status is Status.FAILED:
        st.error(plain(view.message), icon=":material/error:")
    else:
        st.progress(view.done / view.total if view.total else 0.0, text=_progress_text(job, view))


def _progress_text(job: EvaluationJob, view: JobView[Progress]) -> str:
    pairs = f"{view.done:,} of {view.total:,} pairs"
    if view.active and job.stopping:
        return f"Stopping after the sentences under way. {pairs} are done."
    match view.status:
        case Status.WAITING | Status.STARTING:
            return waiting_text(view, "evaluation")
        case Status.RUNNING if view.seconds_left is None:
            return f"{pairs} · compiling the search for the first sentences"
        case Status.RUNNING:
            return f"{pairs} · about {duration(view.seconds_left or 0)} left"
        case Status.STOPPED:
            kept = "The figures below are of these." if view.done else "Nothing was translated yet."
            return f"Stopped after {pairs}. {kept}"
        case _:
            return f"Done: {pairs}."
