"""What all jobs have in common on a page: they are started by a button and drawn until they rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.classroom.job import Job, JobView, Status
from core.classroom.queue import QueueFullError

_SECONDS_WAITING = 2.0  # between two drawings while others run: thirty people may wait at once


def try_to_start(start: Callable[[], object]) -> None:
    """Start a job from a button's callback; where too many wait already, people read so."""
    try:
        start()
    except QueueFullError as error:
        st.toast(str(error), icon=":material/group:")


def show_live_job(job: Job[Any, Any], draw: Callable[[JobView[Any]], None], seconds: float) -> None:
    """Draw a job again and again; when it comes to rest, the whole page runs again.

    Args:
        job: waiting, running or at rest.
        draw: draws one moment of it.
        seconds: between two drawings.
    """
    if job.view().place:
        seconds = max(seconds, _SECONDS_WAITING)
    st.fragment(_draw, run_every=seconds if job.active else None)(job, draw)


def waiting_text(view: JobView[Any], kind: str) -> str:
    """What a job says that has not begun yet.

    Args:
        view: of a job that waits or starts.
        kind: of job, in the singular: "training".
    """
    if view.status is Status.WAITING and view.place:
        others = f"one {kind}" if view.place == 1 else f"{view.place} {kind}s"
        return f"Waiting for {others} of other people to end. Yours starts by itself."
    return view.preparing or "Preparing."


def _draw(job: Job[Any, Any], draw: Callable[[JobView[Any]], None]) -> None:
    view = job.view()
    draw(view)
    # The script that drew this fragment saw an active job; let it see the rest once.
    key = f"_drawn_{type(job.work).__name__}"
    if not view.active and st.session_state.get(key) is job:
        st.session_state[key] = None
        st.rerun()
    if view.active:
        st.session_state[key] = job
