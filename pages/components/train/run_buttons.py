from __future__ import annotations

import streamlit as st

from core.classroom.job import Status
from core.classroom.limits import MAX_EPOCHS
from core.classroom.queue import QueueFullError
from core.classroom.training_job import TrainingJob
from core.classroom.workspace import Workspace
from core.config import ConfigError
from pages.components.train.run_plan import Plan


def show_run_buttons(mine: Workspace, plan: Plan | None) -> None:
    """Start, Stop, Continue and Reset; each is there when it can do something.

    Args:
        mine: whose training it is.
        plan: what Start would start; None where the settings cannot be trained with.
    """
    job = mine.job
    view = job.view() if job else None
    with st.container(horizontal=True):
        if job is not None and view is not None and view.active:
            st.button("Stop", type="primary", icon=":material/stop:", on_click=job.stop)
            return
        st.button(
            "Start" if job is None else "Start anew",
            type="primary" if view is None or view.status is Status.FINISHED else "secondary",
            icon=":material/play_arrow:",
            disabled=plan is None,
            on_click=_start,
            args=(mine, plan),
            help="New weights from the seed, with the settings above.",
        )
        if job is not None and view is not None and view.status is Status.STOPPED and view.resumable:
            st.button(
                "Continue",
                type="primary",
                icon=":material/resume:",
                on_click=_go_on,
                args=(job, 0),
                help="Go on exactly where it stopped.",
            )
        if job is not None and view is not None and view.status is Status.FINISHED and view.resumable:
            more = min(job.epochs_more, MAX_EPOCHS - view.reports[-1].epoch)
            st.button(
                f"Continue for {more} epochs" if more > 0 else "Continue",
                icon=":material/resume:",
                disabled=more < 1,
                on_click=_go_on,
                args=(job, more),
            )
        if job is not None:
            st.button(
                "Reset",
                icon=":material/restart_alt:",
                on_click=mine.reset,
                help="Forget this training and its model. Pairs and settings stay.",
            )


def _start(mine: Workspace, plan: Plan) -> None:
    try:
        plan.start(mine)
    except QueueFullError as error:
        st.toast(str(error), icon=":material/group:")


def _go_on(job: TrainingJob, epochs: int) -> None:
    try:
        if epochs:
            job.train_longer(epochs)
        else:
            job.start()
    except (QueueFullError, ConfigError) as error:
        st.toast(str(error), icon=":material/error:")
