from __future__ import annotations

import streamlit as st

from core.classroom.job import Status
from core.classroom.limits import MAX_EPOCHS
from core.classroom.training_job import TrainingJob
from core.classroom.workspace import Workspace
from core.config import ConfigError
from pages.components.train.run_plan import RunPlan
from pages.components.widgets.live_job import try_to_start


def show_run_buttons(mine: Workspace, plan: RunPlan | None) -> None:
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
            on_click=try_to_start,
            args=(lambda: plan.start(mine) if plan else None,),
            help="New weights from the seed, with the settings above.",
        )
        if job is not None and view is not None and view.status is Status.STOPPED and view.progress.can_go_on:
            st.button(
                "Continue",
                type="primary",
                icon=":material/resume:",
                on_click=try_to_start,
                args=(job.start,),
                help="Go on exactly where it stopped.",
            )
        if (
            job is not None
            and view is not None
            and view.status is Status.FINISHED
            and view.progress.can_go_on
        ):
            more = min(job.work.plan.pace.epochs_more, MAX_EPOCHS - view.progress.reports[-1].epoch)
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


def _go_on(job: TrainingJob, epochs: int) -> None:
    try:
        try_to_start(lambda: job.start(lambda: job.work.train_longer(epochs)))
    except ConfigError as error:
        st.toast(str(error), icon=":material/error:")
