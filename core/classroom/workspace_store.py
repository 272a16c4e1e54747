"""The workspaces of all browser tabs of a server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from core.classroom.workspace import Workspace

MAX_AWAY_SECONDS = 5.0  # that a tab may be gone: a reload takes some
WORKSPACE_SECONDS = 6 * 3600.0  # how long a tab that is gone is remembered


class WorkspacesFullError(RuntimeError):
    """There is no place for one more tab; the message is for people."""


class WorkspaceStore:
    """The workspaces of all tabs of a server, bounded in number and time.

    Args:
        most: workspaces kept. Those of tabs that are gone go first, among them the longest unused ones; that of a
            tab that is there and has a job at work never goes.
        is_live: whether a Streamlit session still has a browser tab.
        seconds: how long an unused one is kept.
    """

    def __init__(self, most: int, is_live: Callable[[str], bool], seconds: float = WORKSPACE_SECONDS) -> None:
        self._most = most
        self._seconds = seconds
        self._is_live = is_live
        self._lock = threading.Lock()
        self._workspaces: dict[str, Workspace] = {}

    def create(self, session_id: str) -> Workspace:
        """A new workspace for a session.

        Raises:
            WorkspacesFullError: all others are in use and work.
        """
        with self._lock:
            self._forget_unused()
            if len(self._workspaces) >= self._most:
                raise WorkspacesFullError(
                    f"All {self._most} places on this server are taken by people whose models are busy. "
                    "Reload this page in a few minutes."
                )
            workspace = Workspace()
            workspace.session_id = session_id
            self._workspaces[workspace.id] = workspace
            return workspace

    def claim(self, workspace_id: str, session_id: str) -> Workspace | None:
        """The workspace that a reloaded tab had before; None where it is gone or another tab's."""
        with self._lock:
            workspace = self._workspaces.get(workspace_id)
            if workspace is None:
                return None
            if workspace.session_id != session_id and self._is_live(workspace.session_id):
                return None
            workspace.session_id = session_id
            workspace.last_used = time.monotonic()
            return workspace

    def knows(self, workspace_id: str) -> bool:
        """Whether there is such a workspace, whoever has it."""
        with self._lock:
            return workspace_id in self._workspaces

    def discard(self, workspace: Workspace) -> None:
        """Forget a workspace nobody needs."""
        with self._lock:
            self._workspaces.pop(workspace.id, None)

    def forget_gone(self) -> None:
        """Drop what tabs have made that are gone and do not come back, and that work at nothing."""
        with self._lock:
            now = time.monotonic()
            for workspace in list(self._workspaces.values()):
                if not workspace.working and not self._is_in_use(workspace, now):
                    del self._workspaces[workspace.id]

    def _forget_unused(self) -> None:
        now = time.monotonic()
        here = {known.id for known in self._workspaces.values() if self._is_in_use(known, now)}
        may_go = sorted(
            (known for known in self._workspaces.values() if known.id not in here or not known.working),
            key=lambda known: (known.id in here, known.working, known.last_used),
        )
        surplus = len(self._workspaces) - self._most + 1
        for number, workspace in enumerate(may_go):
            if number < surplus or now - workspace.last_used > self._seconds:
                workspace.end()
                del self._workspaces[workspace.id]

    def _is_in_use(self, workspace: Workspace, now: float) -> bool:
        """Whether its tab is there, or was a moment ago: one that reloads has no session for a while."""
        if now - workspace.last_used < MAX_AWAY_SECONDS:
            return True
        return self._is_live(workspace.session_id)
