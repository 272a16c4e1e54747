from __future__ import annotations

from core.classroom.jobs import Status
from core.classroom.translation_job import TranslationJob, TranslationProgress
from pages.components.widgets.live_job import JobText, show_continue, show_live_job, show_stop

_TEXT = JobText[TranslationProgress](
    noun="translation",
    progress=lambda view: f"{view.done:,} of {view.total:,} sentences",
)


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
