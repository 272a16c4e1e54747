"""An evaluation as it runs: drawn again and again until it rests."""

from __future__ import annotations

import streamlit as st

from core.classroom.duration import duration
from core.classroom.evaluation_job import EvaluationJob, EvaluationView
from core.classroom.job import Status
from pages.components.widgets.words import plain

_SECONDS_BETWEEN = 1.0
_DRAWN = "_drawn_evaluation"


def show_live_evaluation(job: EvaluationJob) -> None:
    """Draw how far an evaluation is; when it comes to rest, the whole page runs again."""
    st.fragment(_draw, run_every=_SECONDS_BETWEEN if job.active else None)(job)


def _draw(job: EvaluationJob) -> None:
    view = job.view()
    if view.status is Status.FAILED:
        st.error(plain(view.message), icon=":material/error:")
    else:
        st.progress(view.done / view.total if view.total else 0.0, text=_progress_text(job, view))
    # The script that drew this fragment saw an active job; let it see the rest once.
    if not view.active and st.session_state.get(_DRAWN) is job:
        st.session_state[_DRAWN] = None
        st.rerun()
    if view.active:
        st.session_state[_DRAWN] = job


def _progress_text(job: EvaluationJob, view: EvaluationView) -> str:
    pairs = f"{view.done:,} of {view.total:,} pairs"
    if view.active and job.stopping:
        return f"Stopping after the sentences under way. {pairs} are done."
    match view.status:
        case Status.WAITING if view.place:
            others = "one evaluation" if view.place == 1 else f"{view.place} evaluations"
            return f"Waiting for {others} of other people to end. Yours starts by itself."
        case Status.WAITING | Status.STARTING:
            return "Preparing: loading TensorFlow and reading the pairs. Some seconds."
        case Status.RUNNING if view.seconds_left is None:
            return f"{pairs} · compiling the search for the first sentences"
        case Status.RUNNING:
            return f"{pairs} · about {duration(view.seconds_left or 0)} left"
        case Status.STOPPED:
            kept = "The figures below are of these." if view.done else "Nothing was translated yet."
            return f"Stopped after {pairs}. {kept}"
        case _:
            return f"Done: {pairs}."
