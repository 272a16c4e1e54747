"""How a server is doing, for its teacher."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from core.classroom.jobs.queue import JobQueue
from core.classroom.memory import used_megabytes
from core.classroom.workspace_store import WorkspaceStore
from core.inference.translator import num_cores


@dataclass(frozen=True)
class ServerState:
    """What a server holds and does at one moment."""

    tabs_open: int
    tabs_remembered: int  # also those that are closed, which a reload would have back
    models_kept: int  # trained or opened, in all tabs
    jobs: Mapping[str, tuple[int, int]]  # by what they do: how many run, and how many wait
    memory: float  # MB that the server holds; 0 where the system does not say
    load: float | None  # processes that ran or waited to, on average over a minute
    cores: int


def server_state(store: WorkspaceStore, queues: Mapping[str, JobQueue]) -> ServerState:
    """How the server is doing now.

    Args:
        store: of its tabs.
        queues: by what their jobs do.
    """
    workspaces, live = store.census()
    return ServerState(
        tabs_open=live,
        tabs_remembered=len(workspaces),
        models_kept=sum(len(workspace.models) for workspace in workspaces),
        jobs={name: queue.lengths() for name, queue in queues.items()},
        memory=used_megabytes(),
        load=os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        cores=num_cores(),
    )
