"""A training that goes on in the background: starting that of the classroom model, and how far one is."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.classroom.jobs import JobView, duration
from core.classroom.training_job import TrainingJob, TrainingPlan, TrainingProgress
from core.classroom.workspace import Workspace, why_no_training
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.training.recipe import prepare_word_training
from pages.components.app.models import preload_tensorflow
from pages.components.app.queues import training_queue
from pages.components.widgets.live_job import JobText, show_live_job, try_to_start

CLASSROOM_NAME = "Classroom French–English"


def training_is_off() -> bool:
    """Whether this server trains no models; says so on the page then."""
    reason = why_no_training()
    if reason:
        st.caption(f":material/block: {reason}")
    return bool(reason)


def start_classroom_training(workspace: Workspace) -> None:
    """Train the classroom preset on the fifteen pairs."""
    preload_tensorflow()
    prepared = prepare_word_training(PAIRS, CLASSROOM.model, CLASSROOM.training)
    plan = TrainingPlan(CLASSROOM_NAME, prepared)
    try_to_start(lambda: workspace.start_training(plan, training_queue()))


def show_live_training(job: TrainingJob, draw: Callable[[TrainingProgress], None] | None = None) -> None:
    """How far a training is.

    Args:
        job: waiting, running or at rest.
        draw: what else there is to see of it.
    """
    show_live_job(job, JobText(noun="training", progress=_progress_text), draw)


def _progress_text(view: JobView[TrainingProgress]) -> str:
    reports = view.progress.reports
    text = f"Epoch {reports[-1].epoch if reports else 0:,} of {view.progress.num_epochs:,}"
    if reports:
        text += f" · loss {reports[-1].loss:.3f}"
    return text if view.active else f"{text} · {duration(view.seconds)}"
