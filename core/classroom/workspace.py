"""What one browser tab has made. It outlives a reload of the page, and no other tab sees it."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.classroom.answers import Answer, LinesAnswer
from core.classroom.jobs.evaluation_job import EvaluationJob, EvaluationPlan, EvaluationResult, EvaluationWork
from core.classroom.jobs.queue import RunQueue
from core.classroom.jobs.training_job import TrainingJob, TrainingPlan, TrainingWork
from core.classroom.jobs.translation_job import TranslationJob, TranslationRequest, TranslationWork
from core.classroom.presence import Presence
from core.classroom.settings import server_settings
from core.classroom.trained_model import TrainedModel
from core.corpora.toy import PAIRS
from core.model.weight_shapes import parameter_count
from core.records import Pair


@dataclass(frozen=True)
class OwnPairs:
    """Pairs from a person's file."""

    name: str  # of the file
    pairs: tuple[Pair, ...]


class Workspace:
    """One person's pairs, training, model and last translation."""

    def __init__(self) -> None:
        self.id = secrets.token_urlsafe(16)
        self.session_id = ""  # the Streamlit session that has it now
        self.last_used = time.monotonic()
        self.lesson: int | None = None  # minutes of the one that is followed; None before Home was seen
        self.pairs: tuple[Pair, ...] = PAIRS
        self.kept: dict[str, Any] = {}  # values of widgets that differ from their defaults, by key
        self.job: TrainingJob | None = None
        self.models: list[TrainedModel] = []  # trained or opened here, the newest last
        self.model: TrainedModel | None = None  # the chosen one, of these or shipped; None: nothing chosen
        self.trained: TrainedModel | None = None  # what the job has made
        self.deleted: TrainedModel | None = None  # the last one deleted, for Undo
        self.answer: Answer | None = None  # the last translation
        self.translation: TranslationJob | None = None  # of the last text
        self.lines: LinesAnswer | None = None  # the last many lines
        self.lines_job: TranslationJob | None = None
        self.evaluation: EvaluationJob | None = None
        self.results: tuple[EvaluationResult, ...] = ()  # the last two, the newest last
        self.own_pairs: OwnPairs | None = None  # a person's file to evaluate on

    def start_translation(
        self, request: TranslationRequest, queue: RunQueue, keep_on: Presence
    ) -> TranslationJob:
        """Translate a text; one that is on its way stops.

        Raises:
            QueueFullError: too many translations wait already.
        """
        if self.translation is not None:
            self.translation.stop()
        self.translation = TranslationJob(
            TranslationWork(request, keep_on), queue, server_settings().max_translation_seconds
        )
        self.translation.start()
        return self.translation

    def start_lines(self, request: TranslationRequest, queue: RunQueue, keep_on: Presence) -> None:
        """Translate many lines.

        Raises:
            QueueFullError: too many translations wait already.
        """
        if self.lines_job is not None and self.lines_job.active:
            return  # pressed twice
        job = TranslationJob(
            TranslationWork(request, keep_on), queue, server_settings().max_translation_seconds
        )
        job.start()
        self.lines_job = job

    def start_evaluation(self, plan: EvaluationPlan, queue: RunQueue) -> None:
        """Evaluate; the result is kept beside the one before.

        Raises:
            QueueFullError: too many evaluations wait already.
        """
        if self.evaluation is not None and self.evaluation.active:
            return  # pressed twice
        job = EvaluationJob(
            EvaluationWork(plan, self._keep_result), queue, server_settings().max_evaluation_seconds
        )
        job.start()
        self.evaluation = job

    def _keep_result(self, result: EvaluationResult) -> None:
        self.results = (*self.results[-1:], result)

    @property
    def training(self) -> bool:
        """Whether a training waits or runs."""
        return self.job is not None and self.job.active

    def start_training(self, plan: TrainingPlan, queue: RunQueue) -> TrainingJob | None:
        """Train a new model, which becomes the current one when it comes to rest.

        Returns:
            The training; None where another one waits or runs.

        Raises:
            QueueFullError: too many trainings wait already.
        """
        if self.training:
            return None  # pressed twice
        job = TrainingJob(TrainingWork(plan, self._adopt), queue, plan.pace.max_seconds)
        job.start()
        if self.job is not None:
            self.job.abandon()
        self.job, self.trained = job, None
        return job

    def reset(self) -> None:
        """Forget the training, its model and the last translation."""
        if self.job is not None:
            self.job.abandon()
        if self.trained is not None:
            self.remove(self.trained)
        self.job = self.trained = self.answer = None

    def open_model(self, model: TrainedModel) -> None:
        """Keep a model that was opened from a file, and choose it."""
        self._keep(model)
        self.model = model

    def replace(self, old: TrainedModel, new: TrainedModel) -> None:
        """Put a model in the place of one of its own: it was renamed, or has learnt more."""
        self.models = [new if model is old else model for model in self.models]
        if self.model is old:
            self.model = new
        if self.trained is old:
            self.trained = new

    def remove(self, model: TrainedModel) -> None:
        """Let go of one of its own models."""
        self.models = [kept for kept in self.models if kept is not model]
        if self.model is model:
            self.model = None
        if self.answer is not None and self.answer.model is model:
            self.answer = None
        if self.translation is not None and self.translation.work.request.model is model:
            self.translation.stop()
            self.translation = None

    def delete(self, model: TrainedModel) -> None:
        """Remove one of its own models by a person's wish; it can be had back until the next one goes."""
        if model in self.models:
            self.remove(model)
            self.deleted = model

    def undelete(self) -> None:
        """Have the model back that was deleted last, and choose it."""
        if self.deleted is not None:
            self.open_model(self.deleted)
            self.deleted = None

    def _adopt(self, work: TrainingWork, model: TrainedModel) -> None:
        if self.job is None or self.job.work is not work:  # it was reset while it came to rest
            return
        if self.trained is not None and self.trained in self.models:  # the same training, now further on
            before, model = self.trained, model.renamed(self.trained.name)
            self.replace(before, model)
        else:
            self._keep(model)
        self.trained = self.model = model

    def _keep(self, model: TrainedModel) -> None:
        """Add a model, and let the oldest go where there are too many or they are too large together."""
        self.models = [*self.models, model]
        while len(self.models) > server_settings().max_models or (
            len(self.models) > 1 and self._parameters > server_settings().max_kept_parameters
        ):
            self.remove(self.models[0])

    @property
    def _parameters(self) -> int:
        return sum(parameter_count(model.checkpoint.config) for model in self.models)


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
                if workspace.evaluation is not None:
                    workspace.evaluation.stop()
                for translation in (workspace.translation, workspace.lines_job):
                    if translation is not None:
                        translation.stop()
                del self._workspaces[workspace.id]
