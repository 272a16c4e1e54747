"""A job while it runs: how far it is, drawn again and again until it rests, and the buttons that rule it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import streamlit as st

from core.classroom.duration import duration
from core.classroom.job import Status
from core.classroom.queue import QueueFullError
from core.config import ConfigError
from pages.components.widgets.words import plain

_SECONDS_WAITING = 2.0  # between two drawings: thirty people may wait at once
_SECONDS_RUNNING = 0.7
_DRAWN = "drawn_while_active"  # key of st.session_state


class JobView(Protocol):
    """A job at one moment."""

    @property
    def status(self) -> Status: ...

    @property
    def place(self) -> int:
        """Jobs of other people to wait for."""
        ...

    @property
    def seconds_left(self) -> float | None:
        """None while unknown."""
        ...

    @property
    def message(self) -> str:
        """Why it failed or stopped by itself."""
        ...

    @property
    def active(self) -> bool: ...


View = TypeVar("View", bound=JobView)
View_co = TypeVar("View_co", bound=JobView, covariant=True)


class Job(Protocol[View_co]):
    """What trainings, evaluations and translations have in common."""

    @property
    def active(self) -> bool: ...

    @property
    def stopping(self) -> bool: ...

    def view(self) -> View_co: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...


@dataclass(frozen=True)
class Progress:
    """How far a job is."""

    done: int
    total: int  # 0 while unknown
    text: str  # for people: "Sentence 3 of 8"


@dataclass(frozen=True)
class LiveText(Generic[View]):
    """What people read about one kind of job."""

    noun: str  # "training"
    progress: Callable[[View], Progress]
    preparing: Callable[[View], str]  # before its first step
    compiling: str = ""  # what takes its time while nothing is done yet; empty where that is said already


def show_live_job(job: Job[View], text: LiveText[View], draw: Callable[[View], None] | None = None) -> None:
    """Draw how far a job is; when it comes to rest, the whole page runs again.

    Args:
        job: waiting, running or at rest.
        text: what people read.
        draw: what else there is to see of it.
    """
    seconds = _SECONDS_WAITING if job.view().place else _SECONDS_RUNNING
    st.fragment(_draw, run_every=seconds if job.active else None)(job, text, draw)


def show_stop(job: Job[JobView], key: str, help: str | None = None) -> None:
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


def show_continue(job: Job[JobView], key: str) -> None:
    """The button that goes on with a stopped job."""
    st.button(
        "Continue",
        type="primary",
        icon=":material/resume:",
        on_click=start,
        args=(job.start,),
        key=f"continue_{key}",
        help="Go on exactly where it stopped.",
    )


def start(begin: Callable[[], object]) -> None:
    """Start a job, or say why it cannot start now: too many people wait."""
    try:
        begin()
    except (QueueFullError, ConfigError) as error:
        st.toast(str(error), icon=":material/group:")


def _draw(job: Job[View], text: LiveText[View], draw: Callable[[View], None] | None) -> None:
    view = job.view()
    if view.status is not Status.FAILED:
        progress = text.progress(view)
        st.progress(min(1.0, progress.done / max(1, progress.total)), text=_progress_text(job, view, text))
    if view.message:
        show = st.error if view.status is Status.FAILED else st.info
        show(plain(view.message), icon=":material/info:")
    if draw is not None:
        draw(view)
    # The script that drew this fragment saw an active job; let it see the rest once.
    if not view.active and st.session_state.get(_DRAWN) is job:
        st.session_state[_DRAWN] = None
        st.rerun()
    if view.active:
        st.session_state[_DRAWN] = job


def _progress_text(job: Job[View], view: View, text: LiveText[View]) -> str:
    progress = text.progress(view).text
    if view.active and job.stopping:
        return "Stopping after what is under way."
    match view.status:
        case Status.WAITING if view.place:
            others = f"one {text.noun}" if view.place == 1 else f"{view.place} {text.noun}s"
            return f"Waiting for {others} of other people to end. Yours starts by itself."
        case Status.WAITING | Status.STARTING:
            return text.preparing(view)
        case Status.RUNNING if view.seconds_left is not None:
            return f"{progress} · about {duration(view.seconds_left)} left"
        case Status.RUNNING:
            return f"{progress} · {text.compiling}" if text.compiling else progress
        case Status.STOPPED:
            return f"Stopped. {progress}"
        case _:
            return f"Done. {progress}"
