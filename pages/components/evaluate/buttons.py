from __future__ import annotations

from functools import partial

import streamlit as st

from core.classroom.evaluation_job import EvaluationPlan
from core.classroom.workspace import Workspace
from pages.components.app.resources import evaluation_queue
from pages.components.widgets.live_job import show_stop, start


def show_evaluation_buttons(workspace: Workspace, plan: EvaluationPlan | None) -> None:
    """Evaluate, or Stop while an evaluation runs."""
    job = workspace.evaluation
    if job is not None and job.active:
        show_stop(job, "evaluation", help="What is done by then is kept and scored.")
        return
    st.button(
        "Evaluate",
        type="primary",
        icon=":material/play_arrow:",
        disabled=plan is None,
        on_click=_start,
        args=(workspace, plan),
        help="It runs in the background: look at other pages meanwhile.",
    )


def _start(workspace: Workspace, plan: EvaluationPlan) -> None:
    start(partial(workspace.start_evaluation, plan, evaluation_queue()))
