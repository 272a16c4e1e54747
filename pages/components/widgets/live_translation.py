from __future__ import annotations

from core.classroom.job import Status
from core.classroom.translation_job import TranslationJob, TranslationView
from pages.components.widgets.live_job import LiveText, Progress, show_continue, show_live_job, show_stop


def show_live_translation(job: TranslationJob, key: str = "text") -> None:
    """How far a translation is, with Stop; where it was stopped, with Continue.

    Args:
        job: to show.
        key: of its buttons.
    """
    if job.active:
        show_stop(job, key, help="What is translated by then is kept.")
    elif job.view().status is Status.STOPPED:
        show_continue(job, key)
    show_live_job(job, _TEXT)


def _progress(view: TranslationView) -> Progress:
    return Progress(view.done, view.total, f"{view.done:,} of {view.total:,} sentences")


_TEXT = LiveText[TranslationView](
    noun="translation",
    progress=_progress,
    preparing=lambda view: "Preparing: loading TensorFlow, the first time.",
    compiling="compiling the search, the first time",
)
