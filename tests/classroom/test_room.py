from __future__ import annotations

import threading
import tracemalloc
from dataclasses import dataclass

import pytest

from core.classroom.access import TooManyCodesError
from core.classroom.room import (
    MAX_PAIRS,
    MAX_PEOPLE,
    MAX_ROOMS,
    ROOM_SECONDS,
    Room,
    RoomError,
    Rooms,
)
from core.records.room import Place, Question
from core.records.text import Pair

QUESTION = Question("predict_masks", "Which cells are open?", ("all", "below", "none"), "below", "Masks")


@dataclass
class Clock:
    """Time that a test moves."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_person_has_one_answer_which_may_change_until_answers_are_shown() -> None:
    room = Room("K7QF")
    one, other = room.join(), room.join()
    assert room.vote(one, QUESTION, "all") and room.vote(one, QUESTION, "below")
    assert room.vote(other, QUESTION, "all")
    tally = room.tally(one, QUESTION)
    assert (tally.votes, tally.own, tally.answered) == (((1, 1, 0),), (1,), 2)
    room.show_answers(QUESTION)
    assert not room.vote(other, QUESTION, "below")
    assert room.tally(other, QUESTION).own == (0,)
    assert not room.tally(other, QUESTION).is_solved


def test_a_second_vote_stands_beside_the_first() -> None:
    room = Room("K7QF")
    people = [room.join() for _ in range(3)]
    for person in people:
        room.vote(person, QUESTION, "all")
    room.show_answers(QUESTION)
    room.vote_again(QUESTION)
    assert not room.tally(people[0], QUESTION).are_shown
    for person in people[:2]:
        assert room.vote(person, QUESTION, "below")
    room.solve(QUESTION)
    tally = room.tally(people[2], QUESTION)
    assert tally.votes == ((3, 0, 0), (0, 2, 0))
    assert tally.own == (0, None)
    assert tally.is_solved and tally.question.right_option == 1


def test_strangers_neither_vote_nor_teach() -> None:
    room = Room("K7QF")
    person = room.join()
    assert not any(map(room.is_teacher, ("", "K7QF", person, "é")))
    assert room.is_teacher(room.teacher_token)
    assert not room.vote("stranger", QUESTION, "all")
    assert not room.vote(person, QUESTION, "another answer")
    with pytest.raises(RoomError, match="Join"):
        room.send("stranger", Pair("oui", "yes"))
    assert room.tallies() == ()


def test_a_class_follows_and_is_counted_while_its_tabs_are_open() -> None:
    clock = Clock()
    room = Room("K7QF", clock)
    person = room.join()
    room.go_to(Place("masks", 30, 3))
    assert room.place == Place("masks", 30, 3)
    room.note_here(person)
    assert room.num_here == 1
    clock.now = 60
    room.note_here(room.teacher_token)
    assert room.num_here == 0


def test_pairs_are_seen_only_when_the_teacher_has_accepted_them() -> None:
    room = Room("K7QF")
    person = room.join()
    pairs = [Pair(f"phrase {number}", f"sentence {number}") for number in range(MAX_PAIRS)]
    for pair in pairs:
        room.send(person, pair)
    with pytest.raises(RoomError, match="still wait"):
        room.send(person, pairs[0])
    first, second, _ = room.waiting
    room.decide(first.number, True)
    room.decide(second.number, False)
    room.decide(999, True)
    assert room.accepted == (pairs[0],)
    assert [sent.pair for sent in room.waiting] == [pairs[2]]
    room.send(person, pairs[1])


def test_rooms_are_found_by_their_code_and_not_by_guessing() -> None:
    rooms = Rooms(Clock())
    room = rooms.open()
    spaced = f" {room.code[:2].lower()} {room.code[2:]} "
    assert rooms.find(spaced, "tab") is room
    with pytest.raises(TooManyCodesError):
        for _ in range(3):
            assert rooms.find("????", "guesser") is None
    assert rooms.find(room.code, "tab") is room
    rooms.close(room)
    assert not any(rooms.find(room.code, "old link") for _ in range(3))


def test_a_room_ends_when_its_teacher_has_been_away() -> None:
    clock = Clock()
    rooms = Rooms(clock)
    room = rooms.open()
    clock.now = ROOM_SECONDS - 1
    room.note_here(room.teacher_token)
    clock.now += ROOM_SECONDS
    assert rooms.get(room.code) is room
    clock.now += 2
    assert rooms.get(room.code) is None


def test_ten_thousand_joins_and_answers_stay_small_and_end_in_a_sentence() -> None:
    rooms = Rooms()
    tracemalloc.start()
    room = rooms.open()
    people = [room.join() for _ in range(MAX_PEOPLE)]
    for _ in range(10_000 - MAX_PEOPLE):
        with pytest.raises(RoomError, match="full"):
            room.join()
    for number in range(10_000):
        question = Question(f"predict_{number % 30}", "?", ("yes", "no"), "yes", "Masks")
        room.vote(people[number % len(people)], question, "yes")
    assert len(room.tallies()) < 1_000
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < 1_000_000
    for _ in range(MAX_ROOMS - 1):
        rooms.open()
    with pytest.raises(RoomError, match="rooms"):
        rooms.open()


def test_many_answers_at_once_are_all_counted() -> None:
    room = Room("K7QF")
    people = [room.join() for _ in range(100)]

    def answer(part: int) -> None:
        for person in people[part::4]:
            room.vote(person, QUESTION, "below")

    threads = [threading.Thread(target=answer, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert room.tally("", QUESTION).votes == ((0, 100, 0),)
