from __future__ import annotations

import threading
import time

import pytest

from core.classroom.gate import Gate
from core.classroom.jobs.finding_job import FindingJob, FindingWork, Pause
from core.classroom.jobs.job import Status
from core.classroom.jobs.queue import JobQueue


def endless(pause: Pause) -> None:
    for _ in range(10_000):
        pause()
        time.sleep(0.002)


def test_it_stops_between_two_batches_and_keeps_nothing() -> None:
    began, go_on, batches = threading.Event(), threading.Event(), []

    def find(pause: Pause) -> str:
        for number in range(1000):
            pause()
            batches.append(number)
            began.set()
            assert go_on.wait(60)
        return "all"

    job = FindingJob(FindingWork("key", find), JobQueue(1, 5), 100.0)
    job.start()
    assert began.wait(60)
    job.stop()
    go_on.set()
    assert job.wait(60)
    assert job.view().status is Status.STOPPED
    assert len(batches) < 3
    assert job.work.found is None


def test_its_time_ends() -> None:
    job = FindingJob(FindingWork("key", endless), JobQueue(1, 5), 0.1)
    job.start()
    assert job.wait(15)
    view = job.view()
    assert view.status is Status.STOPPED
    assert "reached its time limit of 1 s" in view.message
    assert job.work.found is None


def test_others_compute_between_two_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(1)
    monkeypatch.setattr("core.classroom.jobs.finding_job.compute_gate", lambda: gate)
    job = FindingJob(FindingWork("key", endless), JobQueue(1, 5), 100.0)
    job.start()
    for _ in range(3):
        with gate:
            assert job.active  # and goes on
    job.stop()
    assert job.wait(15)
    with gate:
        pass
