from __future__ import annotations

import random
from typing import Any, cast

import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.classroom.evaluation_job import EvaluationJob, EvaluationPlan
from core.classroom.jobs import Job
from core.classroom.models import TrainedModel
from core.classroom.queue import JobQueue
from core.classroom.training_job import TrainingPlan
from core.classroom.translation_job import TranslationRequest
from core.classroom.workspace import Workspace, WorkspacesFullError, WorkspaceStore
from core.config import DecodingConfig
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.records import Pair
from core.training.recipe import prepare_word_training
from tests.conftest import ChangeSetting


def store(live: set[str], most: int = 10, seconds: float = 1000.0) -> WorkspaceStore:
    return WorkspaceStore(most, lambda session_id: session_id in live, seconds)


def test_a_reloaded_tab_gets_its_workspace_back() -> None:
    workspaces = store(live={"new"})
    before = workspaces.create("old")
    assert workspaces.claim(before.id, "new") is before
    assert before.session_id == "new"


def test_another_live_tab_keeps_its_workspace() -> None:
    workspaces = store(live={"first", "second"})
    first = workspaces.create("first")
    assert workspaces.claim(first.id, "second") is None
    assert workspaces.knows(first.id)


def test_an_unknown_id_gets_nothing() -> None:
    assert store(live=set()).claim("guess", "session") is None


def aged(workspaces: WorkspaceStore, session_id: str, age: float, working: bool = False) -> Workspace:
    """A workspace that was last used so many seconds ago, perhaps with a job at work."""
    workspace = workspaces.create(session_id)
    workspace.last_used -= age
    if working:
        workspace.evaluation = cast(EvaluationJob, WorkingJob())
    return workspace


class WorkingJob:
    """A job at work until it is stopped."""

    def __init__(self) -> None:
        self.active = True

    def stop(self) -> None:
        self.active = False


def test_the_longest_unused_goes_first() -> None:
    workspaces = store(live=set(), most=3)
    kept = [aged(workspaces, f"{number}", age) for number, age in enumerate((100.0, 300.0, 200.0))]
    workspaces.create("one more")
    assert [workspaces.knows(workspace.id) for workspace in kept] == [True, False, True]


def test_tabs_that_are_gone_go_before_those_that_are_there() -> None:
    workspaces = store(live={"there"}, most=3)
    there = aged(workspaces, "there", 500.0)
    gone = [aged(workspaces, "gone", 100.0, working=True), aged(workspaces, "gone", 50.0)]
    newer = [aged(workspaces, "there", 10.0), aged(workspaces, "there", 10.0)]
    assert not any(workspaces.knows(workspace.id) for workspace in gone)
    assert all(workspaces.knows(workspace.id) for workspace in (there, *newer))


def test_of_tabs_that_are_gone_the_idle_ones_go_first() -> None:
    workspaces = store(live=set(), most=2)
    working, idle = aged(workspaces, "a", 100.0, working=True), aged(workspaces, "b", 50.0)
    workspaces.create("new")
    assert workspaces.knows(working.id)
    assert not workspaces.knows(idle.id)


def test_hundreds_of_new_tabs_stop_nobodys_training() -> None:
    workspaces = store(live={"there", "new"}, most=5)
    there = aged(workspaces, "there", 2000.0, working=True)  # longer than any other is remembered
    for _ in range(200):
        aged(workspaces, "new", 10.0)
    assert workspaces.knows(there.id)
    assert there.working


def test_a_tab_that_reloads_keeps_its_training() -> None:
    workspaces = store(live={"new"}, most=2)
    reloading = aged(workspaces, "gone", 0.0, working=True)
    idle = aged(workspaces, "new", 10.0)
    fresh = workspaces.create("new")
    assert not workspaces.knows(idle.id)
    assert workspaces.claim(reloading.id, "new") is reloading
    assert workspaces.knows(fresh.id)


def test_where_all_work_the_newcomer_reads_so() -> None:
    workspaces = store(live={"there"}, most=3)
    there = [aged(workspaces, "there", 100.0, working=True) for _ in range(3)]
    with pytest.raises(WorkspacesFullError, match="All 3 places"):
        workspaces.create("new")
    there[1].end()
    assert workspaces.create("new")
    assert [workspaces.knows(workspace.id) for workspace in there] == [True, False, True]


def test_where_memory_is_short_only_tabs_that_are_gone_and_idle_are_forgotten() -> None:
    workspaces = store(live={"there"})
    gone, working = aged(workspaces, "gone", 60.0), aged(workspaces, "gone", 60.0, working=True)
    reloading, there = aged(workspaces, "gone", 0.0), aged(workspaces, "there", 60.0)
    workspaces.forget_gone()
    assert [workspaces.knows(each.id) for each in (gone, working, reloading, there)] == [
        False, True, True, True,
    ]  # fmt: skip


def test_a_workspace_that_goes_takes_its_jobs_along() -> None:
    workspaces = store(live=set(), most=1)
    gone = aged(workspaces, "gone", 100.0, working=True)
    workspaces.create("new")
    assert not gone.working


def test_old_ones_go() -> None:
    workspaces = store(live=set(), seconds=10.0)
    old = workspaces.create("old")
    old.last_used -= 11
    workspaces.create("new")
    assert not workspaces.knows(old.id)


def test_ids_cannot_be_guessed() -> None:
    ids = []
    for _ in range(20):
        random.seed(0)
        ids.append(Workspace().id)
    assert all(len(workspace_id) >= 20 for workspace_id in ids)
    for characters in zip(*(workspace_id[:20] for workspace_id in ids), strict=True):
        assert len(set(characters)) > 5, "a clock or a counter begins alike"


def test_each_job_is_given_the_time_that_the_server_allows(
    checkpoint: Checkpoint, change_setting: ChangeSetting
) -> None:
    kinds = ("training", "translation", "evaluation")
    for number, kind in enumerate(kinds):
        change_setting(f"max_{kind}_seconds", 10.0 + number)
    workspace, model = Workspace(), TrainedModel("Classroom", checkpoint)
    queue = JobQueue(0, 9)  # nobody has a turn
    request = TranslationRequest(model, ("je",), DecodingConfig())
    prepared = prepare_word_training(PAIRS, CLASSROOM.model, CLASSROOM.training)
    workspace.start_training(TrainingPlan("Pairs", prepared), queue)
    workspace.start_translation(request, queue)
    workspace.start_lines(request, queue)
    workspace.start_evaluation(EvaluationPlan(model, "pairs", "", lambda: PAIRS, DecodingConfig()), queue)
    jobs: tuple[Job[Any, Any] | None, ...] = (
        workspace.job, workspace.translation, workspace.lines_job, workspace.evaluation,
    )  # fmt: skip
    assert [job and job._time_limit for job in jobs] == [10.0, 11.0, 11.0, 12.0]
    workspace.end()
    assert all(job is not None and job.wait(10) for job in jobs)


def test_no_two_models_have_one_name(checkpoint: Checkpoint) -> None:
    workspace = Workspace()
    for _ in range(3):
        workspace.open_model(TrainedModel("Classroom", checkpoint))
    assert [model.name for model in workspace.models] == ["Classroom", "Classroom 2", "Classroom 3"]
    assert workspace.model is workspace.models[-1]


def test_what_cannot_be_had_again_by_asking_again_is_work() -> None:
    workspace = Workspace()
    assert not workspace.has_work
    workspace.pairs = (Pair("le chat", "the cat"),)
    assert workspace.has_work
