"""The stores that all sessions of a server share, and the workspace of the current session."""

from __future__ import annotations

import time
from collections.abc import Mapping

import streamlit as st
from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.classroom.access import CodeLock
from core.classroom.memory import when_short
from core.classroom.settings import server_settings
from core.classroom.workspace import Workspace, WorkspacesFullError, WorkspaceStore
from pages.components.style import read_asset
from pages.components.workarounds import use_navigation


@st.cache_resource(show_spinner=False)
def code_lock(code: str) -> CodeLock:
    """Return the server's check of the class code, which counts wrong codes."""
    return CodeLock(code)


@st.cache_resource(show_spinner=False)
def workspace_store() -> WorkspaceStore:
    """Return the server's store of workspaces."""
    store = WorkspaceStore(server_settings().max_workspaces, is_live)
    when_short(store.forget_gone)
    return store


def is_live(session_id: str) -> bool:
    """Return whether a Streamlit session still has a browser tab; always true in a test without a server."""
    return not exists() or get_instance().is_active_session(session_id)


_WORKSPACE = "workspace"  # keys of st.session_state
_SETTLED = "workspace_settled"
_NAVIGATED = "navigated"
_LOST = "work_lost"

_RELOAD_SECONDS = 2.0  # the server notices within this time that the tab's old session has gone


def current_workspace() -> Workspace:
    """Return the workspace of the current session."""
    require_navigation()
    if _WORKSPACE not in st.session_state:
        try:
            st.session_state[_WORKSPACE] = workspace_store().create(session_id())
        except WorkspacesFullError as error:
            st.error(str(error), icon=":material/group:")
            st.stop()
    found: Workspace = st.session_state[_WORKSPACE]
    found.last_used = time.monotonic()
    return found


def restore_workspace() -> None:
    """Give a reloaded tab its workspace back. Call it once in every run, before the page."""
    workspace = current_workspace()
    if not exists():  # a test without a browser
        return
    memory = st.components.v2.component("transformer_classroom_tab", js=read_asset("tab_memory.js"))
    settled = st.session_state.get(_SETTLED, False)
    result = memory(
        key="tab_memory",
        data={"workspace": workspace.id, "has_work": workspace.has_work, "settled": settled},
        on_remembered_change=lambda: None,
    )
    remembered = result.get("remembered")
    if not settled and isinstance(remembered, Mapping):
        st.session_state[_SETTLED] = True
        is_found = _claim_workspace(str(remembered.get("workspace")), workspace)
        st.session_state[_LOST] = not is_found and remembered.get("has_work") is True
        st.rerun()
    if st.session_state.pop(_LOST, False):
        st.toast(
            "The server no longer has this tab's models, training runs and pairs. Train again, or open a checkpoint you "
            "downloaded.",
            icon=":material/restart_alt:",
            duration="infinite",
        )


def begin_navigation() -> None:
    """Note that streamlit_app.py runs, not a page's file alone. Call it once in every run, before any page."""
    st.session_state[_NAVIGATED] = True


def require_navigation() -> None:
    """Rerun with streamlit_app.py if a page's file was run without it."""
    if not st.session_state.get(_NAVIGATED, False):
        use_navigation()
        st.rerun()


def _claim_workspace(workspace_id: str, fresh: Workspace) -> bool:
    """Take the remembered workspace unless another live tab has it; return whether it still exists."""
    deadline = time.monotonic() + _RELOAD_SECONDS
    store = workspace_store()
    claimed = store.claim(workspace_id, session_id())
    while claimed is None and store.knows(workspace_id) and time.monotonic() < deadline:
        time.sleep(0.1)
        claimed = store.claim(workspace_id, session_id())
    if claimed is not None:
        store.discard(fresh)
        claimed.model = fresh.model or claimed.model  # the address may name one
        st.session_state.update(claimed.answers)
        st.session_state[_WORKSPACE] = claimed
    return claimed is not None or store.knows(workspace_id)


def session_id() -> str:
    """Return the id of the current Streamlit session: one tab until it is reloaded."""
    context = get_script_run_ctx()
    return context.session_id if context else ""
