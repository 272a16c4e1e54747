from __future__ import annotations

from core.classroom.evaluation_job import EvaluationJob, EvaluationView
from pages.components.widgets.live_job import LiveText, Progress, show_live_job


def show_live_evaluation(job: EvaluationJob) -> None:
    """How far an evaluation is."""
    show_live_job(job, _TEXT)


def _progress(view: EvaluationView) -> Progress:
    return Progress(view.done, view.total, f"{view.done:,} of {view.total:,} pairs")


_TEXT = LiveText[EvaluationView](
    noun="evaluation",
    progress=_progress,
    preparing=lambda view: "Preparing: loading TensorFlow and reading the pairs. Some seconds.",
    compiling="compiling the search for the first sentences",
)
