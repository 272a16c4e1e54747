"""What one browser tab has made. It outlives a reload of the page, and no other tab sees it."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core.config import DecodingConfig, ModelConfig, TrainingConfig
from core.corpora.toy import PAIRS
from core.pipeline import prepare_words
from core.records import Pair, Translation
from pages.components.limits import MAX_RUN_SECONDS
from pages.components.run_queue import RunQueue
from pages.components.trained_model import TrainedModel
from pages.components.training_job import TrainingJob


@dataclass(frozen=True)
class Answer:
    """A translation with its attention, and what it answers."""

    model: TrainedModel
    sentence: str
    decoding: DecodingConfig
    translation: Translation


class Workspace:
    """One person's pairs, training, model and last translation."""

    def __init__(self) -> None:
        self.id = secrets.token_urlsafe(16)
        self.session_id = ""  # the Streamlit session that has it now
        self.last_used = time.monotonic()
        self.pairs: tuple[Pair, ...] = PAIRS
        self.settings: dict[str, Any] = {}  # of the Train page, by widget
        self.job: TrainingJob | None = None
        self.model: TrainedModel | None = None
        self.answer: Answer | None = None  # the last translation

    @property
    def training(self) -> bool:
        """Whether a training waits or runs."""
        return self.job is not None and self.job.active

    def start_training(
        self, pairs: Sequence[Pair], model: ModelConfig, training: TrainingConfig, name: str, queue: RunQueue
    ) -> None:
        """Train a new model; it becomes the current one when it comes to rest.

        Raises:
            PipelineError: the pairs cannot be trained on.
            QueueFullError: too many trainings wait already.
        """
        if self.training:
            return  # pressed twice
        prepared, sized = prepare_words(pairs, model)
        job = TrainingJob(name, prepared, sized, training, queue, MAX_RUN_SECONDS, self._adopt)
        job.start()
        if self.job is not None:
            self.job.abandon()
        self.job = job

    def reset(self) -> None:
        """Forget the training, its model and the last translation."""
        if self.job is not None:
            self.job.abandon()
        self.job = self.model = self.answer = None

    def open_model(self, model: TrainedModel) -> None:
        """Make a model from elsewhere the current one."""
        self.reset()
        self.model = model

    def _adopt(self, job: TrainingJob, model: TrainedModel) -> None:
        if job is self.job:  # not one that was reset while it came to rest
            self.model = model


class WorkspaceStore:
    """The workspaces of all tabs of a server, bounded in number and time.

    Args:
        most: workspaces kept; the longest unused one goes first.
        seconds: how long an unused one is kept.
        is_live: whether a Streamlit session still has a browser tab.
    """

    def __init__(self, most: int, seconds: float, is_live: Callable[[str], bool]) -> None:
        self._most = most
        self._seconds = seconds
        self._is_live = is_live
        self._lock = threading.Lock()
        self._workspaces: dict[str, Workspace] = {}

    def create(self, session_id: str) -> Workspace:
        """A new workspace for a session."""
        with self._lock:
            self._forget_unused()
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

    def _forget_unused(self) -> None:
        now = time.monotonic()
        by_age = sorted(self._workspaces.values(), key=lambda workspace: workspace.last_used)
        surplus = len(by_age) - self._most + 1
        for number, workspace in enumerate(by_age):
            if number < surplus or now - workspace.last_used > self._seconds:
                if workspace.job is not None:
                    workspace.job.abandon()
                del self._workspaces[workspace.id]
