"""A running job on a page: its progress, redrawn until the job ends, and its buttons."""

from collections.abc import Callable
from typing import Any, Literal

import streamlit as st

from core.durations import duration
from core.errors import InputError, RefusedError
from core.language import _, ngettext, number
from core.server.jobs import AnyProgress, Job, JobState, Status
from core.server.translation_job import TranslationJob, TranslationProgress
from pages.components.widgets.telling import tell
from pages.content.markdown import plain

Kind = Literal["training", "translation", "evaluation"]  # of a job

_SECONDS_WAITING = 2.0  # between two redraws in the queue: thirty people may wait at once
_SECONDS_RUNNING = 0.7


def try_to_start(start: Callable[..., object], *arguments: object) -> None:
    """Start a job by `start(*arguments)`; a toast says why it cannot start (queue or memory full)."""
    try:
        start(*arguments)
    except (RefusedError, InputError) as error:
        tell(error)


def show_stop(job: Job[Any, Any], key: str, help: str | None = None) -> None:
    """Show the button that stops a job."""
    st.button(
        _("Stop"),
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
        _("Continue"),
        type="primary",
        icon=":material/resume:",
        on_click=try_to_start,
        args=(job.start,),
        key=f"continue_{key}",
        help=_("Continue exactly where it stopped."),
    )


def show_live_job(
    job: Job[Any, AnyProgress],
    page_state: JobState[AnyProgress],
    kind: Kind,
    describe_progress: Callable[[JobState[AnyProgress]], str],
    draw: Callable[[JobState[AnyProgress]], None] | None = None,
) -> None:
    """Show a job's progress; when the job ends or leaves the queue, the whole page reruns.

    Args:
        job: a job that waits, runs or has ended.
        page_state: its state when this run of the page began to show it, also elsewhere, as in its buttons.
        kind: what it is.
        describe_progress: returns its progress in words, like "3 of 8 sentences".
        draw: draws more of its state.
    """
    seconds = _SECONDS_WAITING if page_state.place else _SECONDS_RUNNING

    @st.fragment(run_every=seconds if page_state.active else None)
    def show() -> None:
        state = job.state()
        text = "" if state.status is Status.FAILED else _describe(job, state, kind, describe_progress(state))
        if state.active:
            st.progress(min(1.0, state.progress.done / max(1, state.progress.total)), text)
        else:
            st.empty()  # keeps the place, so that what follows stays in its own
        if state.message:
            show_message = st.error if state.status is Status.FAILED else st.info
            show_message(plain(state.message), icon=":material/info:")
        if draw is not None:
            draw(state)
        if text and not state.active:
            st.caption(text)
        has_ended = page_state.active and not state.active
        has_left_queue = page_state.place > 0 and state.place == 0
        if has_ended or has_left_queue:
            st.rerun()

    show()


def _queue(kind: Kind, count: int) -> str:
    """Return how many jobs are ahead of the visitor's own."""
    match kind:
        case "training":
            ahead = ngettext("One training is ahead of yours", "{count} trainings are ahead of yours", count)
        case "translation":
            ahead = ngettext(
                "One translation is ahead of yours", "{count} translations are ahead of yours", count
            )
        case "evaluation":
            ahead = ngettext(
                "One evaluation is ahead of yours", "{count} evaluations are ahead of yours", count
            )
    return ahead.format(count=count)


def _describe(job: Job[Any, AnyProgress], state: JobState[AnyProgress], kind: Kind, progress: str) -> str:
    if state.active and job.stopping:
        return _("Stopping after the current step.")
    match state.status:
        case Status.WAITING if state.place:
            ahead = _queue(kind, state.place)
            if state.seconds_to_wait is None:
                return _("{ahead}. Yours will start automatically.").format(ahead=ahead)
            return _("{ahead} (about {time}). Yours will start automatically.").format(
                ahead=ahead, time=duration(state.seconds_to_wait)
            )
        case Status.NEW | Status.WAITING | Status.STARTING:
            return state.preparing or _("Preparing.")
        case Status.RUNNING if state.seconds_left is not None:
            left = _("about {time} left").format(time=duration(state.seconds_left))
            return f"{progress} · {left}"
        case Status.RUNNING:
            return progress
        case Status.STOPPED:
            return _("Stopped. {progress}").format(progress=progress)
        case _:
            return _("Done. {progress}").format(progress=progress)


def show_live_translation(
    job: TranslationJob, page_state: JobState[TranslationProgress], key: str = "text"
) -> None:
    """Show a translation's progress, with Stop while it runs and Continue once it was stopped; see `show_live_job`."""
    if page_state.active:
        show_stop(job, key, help=_("Keeps what has been translated so far."))
    elif page_state.status is Status.STOPPED:
        show_continue(job, key)
    show_live_job(
        job,
        page_state,
        "translation",
        lambda state: _("{done} of {total} sentences").format(
            done=number(state.progress.done, ","), total=number(state.progress.total, ",")
        ),
    )
