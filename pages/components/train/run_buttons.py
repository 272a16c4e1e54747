from __future__ import annotations

from functools import partial

import streamlit as st

from core.classroom.job import Status
from core.classroom.limits import MAX_EPOCHS
from core.classroom.training_job import JobView, TrainingJob
from core.classroom.workspace import Workspace
from pages.components.train.run_plan import Plan
from pages.components.widgets.live_job import show_continue, show_stop, start


def show_run_buttons(workspace: Workspace, plan: Plan | None) -> None:
    """Start, Stop, Continue and Reset; each is there when it can do something.

    Args:
        workspace: whose training it is.
        plan: what Start would start; None where the settings cannot be trained with.
    """
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
            on_click=_start,
            args=(workspace, plan),
            help="Random weights from the seed, with the settings above.",
        )
        if job is None or view is None:
            return
        if view.resumable:
            _show_continue(job, view)
        st.button(
            "Reset",
            icon=":material/restart_alt:",
            on_click=workspace.reset,
            help="Forget this training and its model. Pairs and settings stay.",
        )


def _show_continue(job: TrainingJob, view: JobView) -> None:
    if view.status is Status.STOPPED:
        show_continue(job, "training")
    elif view.status is Status.FINISHED:
        more = min(job.epochs_more, MAX_EPOCHS - view.reports[-1].epoch)
        st.button(
            f"Continue for {more} epochs" if more > 0 else "Continue",
            icon=":material/resume:",
            disabled=more < 1,
            on_click=start,
            args=(partial(job.train_longer, more),),
        )


def _start(workspace: Workspace, plan: Plan) -> None:
    start(partial(plan.start, workspace))
