"""How many of each kind of long work a server does at a time, and how many may wait."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.classroom.jobs import JobQueue, QueueFullError
from pages.components.app import queues


@pytest.mark.parametrize(
    ("make", "running", "waiting"),
    [
        (queues.training_queue, 2, 60),
        (queues.evaluation_queue, 1, 60),
        (queues.translation_queue, 4, 60),
    ],
)
def test_few_run_and_the_queue_has_an_end(make: Callable[[], JobQueue], running: int, waiting: int) -> None:
    queue: JobQueue = make.__wrapped__()  # type: ignore[attr-defined]  # a fresh one: the server's is of all tests
    tickets = [queue.enter() for _ in range(running + waiting)]
    assert [queue.place(ticket) for ticket in tickets] == [0] * running + list(range(1, waiting + 1))
    with pytest.raises(QueueFullError):
        queue.enter()
