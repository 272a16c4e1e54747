from __future__ import annotations

import threading
import time

import pytest

from core.classroom.queue import Gate, JobQueue, QueueFullError


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


def test_places_are_given_in_the_order_of_coming() -> None:
    gate, order = Gate(1), []

    def take(number: int) -> None:
        with gate:
            order.append(number)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(8)]
    with gate:
        for thread in threads:
            thread.start()
            time.sleep(0.02)  # so that they come one after the other
        assert order == []
    for thread in threads:
        thread.join(10)
    assert order == list(range(8))


def test_no_more_compute_than_there_are_places() -> None:
    gate, lock = Gate(2), threading.Lock()
    here, most = 0, 0

    def compute() -> None:
        nonlocal here, most
        for _ in range(20):
            with gate:
                with lock:
                    here += 1
                    most = max(most, here)
                time.sleep(0.001)
                with lock:
                    here -= 1

    threads = [threading.Thread(target=compute) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert most == 2


def test_a_sentence_comes_between_two_batches_of_a_novel() -> None:
    gate, order = Gate(1), []
    first_batch, asked = threading.Event(), threading.Event()

    def read_novel() -> None:
        for batch in range(3):
            with gate:
                order.append(f"batch {batch}")
                first_batch.set()
                assert asked.wait(10)
                time.sleep(0.05)

    def read_sentence() -> None:
        asked.set()
        with gate:
            order.append("sentence")

    novel, sentence = threading.Thread(target=read_novel), threading.Thread(target=read_sentence)
    novel.start()
    assert first_batch.wait(10)
    sentence.start()
    novel.join(10)
    sentence.join(10)
    assert order == ["batch 0", "sentence", "batch 1", "batch 2"]


def test_an_error_leaves_the_place() -> None:
    gate = Gate(1)
    try:
        with gate:
            raise ValueError
    except ValueError:
        pass
    with gate:
        pass
