from __future__ import annotations

from itertools import pairwise

import pytest

from core.records import StepReport
from core.training.step_log import MAX_REPORTS, StepLog


def filled(steps: int, steps_per_epoch: int, max_reports: int = MAX_REPORTS) -> StepLog:
    log = StepLog(max_reports)
    for step in range(1, steps + 1):
        epoch = (step - 1) // steps_per_epoch + 1
        log.add(StepReport(step, epoch, 1.0, 0.5, 0.001, ends_epoch=step % steps_per_epoch == 0))
    return log


def steps_of(log: StepLog) -> list[int]:
    return [report.step for report in log.reports]


def test_an_empty_log() -> None:
    assert (StepLog().reports, StepLog().last) == ((), None)


def test_all_steps_stay_while_there_is_room() -> None:
    assert steps_of(filled(1200, 2)) == list(range(1, 1201))


@pytest.mark.parametrize("steps_per_epoch", [1, 2, 7, 30, 1000, 10**9])
def test_a_long_training_takes_no_more_memory_than_a_short_one(steps_per_epoch: int) -> None:
    log = filled(40_003, steps_per_epoch, max_reports=200)
    steps = steps_of(log)
    assert 50 <= len(steps) <= 200
    assert steps == sorted(set(steps))
    assert (steps[0], steps[-1]) == (1, 40_003)
    assert log.last is log.reports[-1]
    gaps = [after - before for before, after in pairwise(steps)]
    assert max(gaps) <= 40_003 / 50  # no stretch is left out


def test_ends_of_epochs_stay() -> None:
    steps = steps_of(filled(5000, 100, max_reports=200))
    assert set(range(100, 5001, 100)) <= set(steps)


@pytest.mark.slow
def test_a_long_training_of_the_app_is_drawn_from_two_thousand_steps() -> None:
    assert 500 <= len(filled(400_000, 3000).reports) <= MAX_REPORTS == 2000


def test_after_a_resume_the_first_step_here_stays() -> None:
    log = StepLog(max_reports=10)
    for step in range(501, 700):
        log.add(StepReport(step, 1, 1.0, 0.5, 0.001, ends_epoch=False))
    assert (steps_of(log)[0], steps_of(log)[-1]) == (501, 699)
    assert len(log.reports) <= 10
