"""A running job on a page: its progress, redrawn until the job ends, and its buttons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.classroom.jobs import AnyProgress, Job, JobQueue, JobView, QueueFullError, Status, duration
from core.classroom.memory import MemoryFullError
from core.classroom.settings import server_settings
from core.classroom.translation_job import TranslationJob
from core.classroom.workspace import TrainingOffError
from core.config import ConfigError
from pages.components.content import plain

_MAX_WAITING = 60  # jobs in a queue
_SECONDS_WAITING = 2.0  # between two redraws in the queue: thirty people may wait at once
_SECONDS_RUNNING = 0.7


@st.cache_resource(show_spinner=False)
def training_queue() -> JobQueue:
    """Return the server's queue of training runs."""
    return JobQueue(server_settings().max_trainings, _MAX_WAITING)


@st.cache_resource(show_spinner=False)
def evaluation_queue() -> JobQueue:
    """Return the server's queue of evaluations: one at a time, since each keeps all cores busy."""
    return JobQueue(1, _MAX_WAITING, doing="evaluating")


@st.cache_resource(show_spinner=False)
def translation_queue() -> JobQueue:
    """Return the server's queue of translations, in which nobody waits: their batches take turns.

    A visitor has two at most, of a text and of many lines.
    """
    return JobQueue(2 * server_settings().max_workspaces, 0, doing="translating")


def try_to_start(start: Callable[[], object]) -> None:
    """Start a job from a button's callback; a toast says why it cannot start (queue or memory full)."""
    try:
        start()
    except (QueueFullError, MemoryFullError) as error:
        st.toast(str(error), icon=":material/group:")
    except (ConfigError, TrainingOffError) as error:
        st.toast(plain(str(error)), icon=":material/error:")


def show_stop(job: Job[Any, Any], key: str, help: str | None = None) -> None:
    """Show the button that stops a job."""
    st.button(
        "Stop",
        type="primary",
        icon=":material/stop:",
        on_click=job.stop,
        disabled=job.stopping,
        key=f"stop_{key}",
        help=help,
    )


def show_continue(job: Job[Any, Any], key: str) -> None:
    """Show the button that continues a stopped job."""
    st.button(
        "Continue",
        type="primary",
        icon=":material/resume:",
        on_click=try_to_start,
        args=(job.start,),
        key=f"continue_{key}",
        help="Continue exactly where it stopped.",
    )


def show_live_job(
    job: Job[Any, AnyProgress],
    noun: str,
    describe_progress: Callable[[JobView[AnyProgress]], str],
    draw: Callable[[AnyProgress], None] | None = None,
) -> None:
    """Show a job's progress; when the job ends, the whole page reruns.

    Args:
        job: A job that waits, runs or has ended.
        noun: What it is, like "training".
        describe_progress: Returns its progress in words, like "3 of 8 sentences".
        draw: Draws more of its progress.
    """
    waited = job.view().place > 0
    seconds = _SECONDS_WAITING if waited else _SECONDS_RUNNING

    @st.fragment(run_every=seconds if job.active else None)
    def show() -> None:
        view = job.view()
        state = "" if view.status is Status.FAILED else _state(job, view, noun, describe_progress(view))
        if view.active:
            st.progress(min(1.0, view.progress.done / max(1, view.progress.total)), state)
        else:
            st.empty()  # keeps the place, so that what follows stays in its own
        if view.message:
            show_message = st.error if view.status is Status.FAILED else st.info
            show_message(plain(view.message), icon=":material/info:")
        if draw is not None:
            draw(view.progress)
        if state and not view.active:
            st.caption(state)
        # The script that drew this fragment saw an active or waiting job; rerun it once for the change.
        key = f"drawn_{noun}"
        if not view.active and st.session_state.get(key) is job:
            st.session_state[key] = None
            st.rerun()
        if waited and view.active and not view.place:
            st.rerun()
        if view.active:
            st.session_state[key] = job

    show()


def _state(job: Job[Any, AnyProgress], view: JobView[AnyProgress], noun: str, progress: str) -> str:
    if view.active and job.stopping:
        return "Stopping after the current step."
    match view.status:
        case Status.WAITING if view.place:
            ahead = f"One {noun} is" if view.place == 1 else f"{view.place} {noun}s are"
            wait = "" if view.seconds_to_wait is None else f" (about {duration(view.seconds_to_wait)})"
            return f"{ahead} ahead of yours{wait}. Yours will start automatically."
        case Status.NEW | Status.WAITING | Status.STARTING:
            return view.preparing or "Preparing."
        case Status.RUNNING if view.seconds_left is not None:
            return f"{progress} · about {duration(view.seconds_left)} left"
        case Status.RUNNING:
            return progress
        case Status.STOPPED:
            return f"Stopped. {progress}"
        case _:
            return f"Done. {progress}"


def show_live_translation(job: TranslationJob, key: str = "text") -> None:
    """Show a translation's progress, with Stop while it runs and Continue once it was stopped.

    Args:
        job: The translation.
        key: Ends the keys of its buttons.
    """
    if job.active:
        show_stop(job, key, help="Keeps what has been translated so far.")
    elif job.view().status is Status.STOPPED:
        show_continue(job, key)
    show_live_job(
        job, "translation", lambda view: f"{view.progress.done:,} of {view.progress.total:,} sentences"
    )
