"""A job while it runs: how far it is, drawn again and again until it rests, and the buttons that rule it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

import streamlit as st

from core.classroom.jobs import AnyProgress, Job, JobView, QueueFullError, Status, duration
from core.classroom.memory import MemoryFullError
from core.classroom.workspace import TrainingOffError
from core.config import ConfigError
from pages.components.widgets.words import plain

_SECONDS_WAITING = 2.0  # between two drawings while others run: thirty people may wait at once
_SECONDS_RUNNING = 0.7


@dataclass(frozen=True)
class JobText(Generic[AnyProgress]):
    """What people read about one kind of job."""

    noun: str  # "training"
    progress: Callable[[JobView[AnyProgress]], str]  # "3 of 8 sentences"


def try_to_start(start: Callable[[], object]) -> None:
    """Start a job from a button's callback; people read why it cannot start, as where too many wait or memory is full."""
    try:
        start()
    except (QueueFullError, MemoryFullError) as error:
        st.toast(str(error), icon=":material/group:")
    except (ConfigError, TrainingOffError) as error:
        st.toast(plain(str(error)), icon=":material/error:")


def show_live_job(
    job: Job[Any, AnyProgress],
    text: JobText[AnyProgress],
    draw: Callable[[AnyProgress], None] | None = None,
) -> None:
    """Draw how far a job is; when it comes to rest, the whole page runs again.

    Args:
        job: waiting, running or at rest.
        text: what people read.
        draw: what else there is to see of it.
    """
    waits = job.view().place > 0
    seconds = _SECONDS_WAITING if waits else _SECONDS_RUNNING
    st.fragment(_draw, run_every=seconds if job.active else None)(job, text, draw, waits)


def show_stop(job: Job[Any, Any], key: str, help: str | None = None) -> None:
    """The button that stops a job."""
    st.button(
        "Stop",
        type="primary",
        icon=":material/stop:",
        on_click=job.stop,
        disabled=job.stopping,
        key=f"stop_{key}",
        help=help,
    )


def show_continue(job: Job[Any, Any], key: str, help: str = "Continue exactly where it stopped.") -> None:
    """The button that goes on with a stopped job."""
    st.button(
        "Continue",
        type="primary",
        icon=":material/resume:",
        on_click=try_to_start,
        args=(job.start,),
        key=f"continue_{key}",
        help=help,
    )


def _draw(
    job: Job[Any, AnyProgress],
    text: JobText[AnyProgress],
    draw: Callable[[AnyProgress], None] | None,
    waited: bool,
) -> None:
    view = job.view()
    if view.status is not Status.FAILED:
        st.progress(min(1.0, view.done / max(1, view.total)), text=_progress_text(job, view, text))
    if view.message:
        show = st.error if view.status is Status.FAILED else st.info
        show(plain(view.message), icon=":material/info:")
    if draw is not None:
        draw(view.progress)
    # The script that drew this fragment saw an active job, or one that waits; let it see the change once.
    key = f"drawn_{text.noun}"
    if not view.active and st.session_state.get(key) is job:
        st.session_state[key] = None
        st.rerun()
    if waited and view.active and not view.place:
        st.rerun()
    if view.active:
        st.session_state[key] = job


def _progress_text(job: Job[Any, AnyProgress], view: JobView[AnyProgress], text: JobText[AnyProgress]) -> str:
    if view.active and job.stopping:
        return "Stopping after the current step."
    progress = text.progress(view)
    match view.status:
        case Status.WAITING if view.place:
            others = f"one {text.noun}" if view.place == 1 else f"{view.place} {text.noun}s"
            wait = "" if view.seconds_to_wait is None else f", about {duration(view.seconds_to_wait)}"
            return f"Waiting for {others} of other people to finish{wait}. Yours starts by itself."
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
