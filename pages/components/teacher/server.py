from __future__ import annotations

import streamlit as st

from core.classroom.memory import ceiling
from core.classroom.server_state import ServerState, server_state
from core.classroom.settings import server_settings
from pages.components.app.queues import (
    evaluation_queue,
    training_queue,
    translation_queue,
)
from pages.components.app.resources import workspace_store

_SECONDS = 3.0  # between two drawings


@st.fragment(run_every=_SECONDS)
def show_server() -> None:
    """Who is there, what the server works on, and what it has left; drawn every few seconds."""
    queues = {
        "Training runs": training_queue(),
        "Translations": translation_queue(),
        "Evaluations": evaluation_queue(),
    }
    state = server_state(workspace_store(), queues)
    with st.container(horizontal=True):
        for name, number in _numbers(state).items():
            st.metric(name, number, border=True, width=190)
    rows = "".join(f"| {name} | {running} | {waiting} |\n" for name, (running, waiting) in state.jobs.items())
    st.markdown(f"| Jobs | running | waiting |\n|---|--:|--:|\n{rows}")
    limits = server_settings()
    st.caption(
        f"An open tab is somebody who is past the class code. The server remembers {state.tabs_remembered} of at most "
        f"{limits.max_workspaces} tabs, for those who reload theirs. Above {ceiling():,} MB of memory it starts no "
        f"training. A load above {state.cores}, the number of cores, means that work waits."
    )


def _numbers(state: ServerState) -> dict[str, str]:
    numbers = {"Open tabs": f"{state.tabs_open}", "Models kept": f"{state.models_kept}"}
    if state.memory:
        numbers["Memory"] = f"{state.memory:,.0f} MB"
    if state.load is not None:
        numbers["Load, 1 minute"] = f"{state.load:.1f}"
    return numbers
