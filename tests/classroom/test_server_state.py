from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from core.classroom.jobs.queue import JobQueue
from core.classroom.server_state import server_state
from core.classroom.trained_model import TrainedModel
from core.classroom.workspace_store import WorkspaceStore

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint


def test_what_there_is_is_counted(checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # of the machine's
    store = WorkspaceStore(10, lambda session_id: session_id == "open", 1000.0)
    store.create("open").open_model(TrainedModel("One", checkpoint))
    store.create("closed").open_model(TrainedModel("Two", checkpoint))
    queue = JobQueue(max_running=2, max_waiting=5)
    for _ in range(3):
        queue.enter()
    state = server_state(store, {"Trainings": queue, "Evaluations": JobQueue(1, 5)})
    assert (state.tabs_open, state.tabs_remembered, state.models_kept) == (1, 2, 2)
    assert state.jobs == {"Trainings": (2, 1), "Evaluations": (0, 0)}
    assert state.cores == 1
    assert state.memory > 100 or sys.platform != "linux"  # MB; TensorFlow is here
