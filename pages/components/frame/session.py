"""The stores that all sessions share, and the workspace of the current one: of a tab, also after a reload."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime import get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.language import N_, _
from core.server.memory import when_short
from core.server.room import Room
from core.server.rooms import Rooms
from core.server.settings import server_settings
from core.server.workspace import Workspace, WorkspaceStore, come_back
from pages.components.frame.memory import PageMemory, has_work, memory_of
from pages.components.widgets.component import draw_component


@st.cache_resource(show_spinner=False)
def _workspace_store() -> WorkspaceStore:
    """Return the server's store of workspaces."""
    store = WorkspaceStore(server_settings().max_workspaces, is_live, has_work)
    when_short(store.forget_gone)
    return store


@st.cache_resource(show_spinner=False)
def server_rooms() -> Rooms:
    """Return the rooms of this server."""
    return Rooms()


def is_live(session_id: str) -> bool:
    """Return whether a Streamlit session still has a browser tab."""
    return get_instance().is_active_session(session_id)


# Keys of st.session_state.
_WORKSPACE = "workspace"
_SESSION = "session"


@dataclass
class _Session:
    """What a session notes about itself; a reloaded tab begins another one."""

    is_settled: bool = False  # the browser has said which workspace the tab had before a reload
    has_come_back: bool = False  # as the tab that it was before the reload; a link is then followed again
    lost: tuple[str, ...] = ()  # what the tab had before the reload and has no more, in words
    leads: str = ""  # the workspace of another tab of this browser that leads a room, or has led one


def _session() -> _Session:
    found: _Session = st.session_state.setdefault(_SESSION, _Session())
    return found


def _own_workspace() -> Workspace:
    """Return the workspace of the current session, which it gets with its first run."""
    if _WORKSPACE not in st.session_state:
        st.session_state[_WORKSPACE] = _workspace_store().create(session_id())
    found: Workspace = st.session_state[_WORKSPACE]
    found.last_used = time.monotonic()
    _workspace_store().keep(found)
    return found


def known_memory() -> PageMemory:
    """Return what the pages remember of this tab, nothing while its workspace is not restored."""
    workspace: Workspace | None = st.session_state.get(_WORKSPACE)
    return PageMemory() if workspace is None else memory_of(workspace)


def restore_workspace() -> Workspace:
    """Return the tab's workspace: after a reload, the one that it had before."""
    workspace = _own_workspace()
    session = _session()
    told = _ask_browser(workspace, session)
    session.leads = str(told.get("leads") or "")
    remembered = told.get("remembered")
    if not session.is_settled and isinstance(remembered, Mapping):
        session.is_settled = True
        session.has_come_back = True
        if not _claim_workspace(str(remembered.get("workspace")), workspace):
            has_lost_seat = (
                remembered.get("has_seat") is True and server_rooms().seat_of(workspace.id) is None
            )
            found = (
                (N_("models, pairs and lesson"), remembered.get("has_work") is True),
                (N_("place in a room"), has_lost_seat),
            )
            session.lost = tuple(what for what, is_lost in found if is_lost)
        st.rerun()
    if session.lost:
        st.toast(
            _("The server no longer has this tab's work: {what}.").format(
                what=", ".join(map(_, session.lost))
            ),
            icon=":material/restart_alt:",
            duration="infinite",
        )
        session.lost = ()
    return workspace


def _ask_browser(workspace: Workspace, session: _Session) -> Mapping[str, object]:
    """Tell the browser which workspace its tab has; return what it remembers: from before a reload, of other tabs."""
    return draw_component(
        "tab_memory",
        data={
            "workspace": workspace.id,
            "has_work": has_work(workspace),
            "has_seat": server_rooms().seat_of(workspace.id) is not None,
            "leads": server_rooms().led_by(workspace.id) is not None,
            "settled": session.is_settled,
        },
        on_remembered_change=lambda: None,
        on_leads_change=lambda: None,
        on_themed_change=lambda: None,  # the run draws the figures anew
    )


def room_led_elsewhere(workspace: Workspace) -> Room | None:
    """Return the room that another tab of this browser leads, or led before it was closed."""
    leads = _session().leads
    return server_rooms().led_by(leads) if leads != workspace.id else None


def lead_from_here(workspace: Workspace) -> None:
    """Let this tab lead the room that another one of this browser has led.

    If that tab is closed, this one has its work too, unless it has some of its own.
    """
    leads = _session().leads
    if not has_work(workspace):
        _claim_workspace(leads, workspace)
    tab = _own_workspace().id
    server_rooms().unite(leads, tab, tab)


def take_return() -> bool:
    """Return once, after a reload, whether this tab is the one again that it was before."""
    session = _session()
    has_come_back = session.has_come_back
    session.has_come_back = False
    return has_come_back


def _claim_workspace(workspace_id: str, fresh: Workspace) -> bool:
    """Take the remembered workspace and its seats unless another live tab has them; return whether it still exists."""
    found = come_back(_workspace_store(), server_rooms(), workspace_id, fresh)
    if found is None:
        return False
    if found is not fresh:
        st.session_state[_WORKSPACE] = found
    return True


def session_id() -> str:
    """Return the id of the current Streamlit session: one tab until it is reloaded."""
    context = get_script_run_ctx()
    return context.session_id if context else ""


def address() -> str:
    """Return the network address of the current session's browser; empty for one on this machine."""
    return st.context.ip_address or ""
