import random
from typing import Any, cast

import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.config import DecodingConfig
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.server import workspace
from core.server.evaluation_job import EvaluationJob, EvaluationPlan
from core.server.queue import JobQueue
from core.server.trained_model import TrainedModel
from core.server.training_job import TrainingPlan
from core.server.translation_job import TranslationRequest
from core.server.workspace import WORKSPACE_SECONDS, Workspace, WorkspaceStore
from core.training.recipe import prepare_training
from tests.conftest import ChangeSetting

WORK = object()  # a lesson, say


def store(live: set[str], most: int = 10) -> WorkspaceStore:
    return WorkspaceStore(most, live.__contains__, lambda workspace: workspace.page_memory is WORK)


def test_a_workspace_is_its_tabs_alone_also_after_a_reload() -> None:
    workspaces = store(live={"new", "another"})
    before = workspaces.create("old")
    assert workspaces.claim("guess", "another") is None
    assert workspaces.claim(before.id, "new") is before
    assert workspaces.claim(before.id, "another") is None
    assert workspaces.knows(before.id) and before.session_id == "new"


def aged(workspaces: WorkspaceStore, session_id: str, age: float, working: bool = False) -> Workspace:
    """A workspace that was last used so many seconds ago, perhaps with a job at work."""
    workspace = workspaces.create(session_id)
    workspace.last_used -= age
    if working:
        workspace.jobs.evaluation = cast(EvaluationJob, WorkingJob())
    return workspace


class WorkingJob:
    """A job at work until it is stopped."""

    def __init__(self) -> None:
        self.active = True

    def stop(self) -> None:
        self.active = False


@pytest.mark.parametrize(
    ("tabs", "are_kept"),
    [
        ([("gone", 100, False), ("gone", 300, False), ("gone", 200, False)], [True, False, True]),
        ([("there", 500, False), ("gone", 100, True), ("gone", 50, False)], [True, True, False]),
        ([("there", 500, False), ("gone", 100, True), ("there", 10, False)], [False, True, True]),
        ([("there", 500, True), ("gone", 100, True), ("gone", 200, True)], [True, True, False]),
        ([("there", WORKSPACE_SECONDS + 1, True), ("there", 10, False)], [True, False]),
        ([("gone", 0, True), ("there", 10, False)], [True, False]),
        ([("gone", WORKSPACE_SECONDS + age, False) for age in (1, 2)] + [("there", 10, False)], [False, False, True]),
    ],
    ids=["the longest unused", "of idle ones the gone", "an open tab with nothing to lose before a gone one with work",
         "of those with work the gone", "no training for another", "no training of a tab that reloads", "all old ones"],
)  # fmt: skip
def test_who_makes_way_for_a_tab_with_work(tabs: list[tuple[str, float, bool]], are_kept: list[bool]) -> None:
    workspaces = store(live={"there"}, most=len(tabs))
    before = [aged(workspaces, *tab) for tab in tabs]
    newcomer = Workspace("there")
    newcomer.page_memory = WORK
    workspaces.keep(newcomer)
    assert [workspaces.knows(each.id) for each in before] == are_kept and workspaces.knows(newcomer.id)
    assert not any(each.jobs.are_active for each in before if not workspaces.knows(each.id))


@pytest.mark.parametrize("session_id", ["there", "gone"])
@pytest.mark.parametrize("working", [False, True])
def test_work_is_kept_for_its_reload_however_many_tabs_are_loaded(working: bool, session_id: str) -> None:
    workspaces = store(live={"there"}, most=3)
    there = [aged(workspaces, session_id, 100.0, working) for _ in range(3)]
    if not working:
        for each in there:
            each.page_memory = WORK
    loaded = [workspaces.create("there") for _ in range(10)]
    assert all(workspaces.knows(each.id) for each in there)
    assert not any(workspaces.knows(each.id) for each in loaded)


def test_who_has_no_place_gets_one_when_there_is_one() -> None:
    workspaces = store(live={"there"}, most=2)
    there = [aged(workspaces, "there", 100.0, working=True) for _ in range(2)]
    late = workspaces.create("there")
    late.page_memory = WORK
    workspaces.keep(late)
    assert all(workspaces.knows(each.id) for each in there) and not workspaces.knows(late.id)
    there[1].jobs.stop()
    workspaces.keep(late)  # it has run again
    assert [workspaces.knows(each.id) for each in (*there, late)] == [True, False, True]


def test_where_memory_is_short_only_tabs_that_are_gone_and_idle_are_forgotten() -> None:
    workspaces = store(live={"there"})
    gone, working = aged(workspaces, "gone", 60.0), aged(workspaces, "gone", 60.0, working=True)
    reloading, there = aged(workspaces, "gone", 0.0), aged(workspaces, "there", 60.0)
    workspaces.forget_gone()
    kept = [workspaces.knows(each.id) for each in (gone, working, reloading, there)]
    assert kept == [False, True, True, True]


def test_ids_cannot_be_guessed() -> None:
    ids = []
    for _ in range(20):
        random.seed(0)
        ids.append(Workspace().id)
    assert all(len(workspace_id) >= 20 for workspace_id in ids)
    for characters in zip(*(workspace_id[:20] for workspace_id in ids), strict=True):
        assert len(set(characters)) > 5, "a clock or a counter begins alike"


def test_each_job_is_given_the_time_that_the_server_allows(
    checkpoint: Checkpoint, change_setting: ChangeSetting, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, kind in enumerate(("training", "translation", "evaluation")):
        change_setting(f"max_{kind}_seconds", 10.0 + number)
    jobs, model = Workspace().jobs, TrainedModel("Classroom", checkpoint)
    queue = JobQueue(0, 9)  # no job can run
    monkeypatch.setattr(workspace, "training_queue", lambda: queue)
    monkeypatch.setattr(workspace, "evaluation_queue", lambda: queue)
    request = TranslationRequest(model, ("je",), DecodingConfig())
    prepared = prepare_training(PAIRS, CLASSROOM.model, CLASSROOM.training)
    jobs.start_training(TrainingPlan("Pairs", prepared))
    jobs.translate(request)
    jobs.start_lines(request)
    jobs.start_evaluation(EvaluationPlan(model, "pairs", "", lambda: PAIRS, DecodingConfig()))
    started: list[Any] = [jobs.training, jobs.translation, jobs.lines, jobs.evaluation]
    assert [job._time_limit for job in started] == [10.0, 11.0, 11.0, 12.0]
    jobs.stop()
    assert all(job.wait(10) for job in started)


def test_no_two_models_have_one_name(checkpoint: Checkpoint) -> None:
    models = Workspace().models
    opened = [models.open(TrainedModel("Classroom", checkpoint)) for _ in range(3)]
    assert [model.name for model in opened] == ["Classroom", "Classroom 2", "Classroom 3"]
    assert models.kept == opened and models.selected is opened[-1]
    assert models.open(TrainedModel("Shipped", checkpoint), taken=["Shipped"]).name == "Shipped 2"


def test_as_many_trainings_run_as_the_server_allows_and_one_evaluation(change_setting: ChangeSetting) -> None:
    change_setting("max_trainings", 3)
    for make, running in ((workspace.training_queue, 3), (workspace.evaluation_queue, 1)):
        queue = make.__wrapped__()  # a fresh one: the server's is of all tests
        assert [queue.place(queue.enter()) for _ in range(5)] == [max(0, n - running + 1) for n in range(5)]
