from __future__ import annotations

from core.classroom.evaluation_job import EvaluationJob
from core.classroom.jobs import Progress
from pages.components.widgets.live_job import JobText, show_live_job

_TEXT = JobText[Progress](
    noun="evaluation",
    progress=lambda view: f"{view.done:,} of {view.total:,} pairs",
)


def show_live_evaluation(job: EvaluationJob) -> None:
    """How far an evaluation is."""
    show_live_job(job, _TEXT)
