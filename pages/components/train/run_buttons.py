from __future__ import annotations

from functools import partial

import streamlit as st

from core.classroom.jobs import Status
from core.classroom.settings import server_settings
from core.classroom.training_job import TrainingJob
from core.classroom.workspace import Workspace
from pages.components.train.run_plan import RunPlan
from pages.components.widgets.live_job import show_continue, show_stop, try_to_start
from pages.components.widgets.model.training import training_is_off

_EPOCHS_MORE = 100  # that a finished training goes on for


def show_run_buttons(workspace: Workspace, plan: RunPlan | None) -> None:
    """Start, Stop and Continue; each is there when it can do something.

    Args:
        workspace: whose training it is.
        plan: what Start would start; None where the settings cannot be trained with.
    """
    if training_is_off():
        return
    job = workspace.job
    view = job.view() if job else None
    with st.container(horizontal=True):
        if job is not None and view is not None and view.active:
            show_stop(job, "training")
            return
        st.button(
            "Start" if job is None else "Retrain from scratch",
            type="primary" if view is None or view.status is Status.FINISHED else "secondary",
            icon=":material/play_arrow:",
            disabled=plan is None,
            on_click=try_to_start,
            args=(lambda: plan.start(workspace) if plan else None,),
            help="Random weights from the seed, with the settings above.",
        )
        if job is not None:
            _show_continue(job)


def _show_continue(job: TrainingJob) -> None:
    view = job.view()
    if view.status is Status.STOPPED:
        show_continue(job, "training")
    elif view.status is Status.FINISHED:
        more = min(_EPOCHS_MORE, server_settings().max_epochs - view.progress.reports[-1].epoch)
        st.button(
            f"Continue for {more} epochs" if more > 0 else "Continue",
            icon=":material/resume:",
            disabled=more < 1,
            on_click=try_to_start,
            args=(partial(_train_longer, job, more),),
        )


def _train_longer(job: TrainingJob, epochs: int) -> None:
    if not job.active:  # pressed twice
        job.work.train_longer(epochs)
        job.start()
