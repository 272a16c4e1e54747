from __future__ import annotations

import threading

import pytest

from core.classroom.jobs.queue import QueueFullError, RunQueue


def test_two_run_and_the_third_waits_its_turn() -> None:
    queue = RunQueue(max_running=2, max_waiting=5)
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
    queue = RunQueue(max_running=1, max_waiting=5)
    queue.enter()
    waiting, behind = queue.enter(), queue.enter()
    stop = threading.Event()
    stop.set()
    with queue.turn(waiting, stop) as mine:
        assert not mine
    assert queue.place(behind) == 1


def test_a_full_queue_says_so() -> None:
    queue = RunQueue(max_running=1, max_waiting=1)
    queue.enter()
    queue.enter()
    with pytest.raises(QueueFullError, match="Too many people are training"):
        queue.enter()


def test_who_gives_way_is_the_last() -> None:
    queue = RunQueue(max_running=1, max_waiting=5)
    first, second = queue.enter(), queue.enter()
    stop = threading.Event()
    stop.set()
    queue.give_way(first, stop)
    assert (queue.place(first), queue.place(second)) == (1, 0)
    queue.leave(second)
    queue.give_way(first, threading.Event())  # nobody waits: it has its turn at once
    assert queue.place(first) == 0
    queue.leave(first)
    queue.give_way(first, threading.Event())  # it has no place to give
    assert queue.place(queue.enter()) == 0
