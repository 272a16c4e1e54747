"""What one browser tab has made, and the tabs of a server. It outlives a reload, and no other tab sees it."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.classroom.evaluation_job import EvaluationJob, EvaluationPlan, EvaluationResult, EvaluationWork
from core.classroom.jobs import Job, JobQueue
from core.classroom.memory import make_room
from core.classroom.models import TrainedModel, unused_name
from core.classroom.settings import server_settings
from core.classroom.training_job import TrainingJob, TrainingPlan, TrainingWork, has_tensorflow
from core.classroom.translation_job import Answer, TranslationJob, TranslationRequest, TranslationWork
from core.presets import CLASSROOM, PAIRS_NAMES
from core.records import EpochReport, Pair
from core.weights import parameter_count

MAX_MODELS = 5  # trained or opened that a tab keeps
_MAX_KEPT_PARAMETERS = 40_000_000  # of all of them; beyond either, the oldest goes
MAX_AWAY_SECONDS = 5.0  # that a tab may be gone: a reload takes some
WORKSPACE_SECONDS = 6 * 3600.0  # how long a tab that is gone is remembered


class TrainingOffError(RuntimeError):
    """This server trains no models; the message is for people."""


def why_no_training() -> str:
    """Return why this server trains no models, for people; empty where it does."""
    if not server_settings().training_allowed:
        return "Training is switched off on this server. The models that come with it are ready to translate."
    if not has_tensorflow():
        return "Training needs TensorFlow, which is not installed here. Everything else works without it."
    return ""


@dataclass(frozen=True)
class OwnPairs:
    """Pairs that a person evaluates on: those of a file, or a model's examples."""

    name: str  # of the file, or of the examples
    pairs: tuple[Pair, ...]


class Workspace:
    """One person's pairs, training, model and last translation.

    What starts a job raises QueueFullError where too many people wait already.
    """

    def __init__(self, session_id: str = "") -> None:
        self.id = secrets.token_urlsafe(16)
        self.session_id = session_id  # of the Streamlit session that has it now
        self.last_used = time.monotonic()
        self.pairs: tuple[Pair, ...] = CLASSROOM.pairs
        self.held_out: tuple[Pair, ...] = ()  # of them: the next training does not see these
        self.answers: dict[str, Any] = {}  # to exercises, by the keys of their widgets
        self.job: TrainingJob | None = None
        self.models: list[TrainedModel] = []  # trained or opened here, the newest last
        self.model: TrainedModel | None = None  # the chosen one, of these or shipped; None: nothing chosen
        self.trained: TrainedModel | None = None  # what the job has made
        self.answer: Answer | None = None  # the last translation
        self.translation: TranslationJob | None = None  # of the last text
        self.lines_job: TranslationJob | None = None
        # Of the training before the last, to compare curves.
        self.epochs_before: tuple[EpochReport, ...] = ()
        self.name_before = ""
        self.evaluation: EvaluationJob | None = None
        self.results: tuple[EvaluationResult, ...] = ()  # the last two, the newest last
        self.own_pairs: OwnPairs | None = None  # to evaluate on

    @property
    def has_work(self) -> bool:
        """Whether it holds what cannot be had again by asking again: models, a training, pairs of one's own."""
        has_pairs = self.pairs not in PAIRS_NAMES or self.own_pairs is not None
        return bool(self.models) or self.job is not None or has_pairs

    def start_translation(self, request: TranslationRequest, queue: JobQueue) -> TranslationJob:
        """Translate a text; one that is on its way stops."""
        self.stop_translation()
        self.translation = _translation_job(request, queue).start()
        return self.translation

    def stop_translation(self) -> None:
        """Stop the translation of a text, and forget it."""
        if self.translation is not None:
            self.translation.stop()
            self.translation = None

    def start_lines(self, request: TranslationRequest, queue: JobQueue) -> None:
        """Translate many lines."""
        if not _is_active(self.lines_job):
            self.lines_job = _translation_job(request, queue).start()

    def start_evaluation(self, plan: EvaluationPlan, queue: JobQueue) -> None:
        """Evaluate; the result is kept beside the one before."""

        def keep(result: EvaluationResult) -> None:
            self.results = (*self.results[-1:], result)

        if not _is_active(self.evaluation):
            seconds = server_settings().max_evaluation_seconds
            self.evaluation = EvaluationJob(EvaluationWork(plan, keep), queue, seconds).start()

    @property
    def training(self) -> bool:
        """Whether a training waits or runs."""
        return _is_active(self.job)

    def start_training(self, plan: TrainingPlan, queue: JobQueue) -> TrainingJob | None:
        """Train a new model, which becomes the current one when it comes to rest.

        Returns:
            The training; None where another one waits or runs.

        Raises:
            QueueFullError: too many trainings wait already.
            TrainingOffError: this server trains no models.
            MemoryFullError: the server holds as much as it may.
        """
        if reason := why_no_training():
            raise TrainingOffError(reason)
        if self.training:
            return None  # pressed twice
        make_room()
        seconds = server_settings().max_training_seconds
        job = TrainingJob(TrainingWork(plan, self._adopt), queue, seconds).start()
        if self.job is not None:
            self.epochs_before = self.job.view().progress.epochs
            self.name_before = self.job.work.plan.title
        self.job, self.trained = job, None
        return job

    @property
    def working(self) -> bool:
        """Whether a job of it waits or runs."""
        return any(map(_is_active, self._jobs))

    def end(self) -> None:
        """Stop all its jobs: nobody wants them any more."""
        for job in filter(None, self._jobs):
            job.stop()

    def open_model(self, model: TrainedModel) -> None:
        """Keep a model that was opened from a file, and choose it."""
        self.model = self._keep(model)

    def remove(self, model: TrainedModel) -> None:
        """Let go of one of its own models."""
        self.models = [kept for kept in self.models if kept is not model]
        if self.model is model:
            self.model = None
        if self.answer is not None and self.answer.model is model:
            self.answer = None
        if self.translation is not None and self.translation.work.request.model is model:
            self.stop_translation()

    def _adopt(self, work: TrainingWork, model: TrainedModel) -> None:
        """Take over what a training has made; where it goes on, in the place of what it had made before."""
        if self.job is None or self.job.work is not work:  # another one began while it came to rest
            return
        before = self.trained
        if before in self.models:
            model = model.renamed(before.name)
            self.models = [model if kept is before else kept for kept in self.models]
        else:
            model = self._keep(model)
        self.trained = self.model = model

    def _keep(self, model: TrainedModel) -> TrainedModel:
        """Add a model under a name of its own; the oldest go where there are too many or they are too large together."""
        model = model.renamed(unused_name(model.name, [kept.name for kept in self.models]))
        self.models = [*self.models, model]
        sizes = [parameter_count(kept.checkpoint.config) for kept in self.models]
        while len(sizes) > MAX_MODELS or (len(sizes) > 1 and sum(sizes) > _MAX_KEPT_PARAMETERS):
            self.remove(self.models[0])
            del sizes[0]
        return model

    @property
    def _jobs(self) -> tuple[Job[Any, Any] | None, ...]:
        return self.job, self.evaluation, self.translation, self.lines_job


def _translation_job(request: TranslationRequest, queue: JobQueue) -> TranslationJob:
    return TranslationJob(TranslationWork(request), queue, server_settings().max_translation_seconds)


def _is_active(job: Job[Any, Any] | None) -> bool:
    """Whether it waits or runs; a button may have been pressed twice."""
    return job is not None and job.active


class WorkspacesFullError(RuntimeError):
    """There is no place for one more tab; the message is for people."""


class WorkspaceStore:
    """The workspaces of all tabs of a server, bounded in number and time.

    Args:
        most: workspaces kept. Those of tabs that are gone go first, among them the longest unused ones; that of a
            tab that is there and has a job at work never goes.
        is_live: whether a Streamlit session still has a browser tab.
    """

    def __init__(self, most: int, is_live: Callable[[str], bool]) -> None:
        self._most = most
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
            workspace = Workspace(session_id)
            self._workspaces[workspace.id] = workspace
            return workspace

    def claim(self, workspace_id: str, session_id: str) -> Workspace | None:
        """The workspace that a reloaded tab had before; None where it is gone or another tab's."""
        with self._lock:
            workspace = self._workspaces.get(workspace_id)
            if workspace is None or (
                workspace.session_id != session_id and self._is_live(workspace.session_id)
            ):
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
            self._workspaces = {
                key: workspace
                for key, workspace in self._workspaces.items()
                if workspace.working or self._is_in_use(workspace, now)
            }

    def _forget_unused(self) -> None:
        now = time.monotonic()
        here = {known.id for known in self._workspaces.values() if self._is_in_use(known, now)}
        may_go = sorted(
            (known for known in self._workspaces.values() if known.id not in here or not known.working),
            key=lambda known: (known.id in here, known.working, known.last_used),
        )
        surplus = len(self._workspaces) - self._most + 1
        for number, workspace in enumerate(may_go):
            if number < surplus or now - workspace.last_used > WORKSPACE_SECONDS:
                workspace.end()
                del self._workspaces[workspace.id]

    def _is_in_use(self, workspace: Workspace, now: float) -> bool:
        """Whether its tab is there, or was a moment ago: one that reloads has no session for a while."""
        return now - workspace.last_used < MAX_AWAY_SECONDS or self._is_live(workspace.session_id)
