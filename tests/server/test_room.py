import sys
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from core.errors import RefusedError
from core.records.question import ChoiceQuestion, NumberQuestion
from core.records.room import Place
from core.records.text import Pair
from core.server.access import TooManyCodesError
from core.server.people import GONE_SECONDS
from core.server.room import MAX_PAIRS, MAX_PEOPLE, ROOM_SECONDS, Room, Seat
from core.server.rooms import MAX_ROOMS, TICKET_SECONDS, Rooms
from core.server.trained_model import TrainedModel
from tests.server.test_access import Clock

QUESTION = ChoiceQuestion(
    "masks", "masks", "Which cells are open?", "below", "", {"none": "", "all": ""}, moment="prediction"
)  # whose options are none, all, below


def tokens(room: Room, number: int) -> list[str]:
    """People in a room, each in a tab of their own."""
    return [room.join(f"tab {each}").token for each in range(number)]


def test_a_person_has_one_answer_which_may_change_until_answers_are_shown() -> None:
    room = Room("K7QF")
    one, other = tokens(room, 2)
    assert room.answer(one, QUESTION.read(0)) and room.answer(one, QUESTION.read(1))
    assert room.answer(other, QUESTION.read(0))
    tally = room.tally(one, QUESTION)
    assert (tally.votes, tally.own, tally.answered) == (((1, 1, 0),), (QUESTION.read(1),), 2)
    room.act(QUESTION, "show answers")
    assert not room.answer(other, QUESTION.read(1))
    assert room.tally(other, QUESTION).own == (QUESTION.read(0),)
    assert not room.tally(other, QUESTION).is_solved


def test_answers_of_many_threads_at_once_are_all_counted() -> None:
    """Threads change places as often as they can; each answer counts all."""
    room = Room("K7QF")
    people = tokens(room, 300)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            counted = list(threads.map(lambda token: room.answer(token, QUESTION.read(2)), people))
    finally:
        sys.setswitchinterval(interval)
    assert all(counted) and room.tally("", QUESTION).votes == ((0, 0, 300),)


def test_a_second_vote_stands_beside_the_first() -> None:
    room = Room("K7QF")
    people = tokens(room, 3)
    for person in people:
        room.answer(person, QUESTION.read(0))
    room.act(QUESTION, "show answers")
    room.act(QUESTION, "vote again")
    assert not room.tally(people[0], QUESTION).are_shown
    for person in people[:2]:
        assert room.answer(person, QUESTION.read(1))
    room.act(QUESTION, "solve")
    tally = room.tally(people[2], QUESTION)
    assert tally.votes == ((3, 0, 0), (0, 2, 0))
    assert tally.own == (QUESTION.read(0), None)
    assert tally.is_solved
    room.act(QUESTION, "vote again")
    assert room.tally(people[2], QUESTION) == tally, "the teacher has pressed twice"


def test_each_reads_a_question_in_their_own_language_and_the_end_is_in_the_teachers() -> None:
    room = Room("K7QF")
    (person,) = tokens(room, 1)
    portuguese = replace(QUESTION, question="Quais?", answer="abaixo", wrong={"nenhuma": "", "todas": ""})
    assert room.answer(person, portuguese.read(1))
    teacher_s = room.tally(room.teacher_token, QUESTION)
    assert teacher_s == replace(room.tally("", portuguese), question=QUESTION)
    assert room.tally(person, portuguese).question == portuguese
    assert [(each.question, each.votes) for each in room.tallies()] == [(QUESTION, ((0, 1, 0),))]


def test_after_the_solution_no_answer_counts() -> None:
    room = Room("K7QF")
    one, other = tokens(room, 2)
    room.answer(one, QUESTION.read(0))
    room.act(QUESTION, "solve")
    assert not room.answer(one, QUESTION.read(1)) and not room.answer(other, QUESTION.read(1))
    assert room.tally(one, QUESTION).votes == ((1, 0, 0),)


def test_a_class_of_two_languages_has_one_count() -> None:
    room = Room("K7QF")
    one, other = tokens(room, 2)
    asked = replace(
        QUESTION, question="Quelles cases ?", answer="dessous", wrong={"aucune": "", "toutes": ""}
    )
    assert room.answer(one, QUESTION.read(1)) and room.answer(other, asked.read(1))
    assert room.tally("", QUESTION).votes == ((0, 2, 0),)


def test_a_person_alone_is_told_what_it_has_answered_first() -> None:
    room = Room("K7QF")
    one, other = tokens(room, 2)
    number = NumberQuestion("sum", "masks", "How many?", 1.0, "", "")
    room.answer(one, QUESTION.read(0))
    room.answer(one, QUESTION.read(1))
    room.answer(other, number.read("12"))
    room.answer(one, number.read("1"))
    assert [(each.question, each.option, each.is_right) for each in room.answers_of(one)] == [
        (QUESTION, 0, False),
        (number, 0, True),
    ]
    assert [each.typed for each in room.answers_of(other)] == ["12"]
    assert room.answers_of("stranger") == room.answers_of(room.teacher_token) == []


def test_a_page_runs_again_when_what_it_shows_of_the_room_changes() -> None:
    rooms = Rooms()
    room = rooms.open("teacher").room
    seat = rooms.join(room, "tab")
    before = seat.state([QUESTION])
    room.answer(rooms.join(room, "other").token, QUESTION.read(0))
    room.note_here(seat.token)
    assert seat.state([QUESTION]) == before, "a whole class would run its pages at each answer"
    changes: tuple[Callable[[], object], ...] = (
        lambda: room.answer(seat.token, QUESTION.read(0)),  # on the person's phone
        lambda: room.go_to(Place("masks")),
        lambda: setattr(seat, "place", room.place),
        lambda: setattr(seat, "follows", False),
        lambda: setattr(seat, "shows", "code"),
        seat.follow,
        lambda: room.act(QUESTION, "show answers"),
        lambda: room.act(QUESTION, "vote again"),
        lambda: room.act(QUESTION, "show answers"),
        lambda: room.act(QUESTION, "solve"),
        lambda: room.hand_over(cast(TrainedModel, SimpleNamespace(id="ours"))),
        lambda: rooms.leave("tab"),
    )
    for change in changes:
        before = seat.state([QUESTION])
        assert seat.state([QUESTION]) == before
        change()
        assert seat.state([QUESTION]) != before


def test_strangers_neither_vote_nor_teach() -> None:
    room = Room("K7QF")
    (person,) = tokens(room, 1)
    assert not any(map(room.is_teacher, ("", "K7QF", person, "é")))
    assert room.is_teacher(room.teacher_token)
    assert not room.answer("stranger", QUESTION.read(0))
    for nonsense in (3, -1, "0", None):
        with pytest.raises(ValueError):
            room.answer(person, QUESTION.read(nonsense))
    with pytest.raises(RefusedError):
        room.send("stranger", Pair("oui", "yes"))
    assert room.tallies() == ()


def test_a_class_follows_and_is_counted_while_its_tabs_are_open() -> None:
    clock = Clock()
    room = Room("K7QF", clock)
    (person,) = tokens(room, 1)
    room.go_to(Place("masks", "30", 3))
    assert room.place == Place("masks", "30", 3)
    room.note_here(person)
    assert room.num_here == 1
    clock.now = 60
    room.note_here(room.teacher_token)
    assert room.num_here == 0


def test_pairs_are_seen_only_when_the_teacher_has_accepted_them() -> None:
    room = Room("K7QF")
    (person,) = tokens(room, 1)
    pairs = [Pair(f"phrase {number}", f"sentence {number}") for number in range(MAX_PAIRS)]
    for pair in pairs:
        room.send(person, pair)
    with pytest.raises(RefusedError):
        room.send(person, Pair("encore", "one more"))
    first, second, _ = room.waiting
    room.decide(first.number, True)
    room.decide(second.number, False)
    room.decide(second.number, True)  # on the projector, after the remote
    room.decide(999, True)
    assert room.accepted == (pairs[0],)
    assert [sent.pair for sent in room.waiting] == [pairs[2]]
    room.send(person, pairs[1])


def test_a_sentence_that_two_have_sent_is_trained_on_once() -> None:
    room = Room("K7QF")
    pair = Pair("le chat dort", "the cat sleeps")
    for person in tokens(room, 2):
        room.send(person, pair)
    for sent in room.waiting:
        room.decide(sent.number, True)
    assert room.accepted == (pair,)


def test_refused_sentences_do_not_use_up_the_rooms_200() -> None:
    room = Room("K7QF")
    people = tokens(room, 68)
    for number in range(300):
        room.send(people[0], Pair(f"phrase {number}", "sentence"))
        room.decide(room.waiting[0].number, False)
    for number in range(200):
        room.send(people[number // MAX_PAIRS], Pair(f"phrase {number}", "sentence"))
    with pytest.raises(RefusedError, match="200"):
        room.send(people[-1], Pair("encore", "one more"))


def test_rooms_are_found_by_their_code_and_not_by_guessing() -> None:
    rooms = Rooms(Clock())
    room = rooms.open("teacher").room
    spaced = f" {room.code[:2].lower()} {room.code[2:]} "
    rooms.join(room, "tab")
    assert rooms.find(spaced, "address") is room
    with pytest.raises(TooManyCodesError):
        while True:
            assert rooms.find("????", "address") is None
    with pytest.raises(TooManyCodesError):
        rooms.find(room.code, "address", "tab of somebody else")
    assert rooms.find(room.code, "address", "tab") is room, "it has a seat"
    assert rooms.find(room.code, "another address") is room
    rooms.close(room)
    assert not any(rooms.find(room.code, "old link") for _ in range(100))


def test_a_room_ends_when_its_teacher_has_been_away() -> None:
    clock = Clock()
    rooms = Rooms(clock)
    room = rooms.open("teacher").room
    clock.now = ROOM_SECONDS - 1
    room.note_here(room.teacher_token)
    clock.now += ROOM_SECONDS
    assert rooms.get(room.code) is room
    clock.now += 2
    assert rooms.get(room.code) is None


@pytest.mark.long
def test_ten_thousand_joins_and_answers_stay_small_and_end_in_a_sentence() -> None:
    rooms = Rooms(Clock())  # a busy machine may take longer than a silent tab keeps its place
    questions = [replace(QUESTION, name=f"{number}") for number in range(30)]
    tracemalloc.start()
    room = rooms.open("teacher").room
    people = tokens(room, MAX_PEOPLE)
    for number in range(MAX_PEOPLE, 10_000):
        with pytest.raises(RefusedError):
            room.join(f"tab {number}")
    for number in range(10_000):
        room.answer(people[number % len(people)], questions[number % len(questions)].read(0))
    assert len(room.tallies()) < 1_000
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < 1_000_000
    for number in range(MAX_ROOMS - 1):
        rooms.open(f"tab {number}")
    with pytest.raises(RefusedError):
        rooms.open("one more")


def test_changes_are_told_to_those_who_see_them_until_they_listen_no_more() -> None:
    room = Room("K7QF")
    person, _ = tokens(room, 2)
    told: list[str | None] = []
    stop = room.listen(told.append)
    room.answer(person, QUESTION.read(0))
    room.send(person, Pair("oui", "yes"))
    assert told == [person, person]
    changes: tuple[Callable[[], object], ...] = (
        lambda: room.go_to(Place("masks")),
        lambda: room.act(QUESTION, "show answers"),
        lambda: room.act(QUESTION, "vote again"),
        lambda: room.act(QUESTION, "solve"),
        lambda: room.decide(1, True),
        lambda: room.hand_over(cast(TrainedModel, SimpleNamespace(id="ours"))),
        room.take_remotes_away,
        room.close,
    )
    for change in changes:
        del told[:]
        change()
        assert told == [None]
    stop()
    room.answer(person, replace(QUESTION, name="roles").read(0))
    assert told == [None]


def test_a_ticket_makes_one_remote_in_time_until_it_is_taken_away() -> None:
    clock = Clock()
    rooms = Rooms(clock)
    room = rooms.open("teacher").room
    seen_by_a_student, ticket = (rooms.new_ticket(room) for _ in range(2))
    clock.now = TICKET_SECONDS - 1
    assert rooms.take_ticket(seen_by_a_student, "student") is None
    seat = rooms.take_ticket(ticket, "phone")
    assert seat is not None and seat.is_remote and not seat.is_teacher and room.seat_of("phone") is seat
    assert not rooms.knows_ticket(ticket) and rooms.take_ticket(ticket, "student") is None
    assert rooms.join(room, "student", other="phone") is not seat, "a cookie shares no remote"
    room.take_remotes_away()
    assert not any((room.is_remote(seat.token), room.knows(seat.token), room.seat_of("phone")))
    late = rooms.new_ticket(room)
    clock.now += TICKET_SECONDS + 1
    assert rooms.take_ticket(late, "phone") is None


def test_a_ticket_is_gone_only_when_its_remote_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = Rooms()
    room = rooms.open("teacher").room
    ticket, let_lead_from = rooms.new_ticket(room), room.let_lead_from
    known: list[bool] = []

    def look_and_let(tab: str) -> Seat:
        known.append(rooms.knows_ticket(ticket))
        return let_lead_from(tab)

    monkeypatch.setattr(room, "let_lead_from", look_and_let)
    assert rooms.take_ticket(ticket, "phone") and known == [True], "a screen looks at both, at any time"


def test_a_phone_and_its_full_page_are_one_person_also_after_a_reload() -> None:
    rooms = Rooms()
    room = rooms.open("teacher").room
    phone = rooms.join(room, "phone")
    assert rooms.join(room, "page", other="phone") is phone
    rooms.join(room, "page after a reload", other="phone")
    rooms.unite("page", "page after a reload", "page")
    assert rooms.seat_of("page") is phone and rooms.seat_of("phone") is phone
    before = rooms.join(room, "another page")
    rooms.join(room, "it after a reload", other="phone")
    rooms.unite("another page", "it after a reload", "another page")
    assert rooms.seat_of("another page") is before
    assert room.answer(phone.token, QUESTION.read(0)) and room.answer(phone.token, QUESTION.read(1))
    assert room.tally("", QUESTION).votes == ((0, 1, 0),)
    for number in range(100):
        rooms.join(room, f"page {number}", other="phone")
    assert room.seat_of("phone") is room.seat_of("page 99") is phone
    assert not any(room.seat_of(f"page {number}") for number in range(90))


def test_a_full_room_gives_a_silent_place_away_within_a_minute_and_keeps_a_voters_for_ten() -> None:
    clock = Clock()
    room = Room("K7QF", clock)
    silent, *voters = tokens(room, MAX_PEOPLE)
    for voter in voters:
        room.answer(voter, QUESTION.read(0))
    clock.now = 59
    with pytest.raises(RefusedError):
        room.join("late")
    clock.now = 61
    late = room.join("late")
    assert room.knows(late.token) and not room.knows(silent) and room.seat_of("tab 0") is None
    with pytest.raises(RefusedError):
        room.join("later")


def test_a_full_room_gives_the_place_of_whoever_is_gone_longest_away() -> None:
    clock = Clock()
    room = Room("K7QF", clock)
    first, *others = tokens(room, MAX_PEOPLE)
    clock.now = 1
    for person in others:
        room.note_here(person)
    clock.now = 1 + GONE_SECONDS
    room.join("late")
    assert not room.knows(first) and all(map(room.knows, others))


def test_each_press_of_a_remote_s_key_is_another_one() -> None:
    room = Room("K7QF")
    presses = {room.last_press}
    for _ in range(2):
        room.press("PageDown")
        presses.add(room.last_press)
    assert len(presses) == 3


def test_who_sends_a_sentence_sees_what_becomes_of_it() -> None:
    room = Room("K7QF")
    person, other = tokens(room, 2)
    pairs = [Pair(f"phrase {number}", "sentence") for number in range(3)]
    for pair in [*pairs, pairs[0]]:  # the last one by a phone that did not hear that it has come
        room.send(person, pair)
    room.decide(1, True)
    room.decide(2, False)
    assert [(sent.pair, sent.fate) for sent in room.sent_by(person)] == list(
        zip(pairs, ("accepted", "refused", "waits"), strict=True)
    )
    assert room.sent_by(other) == ()
    for number in range(700):
        room.send(other, Pair(f"another {number}", "sentence"))
        room.decide(room.waiting[-1].number, False)
    assert len(room.sent_by(other)) < 700 and len(room.sent_by(person)) == 2, "its refused one is forgotten"
