from __future__ import annotations

import streamlit as st

from core.classroom.evaluation_job import EvaluationPlan
from core.classroom.workspace import Workspace
from pages.components.app.queues import evaluation_queue
from pages.components.widgets.live_job import show_stop, try_to_start


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
        on_click=try_to_start,
        args=(lambda: workspace.start_evaluation(plan, evaluation_queue()) if plan else None,),
        help="It runs in the background: look at other pages meanwhile.",
    )
