"""What somebody may try against a class, by one tab or by hundreds: each attack is bounded in number and time."""

import pytest

from core.errors import RefusedError
from core.records.question import ChoiceQuestion
from core.records.text import Pair
from core.server.people import GONE_SECONDS
from core.server.room import MAX_PEOPLE, Room, Seat
from core.server.rooms import MAX_ROOMS, NEW_SECONDS, Rooms
from core.server.workspace import WorkspaceStore, come_back
from tests.server.test_access import Clock

QUESTION = ChoiceQuestion(
    "masks", "masks", "Which cells are open?", "below", "", {"all": ""}, moment="prediction"
)


class Server:
    """Rooms and workspaces, and what a page does with them when a tab is loaded.

    Args:
        most: the largest number of workspaces.
    """

    def __init__(self, most: int = 100) -> None:
        self.clock = Clock()
        self.rooms = Rooms(self.clock)
        self._live: set[str] = set()
        self._workspaces = WorkspaceStore(most, self._live.__contains__, lambda workspace: False)
        self._sessions = 0

    def load(self, remembered: str = "", link: Room | None = None) -> str:
        """Load the app in a tab that was another session before, perhaps by a room's link; return what it knows now."""
        self._sessions += 1
        session = f"session {self._sessions}"
        fresh = self._workspaces.create(session)
        if link is not None:
            # Before the browser has said which tab it is, somebody quick answers.
            link.answer(self.rooms.join(link, fresh.id).token, QUESTION.read(0))
        workspace = fresh
        if remembered:
            workspace = come_back(self._workspaces, self.rooms, remembered, fresh, patience=0) or fresh
        if link is not None:
            self.rooms.join(link, workspace.id)
        self._live.add(session)
        return workspace.id

    def close_tabs(self) -> None:
        self._live.clear()

    def seat(self, tab: str) -> Seat:
        seat = self.rooms.seat_of(tab)
        assert seat is not None
        return seat


def test_a_tab_that_goes_from_room_to_room_and_back_has_one_vote_in_each() -> None:
    server = Server()
    here, there = (server.rooms.open(f"teacher of {name}").room for name in "AB")
    tab = server.load(link=here)
    seat = server.seat(tab)
    for room in (here, there) * 4:
        server.close_tabs()
        tab = server.load(tab, link=room)
        assert server.seat(tab).room is room
        assert room.answer(server.seat(tab).token, QUESTION.read(0))
    server.rooms.leave(tab)
    assert server.rooms.join(here, tab) is seat
    assert [room.tally("", QUESTION).answered for room in (here, there)] == [1, 1]


def test_three_tabs_that_join_again_and_again_take_three_places() -> None:
    server = Server()
    room = server.rooms.open("teacher").room
    tabs = [server.load(link=room) for _ in range(3)]
    for _ in range(200):
        server.close_tabs()
        tabs = [server.load(tab, link=room) for tab in tabs]
    assert room.num_here == 3


def test_five_hundred_sit_on_one_server_and_keep_their_seats_though_few_workspaces_are_kept() -> None:
    server = Server(most=100)
    teacher = server.load()
    room = server.rooms.open(teacher).room
    students = [server.load(link=room) for _ in range(MAX_PEOPLE)]
    for student in students:
        assert room.answer(server.seat(student).token, QUESTION.read(1))
    with pytest.raises(RefusedError):
        server.rooms.join(room, server.load())
    server.close_tabs()
    assert server.seat(server.load(teacher)).is_teacher, "silent since the room was opened"
    seats = [server.seat(student) for student in students[:20]]
    back = [server.seat(server.load(student)) for student in students[:20]]
    assert back == seats
    assert room.tally(back[0].token, QUESTION).own == (QUESTION.read(1),)
    assert room.tally("", QUESTION).votes == ((0, MAX_PEOPLE),)


def test_who_fills_a_room_and_goes_keeps_nobody_out_for_long() -> None:
    server = Server()
    room = server.rooms.open("teacher").room
    honest = server.rooms.join(room, "honest")
    room.answer(honest.token, QUESTION.read(1))
    for number in range(MAX_PEOPLE - 1):
        room.answer(server.rooms.join(room, f"tab {number}").token, QUESTION.read(0))
    server.clock.now += GONE_SECONDS
    room.note_here(honest.token)
    late = [server.rooms.join(room, f"late {number}") for number in range(MAX_PEOPLE - 1)]
    with pytest.raises(RefusedError):
        server.rooms.join(room, "one more")
    assert server.seat("honest") is honest and server.rooms.seat_of("tab 0") is None
    room.answer(late[0].token, QUESTION.read(1))
    assert room.tally("", QUESTION).votes == ((MAX_PEOPLE - 1, 2),), "votes stay counted"


def come(server: Server, room: Room, name: str, number: int, rate: float) -> list[Seat]:
    """Let people come into a room, so many in a second; return their seats."""
    seats = []
    for each in range(number):
        server.clock.now += 1 / rate
        seats.append(server.rooms.join(room, f"{name} {each}"))
    return seats


@pytest.mark.parametrize(
    ("number", "rate", "is_told"),
    [(99, 300.0, True), (400, 15.0, True), (30, 8.0, False), (300, 10.0, False)],
)
def test_many_who_come_at_once_are_told_and_a_class_is_not(number: int, rate: float, is_told: bool) -> None:
    server = Server()
    room = server.rooms.open("teacher").room
    come(server, room, "class", 20, rate=1.0)
    server.clock.now += 60.0
    come(server, room, "others", number, rate)
    assert room.num_at_once == (number if is_told else 0)


def test_one_computer_that_votes_for_a_class_is_taken_out_and_brought_back_as_it_was() -> None:
    server = Server()
    room = server.rooms.open("teacher").room
    class_ = come(server, room, "student", 20, rate=1.0)
    server.clock.now += 60.0
    laptop = come(server, room, "laptop", 99, rate=300.0)
    for seats, option in ((class_, 1), (laptop, 0)):
        for number, seat in enumerate(seats):
            assert room.answer(seat.token, QUESTION.read(option))
            if number < 20:
                room.send(seat.token, Pair(f"phrase {number} {option}", "sentence"))

    def counted() -> tuple[object, ...]:
        return room.tally("", QUESTION).votes, len(room.waiting)

    before = counted()
    room.take_out()
    assert counted() == (((0, 20),), 20) and (room.num_at_once, room.num_out) == (0, 99)
    assert server.rooms.seat_of("laptop 0") is None and server.rooms.seat_of("student 0") is class_[0]
    assert not room.answer(laptop[0].token, QUESTION.read(1))
    with pytest.raises(RefusedError):
        room.send(laptop[0].token, Pair("encore", "one more"))
    room.bring_back()
    assert counted() == before and (room.num_at_once, room.num_out) == (0, 0)
    assert server.rooms.seat_of("laptop 0") is laptop[0]


def test_who_is_out_and_comes_in_anew_has_one_vote() -> None:
    server = Server()
    room = server.rooms.open("teacher").room
    laptop = come(server, room, "laptop", 99, rate=300.0)
    for seat in laptop:
        room.answer(seat.token, QUESTION.read(0))
    room.take_out()
    server.clock.now += 60.0
    again = server.rooms.join(room, "laptop 0")
    assert again is not laptop[0] and room.answer(again.token, QUESTION.read(1))
    room.bring_back()
    assert room.tally("", QUESTION).votes == ((98, 1),)


def test_a_full_room_gives_the_places_of_the_silent_away_though_they_look_all_the_time() -> None:
    server = Server()
    room = server.rooms.open("teacher").room
    shy = come(server, room, "shy student", 10, rate=1.0)
    voters = come(server, room, "student", 20, rate=1.0)
    server.clock.now += 60.0
    silent = come(server, room, "laptop", MAX_PEOPLE - 30, rate=300.0)
    for seat in voters:
        room.answer(seat.token, QUESTION.read(1))
    for _ in range(60):
        server.clock.now += 1.0
        for seat in (*shy, *voters, *silent):
            room.note_here(seat.token)
    come(server, room, "late", len(silent), rate=1000.0)
    assert all(room.knows(seat.token) for seat in (*shy, *voters))
    assert not any(room.knows(seat.token) or seat.is_taken for seat in silent)
    room.take_out()
    come(server, room, "after them", len(silent), rate=1000.0)
    assert all(room.knows(seat.token) for seat in (*shy, *voters)) and room.num_out == 0


def test_one_tab_has_one_room() -> None:
    server = Server()
    rooms = [server.rooms.open("teacher").room for _ in range(MAX_ROOMS + 1)]
    assert [server.rooms.get(room.code) for room in rooms[:-1]] == [None] * MAX_ROOMS
    assert server.seat("teacher").room is rooms[-1]


def test_a_full_server_ends_a_room_that_nobody_has_joined_and_else_one_that_all_have_left() -> None:
    server = Server()
    rooms = [server.rooms.open(f"teacher {number}").room for number in range(MAX_ROOMS)]
    unjoined, left, *full = rooms
    server.rooms.join(left, "student")
    here = [server.rooms.join(room, f"student {number}") for number, room in enumerate(full)]
    with pytest.raises(RefusedError):
        server.rooms.open("before a class can come")
    server.clock.now += NEW_SECONDS
    unjoined.note_here(unjoined.teacher_token)
    assert server.rooms.open("one more").room
    assert [room for room in rooms if server.rooms.get(room.code) is not room] == [unjoined]
    server.rooms.join(server.seat("one more").room, "another student")
    server.clock.now += GONE_SECONDS
    for seat in here:
        seat.room.note_here(seat.token)
    assert server.rooms.open("and one more").room
    assert [room for room in rooms if server.rooms.get(room.code) is not room] == [unjoined, left]
    with pytest.raises(RefusedError):
        server.rooms.join(left, "student")


@pytest.mark.parametrize("num_tabs", [0, 102])
def test_a_teacher_who_visits_another_room_and_reloads_leads_again(num_tabs: int) -> None:
    server = Server(most=100)
    teacher = server.load()
    own, other = server.rooms.open(teacher).room, server.rooms.open("another").room
    assert server.rooms.join(other, teacher).room is other
    for _ in range(num_tabs):  # so that the teacher's workspace is forgotten
        server.load()
    server.close_tabs()
    teacher = server.load(teacher)
    assert not server.seat(teacher).is_teacher and server.rooms.led_by(teacher) is own
    server.rooms.leave(teacher)
    assert server.seat(teacher).is_teacher and server.seat(teacher).room is own
    server.rooms.join(other, teacher)
    assert server.rooms.join(own, teacher).is_teacher, "by its own link"


def test_a_stranger_who_guesses_is_nobody() -> None:
    server = Server()
    room = server.rooms.open(server.load()).room
    tab = server.load("a guess")
    assert server.rooms.seat_of(tab) is None and server.rooms.led_by(tab) is None
    assert not server.rooms.join(room, tab).is_teacher
