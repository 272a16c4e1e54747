from __future__ import annotations

import streamlit as st

from core.classroom.evaluation_job import EvaluationPlan
from core.classroom.workspace import Workspace
from pages.components.app.resources import evaluation_queue
from pages.components.widgets.live_job import try_to_start


def show_evaluation_buttons(mine: Workspace, plan: EvaluationPlan | None) -> None:
    """Start, or Stop while one runs."""
    job = mine.evaluation
    if job is not None and job.active:
        st.button(
            "Stop",
            type="primary",
            icon=":material/stop:",
            on_click=job.stop,
            disabled=job.stopping,
            help="What is done by then is kept and scored.",
        )
        return
    st.button(
        "Evaluate",
        type="primary",
        icon=":material/play_arrow:",
        disabled=plan is None,
        on_click=try_to_start,
        args=(lambda: mine.start_evaluation(plan, evaluation_queue()) if plan else None,),
        help="It runs in the background: look at other pages meanwhile.",
    )
