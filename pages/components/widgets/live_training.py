from __future__ import annotations

from collections.abc import Callable

from core.classroom.duration import duration
from core.classroom.training_job import JobView, TrainingJob
from pages.components.widgets.live_job import LiveText, Progress, show_live_job


def show_live_training(job: TrainingJob, draw: Callable[[JobView], None] | None = None) -> None:
    """How far a training is.

    Args:
        job: waiting, running or at rest.
        draw: what else there is to see of it.
    """
    show_live_job(job, _TEXT, draw)


def _progress(view: JobView) -> Progress:
    epoch = view.reports[-1].epoch if view.reports else 0
    text = f"Epoch {epoch:,} of {view.epochs:,}"
    if view.reports:
        text += f" · loss {view.reports[-1].loss:.3f}"
    if not view.active:
        text += f" · {duration(view.seconds)}"
    return Progress(view.steps_done, view.total_steps, text)


_TEXT = LiveText[JobView](
    noun="training",
    progress=_progress,
    preparing=lambda view: (
        view.doing or "Preparing: loading TensorFlow and compiling the training step. A few seconds, once."
    ),
)
