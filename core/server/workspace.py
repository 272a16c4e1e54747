"""Workspaces: the work of each browser tab, which outlives a reload and is invisible to other tabs."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Collection, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from core.errors import InputError
from core.language import N_, _, number
from core.language_model.model import LanguageModel
from core.records.text import Pair
from core.records.training import PastRun
from core.server.evaluation_job import EvaluationJob, EvaluationPlan, EvaluationResult, EvaluationWork
from core.server.jobs import Job, Status
from core.server.memory import free_memory
from core.server.queue import JobQueue
from core.server.rooms import Rooms
from core.server.settings import server_settings
from core.server.trained_model import TrainedModel, unused_name
from core.server.training_job import TrainingJob, TrainingPlan, TrainingWork
from core.server.translation_job import TranslationJob, TranslationRequest, TranslationWork
from core.weights import parameter_count

MAX_MODELS = 5  # trained or opened models per tab
_MAX_KEPT_PARAMETERS = 40_000_000  # of all models of a tab; beyond either limit, the oldest is removed
_MAX_AWAY_SECONDS = 5.0  # a tab may be gone so long, for a reload
_RELOAD_SECONDS = 2.0  # the server notices within this time that the old session of a reloaded tab has gone
WORKSPACE_SECONDS = 6 * 3600.0  # a closed tab is remembered so long
_MAX_WAITING = 60  # jobs in a queue


def why_no_training() -> str:
    """Return why this server trains no models, in words; empty if it does."""
    if not server_settings().training_allowed:
        return _(
            "Training is switched off on this server. The models that come with it are ready to translate."
        )
    if not all(map(find_spec, ("tensorflow", "keras"))):
        return _("Training needs TensorFlow, which is not installed here. Everything else works without it.")
    return ""


def check_number_of_pairs(pairs: Sequence[Pair]) -> None:
    """Check that this server trains on so many pairs.

    Raises:
        InputError: there are too many.
    """
    if len(pairs) > (most := server_settings().max_pairs):
        raise InputError(
            _(
                "The app trains on at most {most} pairs. Received: {received}. Delete some, or train on your own "
                "machine: {command}."
            ).format(
                most=number(most, ","),
                received=number(len(pairs), ","),
                command="python -m core train FILE --out NAME",
            )
        )


@cache
def training_queue() -> JobQueue:
    """Return the server's queue of training runs."""
    return JobQueue(server_settings().max_trainings, _MAX_WAITING)


@cache
def evaluation_queue() -> JobQueue:
    """Return the server's queue of evaluations: one at a time, since each keeps all cores busy."""
    return JobQueue(1, _MAX_WAITING, N_("Too many people are evaluating right now. Try again in a minute."))


class TabModels:
    """The models of one browser tab: those trained or opened in it, and the selected one."""

    def __init__(self) -> None:
        self.kept: list[TrainedModel] = []  # trained or opened in this tab, the newest last
        self.selected: TrainedModel | None = None  # also a shipped one
        self.trained: TrainedModel | None = None  # by the last training run
        self.language_model: LanguageModel | None = None  # by the last training of a decoder alone

    def select(self, model: TrainedModel) -> None:
        """Make a model the one that all pages use."""
        self.selected = model

    def open(self, model: TrainedModel, taken: Collection[str] = ()) -> TrainedModel:
        """Add a model that was opened from a file, select it, and return it, perhaps renamed."""
        self.selected = self._keep(model, taken)
        return self.selected

    def adopt(self, model: TrainedModel) -> None:
        """Add and select the model of the last training run, or replace the model that the run made before."""
        before = self.trained
        if before in self.kept:
            model = model.renamed(before.name)
            self.kept = [model if kept is before else kept for kept in self.kept]
        else:
            model = self._keep(model)
        self.trained = self.selected = model

    def remove(self, model: TrainedModel) -> None:
        """Remove a model that was trained or opened in this tab."""
        self.kept = [kept for kept in self.kept if kept is not model]
        if self.selected is model:
            self.selected = None
        if self.trained is model:
            self.trained = None

    def _keep(self, model: TrainedModel, taken: Collection[str] = ()) -> TrainedModel:
        """Add a model under an unused name, and remove the oldest ones beyond the limits."""
        own = [kept.name for kept in self.kept]
        model = model.renamed(unused_name(model.name, [*own, *taken]))
        self.kept = [*self.kept, model]
        sizes = [parameter_count(kept.checkpoint.config) for kept in self.kept]
        while len(sizes) > MAX_MODELS or (len(sizes) > 1 and sum(sizes) > _MAX_KEPT_PARAMETERS):
            self.remove(self.kept[0])
            del sizes[0]
        return model


class TabJobs:
    """The jobs of one browser tab, one of each kind at a time, and what they have found.

    Training runs and evaluations wait in the server's queues. Translations do not: their batches take turns.
    """

    def __init__(self, models: TabModels) -> None:
        self._models = models
        self.training: TrainingJob | None = None
        self.run_before = PastRun()  # the training before
        self.text_training: TrainingJob | None = None  # of a decoder alone
        self.translation: TranslationJob | None = None  # of the last text
        self.lines: TranslationJob | None = None
        self.evaluation: EvaluationJob | None = None
        self.results: tuple[EvaluationResult, ...] = ()  # of the last two evaluations, the newest last

    @property
    def is_training(self) -> bool:
        """Whether a training run waits or runs."""
        return _is_active(self.training)

    @property
    def are_active(self) -> bool:
        """Whether any job waits or runs."""
        return any(map(_is_active, self._all))

    def stop(self) -> None:
        """Stop all jobs, when the tab is gone."""
        for job in filter(None, self._all):
            job.stop()

    def start_training(self, plan: TrainingPlan) -> TrainingJob | None:
        """Train a new model, which is selected when the run comes to rest.

        Returns:
            The job; None if another one is active.

        Raises:
            RefusedError: too many jobs are waiting.
            InputError: this server trains no models.
            RefusedError: the server's memory is full.
        """
        if self.is_training:
            return None  # the button was clicked twice
        job = _begin_training(plan, self._adopt)
        if self.training is not None:
            self.run_before = PastRun(self.training.work.plan.title, self.training.state().progress.epochs)
        self._models.trained = None
        self.training = job
        return job

    def start_text_training(self, plan: TrainingPlan) -> TrainingJob | None:
        """Train a decoder alone, from `prepare_texts`; `TabModels.language_model` is its model when the run rests.

        What it returns and raises is as for `start_training`.
        """
        if _is_active(self.text_training):
            return None
        self.text_training = _begin_training(plan, self._adopt_language_model)
        return self.text_training

    def forget_unbegun_training(self) -> None:
        """Forget a training run that was stopped before its first step: there is nothing to continue."""
        if self.training is not None:
            state = self.training.state()
            if state.status is Status.STOPPED and not state.progress.done:
                self.training = None

    def translate(self, request: TranslationRequest) -> TranslationJob:
        """Return the job that translates a text; a new one stops that of another text."""
        if self.translation is None or self.translation.work.request != request:
            self.stop_translation()
            self.translation = _translation_job(request).start()
        return self.translation

    def stop_translation(self) -> None:
        """Stop the translation of a text and forget it."""
        if self.translation is not None:
            self.translation.stop()
            self.translation = None

    def start_lines(self, request: TranslationRequest) -> None:
        """Translate many lines, unless such a job is active."""
        if not _is_active(self.lines):
            self.lines = _translation_job(request).start()

    def start_evaluation(self, plan: EvaluationPlan) -> None:
        """Evaluate a model, unless such a job is active; the last two results are kept.

        Raises:
            RefusedError: too many jobs are waiting.
        """

        def keep(result: EvaluationResult) -> None:
            self.results = (*self.results[-1:], result)

        if not _is_active(self.evaluation):
            seconds = server_settings().max_evaluation_seconds
            self.evaluation = EvaluationJob(EvaluationWork(plan, keep), seconds, evaluation_queue()).start()

    def _adopt(self, work: TrainingWork, model: TrainedModel) -> None:
        """Keep the model of a training run, unless another run has begun meanwhile."""
        if self.training is not None and self.training.work is work:
            self._models.adopt(model)

    def _adopt_language_model(self, work: TrainingWork, model: LanguageModel) -> None:
        """Keep the model of a training of a decoder alone, unless another one has begun meanwhile."""
        if self.text_training is not None and self.text_training.work is work:
            self._models.language_model = model

    @property
    def _all(self) -> tuple[Job[Any, Any] | None, ...]:
        return self.training, self.text_training, self.evaluation, self.translation, self.lines


class Workspace:
    """The work of one browser tab: its models, its jobs, and what the pages remember of it."""

    def __init__(self, session_id: str = "") -> None:
        self.id = secrets.token_urlsafe(16)
        self.session_id = session_id  # the current Streamlit session
        self.last_used = time.monotonic()
        self.models = TabModels()
        self.jobs = TabJobs(self.models)
        self.page_memory: Any = None  # what the pages remember of this tab, in an object of theirs


def _begin_training(plan: TrainingPlan, on_rest: Callable[[TrainingWork, Any], None]) -> TrainingJob:
    if reason := why_no_training():
        raise InputError(reason)
    free_memory()
    seconds = server_settings().max_training_seconds
    return TrainingJob(TrainingWork(plan, on_rest), seconds, training_queue()).start()


def _translation_job(request: TranslationRequest) -> TranslationJob:
    return TranslationJob(TranslationWork(request), server_settings().max_translation_seconds)


def _is_active(job: Job[Any, Any] | None) -> bool:
    """Return whether there is a job that waits or runs."""
    return job is not None and job.active


class WorkspaceStore:
    """The workspaces of all tabs of a server, kept for when a tab is reloaded, and limited in number and time.

    Args:
        most: the largest number of workspaces. One with work takes the place of one without, else that of a closed tab,
            the longest unused before others. That of an open tab with work is never removed for another one, and a
            tab that is loaded removes none: it may be the one that was closed.
        is_live: returns whether a Streamlit session still has a browser tab.
        has_work: returns whether a workspace has something to lose.
    """

    def __init__(
        self, most: int, is_live: Callable[[str], bool], has_work: Callable[[Workspace], bool]
    ) -> None:
        self._most = most
        self._is_live = is_live
        self._has_work = has_work
        self._lock = threading.Lock()
        self._workspaces: dict[str, Workspace] = {}

    def create(self, session_id: str) -> Workspace:
        """Create a workspace for a session."""
        workspace = Workspace(session_id)
        self.keep(workspace)
        return workspace

    def keep(self, workspace: Workspace) -> None:
        """Keep the workspace of an open tab if there is a place for it."""
        with self._lock:
            if workspace.id in self._workspaces:
                return
            now = time.monotonic()
            for known in self._removable(now):
                if now - known.last_used > WORKSPACE_SECONDS:
                    self._remove(known)
            if len(self._workspaces) >= self._most and self._works(workspace):
                for known in self._removable(now)[:1]:
                    self._remove(known)
            if len(self._workspaces) < self._most:
                self._workspaces[workspace.id] = workspace

    def claim(self, workspace_id: str, session_id: str) -> Workspace | None:
        """Return the workspace that a reloaded tab had before; None if it is gone or belongs to another tab."""
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
        """Return whether a workspace exists, in any tab."""
        with self._lock:
            return workspace_id in self._workspaces

    def discard(self, workspace: Workspace) -> None:
        """Remove a workspace that is no longer needed."""
        with self._lock:
            self._workspaces.pop(workspace.id, None)

    def forget_gone(self) -> None:
        """Remove the workspaces of closed tabs without active jobs."""
        with self._lock:
            now = time.monotonic()
            self._workspaces = {
                key: workspace
                for key, workspace in self._workspaces.items()
                if workspace.jobs.are_active or self._is_in_use(workspace, now)
            }

    def _removable(self, now: float) -> list[Workspace]:
        """Return the workspaces that may be removed, the one to remove first at the beginning."""
        ranks = {
            known.id: (
                self._works(known),
                self._is_in_use(known, now),
                known.jobs.are_active,
                known.last_used,
            )
            for known in self._workspaces.values()
        }
        found = [known for known in self._workspaces.values() if ranks[known.id][:2] != (True, True)]
        return sorted(found, key=lambda known: ranks[known.id])

    def _remove(self, workspace: Workspace) -> None:
        workspace.jobs.stop()
        del self._workspaces[workspace.id]

    def _works(self, workspace: Workspace) -> bool:
        return workspace.jobs.are_active or self._has_work(workspace)

    def _is_in_use(self, workspace: Workspace, now: float) -> bool:
        """Return whether its tab is open, or was a moment ago, since a reloading tab has no session for a while."""
        return now - workspace.last_used < _MAX_AWAY_SECONDS or bool(self._is_live(workspace.session_id))


def come_back(
    workspaces: WorkspaceStore,
    rooms: Rooms,
    remembered: str,
    fresh: Workspace,
    patience: float = _RELOAD_SECONDS,
) -> Workspace | None:
    """Give a reloaded tab its workspace and its seats in rooms back, and return the workspace that it has from now on.

    The tab remembers the id of what it had, and was given a fresh one until it could tell. It keeps the fresh one if it
    is a copy of a tab that is still open after some seconds of patience. None means that the remembered one is gone.
    """
    deadline = time.monotonic() + patience
    claimed = workspaces.claim(remembered, fresh.session_id)
    while claimed is None and workspaces.knows(remembered) and time.monotonic() < deadline:
        time.sleep(0.1)
        claimed = workspaces.claim(remembered, fresh.session_id)
    if claimed is not None:
        workspaces.discard(fresh)
        # The address may name a model.
        claimed.models.selected = fresh.models.selected or claimed.models.selected
        rooms.unite(remembered, fresh.id, claimed.id)
        return claimed
    if workspaces.knows(remembered):
        return fresh
    rooms.unite(remembered, fresh.id, fresh.id)
    return None
