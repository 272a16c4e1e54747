"""What all sessions of a server share: the only home of st.cache_*. All of it is thread-safe."""

from __future__ import annotations

import threading

import streamlit as st
from streamlit.runtime import get_instance

from pages.components.limits import MAX_WAITING, MAX_WORKSPACES, WORKSPACE_SECONDS, max_runs
from pages.components.run_queue import RunQueue
from pages.components.tensorflow_import import load_tensorflow
from pages.components.workspace import WorkspaceStore


@st.cache_resource(show_spinner=False)
def run_queue() -> RunQueue:
    """The one queue of trainings."""
    return RunQueue(max_runs(), MAX_WAITING)


@st.cache_resource(show_spinner=False)
def workspace_store() -> WorkspaceStore:
    """The one store of workspaces."""
    return WorkspaceStore(
        MAX_WORKSPACES, WORKSPACE_SECONDS, lambda session_id: get_instance().is_active_session(session_id)
    )


@st.cache_resource(show_spinner=False)
def preload_tensorflow() -> threading.Thread:
    """Import TensorFlow in the background, once a server, while somebody still reads the page."""
    thread = threading.Thread(target=load_tensorflow, daemon=True, name="import tensorflow")
    thread.start()
    return thread
