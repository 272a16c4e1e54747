from __future__ import annotations

import threading
import time

import pytest

from core.classroom.jobs.queue import JobQueue, QueueFullError


def test_two_run_and_the_third_waits_its_turn() -> None:
    queue = JobQueue(max_running=2, max_waiting=5)
    first, second, third, fourth = (queue.enter() for _ in range(4))
    assert [queue.place(ticket) for ticket in (first, second, third, fourth)] == [0, 0, 1, 2]
    entered = threading.Event()

    def wait() -> None:
        with queue.turn(third, threading.Event()) as mine:
            assert mine
            entered.set()

    thread = threading.Thread(target=wait)
    thread.start()
    assert not entered.wait(0.3)
    queue.leave(second)
    assert entered.wait(5)
    thread.join()
    assert queue.place(fourth) == 0  # third has left by itself


def test_whoever_stops_waiting_makes_room() -> None:
    queue = JobQueue(max_running=1, max_waiting=5)
    queue.enter()
    waiting, behind = queue.enter(), queue.enter()
    stop = threading.Event()
    stop.set()
    with queue.turn(waiting, stop) as mine:
        assert not mine
    assert queue.place(behind) == 1


def test_a_full_queue_says_so() -> None:
    queue = JobQueue(max_running=1, max_waiting=1)
    queue.enter()
    queue.enter()
    with pytest.raises(QueueFullError, match="Too many people are training"):
        queue.enter()


def test_what_a_turn_took_tells_how_long_the_next_will_wait() -> None:
    queue = JobQueue(max_running=2, max_waiting=5)
    assert queue.seconds_to_wait(1) is None
    with queue.turn(queue.enter(), threading.Event()):
        time.sleep(0.2)
    one = queue.seconds_to_wait(1)
    assert one is not None and one >= 0.1  # two run at a time
    assert queue.seconds_to_wait(3) == pytest.approx(3 * one)
    stop = threading.Event()
    stop.set()
    with queue.turn(queue.enter(), stop):  # it had no turn
        pass
    assert queue.seconds_to_wait(1) == one
