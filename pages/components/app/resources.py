"""What all sessions of a server share: the class code's lock, workspaces. All that is shared is thread-safe."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime import exists, get_instance

from core.classroom.access import CodeLock
from core.classroom.memory import when_short
from core.classroom.settings import server_settings
from core.classroom.workspace import WorkspaceStore


@st.cache_resource(show_spinner=False)
def code_lock(code: str) -> CodeLock:
    """The one lock of the class's door, which counts wrong codes."""
    return CodeLock(code)


@st.cache_resource(show_spinner=False)
def workspace_store() -> WorkspaceStore:
    """The one store of workspaces."""
    store = WorkspaceStore(server_settings().max_workspaces, is_live)
    when_short(store.forget_gone)
    return store


def is_live(session_id: str) -> bool:
    """Whether a Streamlit session still has a browser tab; without a server, where a test drives the script."""
    return not exists() or get_instance().is_active_session(session_id)
