"""A room: a class that answers together, follows its teacher, and shares one model. In the server's memory only."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import ref

from core.records.room import Place, Question, Tally
from core.records.text import Pair
from core.server.access import Attempts
from core.server.trained_model import TrainedModel
from core.server.training_job import TrainingJob

MAX_ROOMS = 100  # on a server
MAX_PEOPLE = 500  # in a room
GONE_SECONDS = 600.0  # without a sign of a tab; then a full room or server gives its place to another
ROOM_SECONDS = 3 * 3600.0  # without a sign of its teacher; then a room ends
MAX_PAIRS = 3  # that wait for the teacher, of one person
_MAX_CLASS_PAIRS = 200  # that wait or are accepted, in a room
_HERE_SECONDS = 10.0  # a tab looks every second or two; after so many, it has gone
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that is read as another: no I, O, 0, 1
CODE_LENGTH = 6  # core/server/access.py computes why
_MAX_ENDED = 1_000  # codes that are known to have been a room's


class RoomError(RuntimeError):
    """Something that a room does not allow; the message is for users."""


class SentPair(NamedTuple):
    """A sentence and its translation that somebody in the class has sent."""

    number: int
    pair: Pair


@dataclass
class _Poll:
    """One question in a room."""

    question: Question
    votes: list[dict[int, int]] = field(default_factory=lambda: [{}])  # each person's option, vote by vote
    are_shown: bool = False
    is_solved: bool = False


@dataclass(eq=False)
class Seat:
    """A tab's place in a room. The room keeps it, so that a tab that leaves and comes back is the same person."""

    room: Room
    token: str  # by which the room knows the person, or its teacher
    is_taken: bool = True  # the tab is in this room now, and in no other
    follows: bool = True  # the class, from page to page
    place: Place | None = None  # where the class was when this tab followed it last
    # A room outlives its teacher's trainings, and keeps none in memory:
    training_before: ref[TrainingJob] | None = None  # from before the room, whose model is private
    class_training: ref[TrainingJob] | None = None  # whose model is handed to the class when it is trained
    answering: ref[TrainingJob] | None = None  # which shows the class what it was asked

    @property
    def is_teacher(self) -> bool:
        """Whether this tab leads the class."""
        return self.room.is_teacher(self.token)

    def follow(self) -> None:
        """Follow the class, from the next look on."""
        self.follows = True
        self.place = None

    def state(self, questions: Iterable[Question]) -> Hashable:
        """Return what a page shows of the room, with these questions; when it changes, the page must run again."""
        room = self.room
        tallies = [room.tally(self.token, question) for question in questions]
        votes = tuple((each.are_shown, each.is_solved, len(each.votes)) for each in tallies)
        place = None if self.is_teacher else room.place  # the teacher's own page sets it
        is_here = self.is_taken and not room.has_ended
        return is_here, self.follows, self.place, room.model and room.model.id, place, votes


class Room:
    """One class. Threads may share it.

    A person is a random token, in the seat of a tab. Answers are counted and never handed out one by one.
    """

    def __init__(self, code: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.code = code
        self.teacher_token = secrets.token_urlsafe(32)
        self._clock = clock
        self._lock = threading.Lock()
        self._seats: dict[str, Seat] = {}  # by tab
        self._people: dict[str, int] = {}  # numbers by token
        self._num_people = 0  # that have ever had a seat
        self._seen: dict[int, float] = {}  # when each person's tab looked last
        self._teacher_seen = clock()
        self._is_closed = False
        self._place: Place | None = None
        self._polls: dict[str, _Poll] = {}
        self._sent: dict[int, tuple[int, Pair]] = {}  # pairs that wait: person and pair, by number
        self._num_sent = 0
        self._accepted: tuple[Pair, ...] = ()
        self._model: TrainedModel | None = None

    def join(self, tab: str) -> Seat:
        """Return the seat of a tab: the one that it has had, or a new one.

        Raises:
            RoomError: the room is full.
        """
        with self._lock:
            if tab not in self._seats:
                if len(self._people) >= MAX_PEOPLE:
                    self._free_place()
                seat = Seat(self, secrets.token_urlsafe(12))
                self._people[seat.token] = self._num_people
                self._seen[self._num_people] = self._clock()
                self._num_people += 1
                self._seats[tab] = seat
            return self._seats[tab]

    def lead(self, tab: str) -> Seat:
        """Return the teacher's seat, which is this tab's from now on."""
        with self._lock:
            self._seats[tab] = Seat(self, self.teacher_token)
            return self._seats[tab]

    def seat_of(self, tab: str) -> Seat | None:
        """Return the seat of a tab, also if it is in another room now; None if it has none."""
        return self._seats.get(tab)

    def unite(self, earlier: str, fresh: str, tab: str) -> None:
        """Give a tab its earlier seat, or else the one that it has taken since; see `Rooms.unite`."""
        with self._lock:
            seats = [self._seats.pop(each) for each in (earlier, fresh) if each in self._seats]
            if seats:
                self._seats[tab] = seats[0]
            for seat in seats[1:]:
                person = self._forget(seat)
                for votes in (votes for poll in self._polls.values() for votes in poll.votes):
                    votes.pop(person, None)

    def _free_place(self) -> None:
        """Take the place of the person who has been gone for the longest time; the votes stay counted."""
        longest = min(self._seen, key=self._seen.__getitem__)
        if self._clock() - self._seen[longest] < GONE_SECONDS:
            raise RoomError(f"This room is full: it has {MAX_PEOPLE} people.")
        tab = next(tab for tab, seat in self._seats.items() if self._people.get(seat.token) == longest)
        seat = self._seats.pop(tab)
        seat.is_taken = False
        self._forget(seat)

    def _forget(self, seat: Seat) -> int:
        person = self._people.pop(seat.token)
        del self._seen[person]
        return person

    def is_teacher(self, token: str) -> bool:
        """Return whether a token is the teacher's."""
        return hmac.compare_digest(token.encode(), self.teacher_token.encode())

    def note_here(self, token: str) -> None:
        """Note that a tab is here."""
        with self._lock:
            if self.is_teacher(token):
                self._teacher_seen = self._clock()
            elif token in self._people:
                self._seen[self._people[token]] = self._clock()

    @property
    def place(self) -> Place | None:
        """Where the class is; None before its teacher has opened a page."""
        return self._place

    @property
    def num_here(self) -> int:
        """How many people's tabs have looked in the last seconds, without the teacher's."""
        with self._lock:
            now = self._clock()
            return sum(now - seen < _HERE_SECONDS for seen in self._seen.values())

    @property
    def seconds_without_teacher(self) -> float:
        """How long ago its teacher's tab looked last."""
        return self._clock() - self._teacher_seen

    @property
    def has_ended(self) -> bool:
        """Whether it was closed, or its teacher has been away for too long."""
        return self._is_closed or self.seconds_without_teacher > ROOM_SECONDS

    def close(self) -> None:
        """End it for everyone."""
        self._is_closed = True

    def go_to(self, place: Place) -> None:
        """Note where the teacher is."""
        with self._lock:
            self._place = place

    # Questions

    def vote(self, token: str, question: Question, option: str) -> bool:
        """Count a person's answer, instead of the one before; return whether it counts: not once answers are shown."""
        with self._lock:
            person = self._people.get(token)
            if person is None or option not in question.options:
                return False
            poll = self._poll(question)
            if poll.are_shown:
                return False
            poll.votes[-1][person] = question.options.index(option)
            return True

    def tally(self, token: str, question: Question) -> Tally:
        """Return how the class has answered, and what the person of the token chose."""
        with self._lock:
            poll = self._polls.get(question.key) or _Poll(question)
            person = self._people.get(token, -1)
            return Tally(
                poll.question,
                tuple(_counts(votes, len(question.options)) for votes in poll.votes),
                tuple(votes.get(person) for votes in poll.votes),
                poll.are_shown,
                poll.is_solved,
            )

    def show_answers(self, question: Question) -> None:
        """End the vote and show what the class has answered, without what is right."""
        with self._lock:
            self._poll(question).are_shown = True

    def vote_again(self, question: Question) -> None:
        """Begin a second vote; the first one stays beside it."""
        with self._lock:
            poll = self._poll(question)
            if len(poll.votes) == 1:
                poll.votes.append({})
                poll.are_shown = poll.is_solved = False

    def solve(self, question: Question) -> None:
        """Show the answers, the right one marked."""
        with self._lock:
            poll = self._poll(question)
            poll.are_shown = poll.is_solved = True

    def tallies(self) -> tuple[Tally, ...]:
        """Return all questions that were answered, in the order in which they were."""
        with self._lock:
            questions = [poll.question for poll in self._polls.values() if any(poll.votes)]
        return tuple(self.tally("", question) for question in questions)

    def _poll(self, question: Question) -> _Poll:
        return self._polls.setdefault(question.key, _Poll(question))

    # One model of the class

    @property
    def model(self) -> TrainedModel | None:
        """The model that the teacher has handed to the class; all tabs share it."""
        return self._model

    def hand_over(self, model: TrainedModel) -> None:
        """Hand a model to everyone in the room."""
        self._model = model

    def send(self, token: str, pair: Pair) -> None:
        """Send a pair to the teacher.

        Raises:
            RoomError: the person has sent too many that still wait, or the room has enough.
        """
        with self._lock:
            person = self._people.get(token)
            if person is None:
                raise RoomError("Join the room first.")
            waiting = sum(sender == person for sender, _ in self._sent.values())
            if waiting >= MAX_PAIRS:
                raise RoomError(f"{MAX_PAIRS} of your sentences still wait for your teacher.")
            if len(self._sent) + len(self._accepted) >= _MAX_CLASS_PAIRS:
                raise RoomError(f"This room has its {_MAX_CLASS_PAIRS} sentences.")
            self._num_sent += 1
            self._sent[self._num_sent] = person, pair

    @property
    def waiting(self) -> tuple[SentPair, ...]:
        """The pairs that the teacher has neither accepted nor refused, without who has sent them."""
        with self._lock:
            return tuple(SentPair(number, pair) for number, (_, pair) in self._sent.items())

    def decide(self, number: int, is_accepted: bool) -> None:
        """Accept or refuse a pair."""
        with self._lock:
            _, pair = self._sent.pop(number, (0, None))
            if is_accepted and pair is not None and pair not in self._accepted:
                self._accepted = (*self._accepted, pair)

    @property
    def accepted(self) -> tuple[Pair, ...]:
        """The pairs that the teacher has accepted, in that order."""
        return self._accepted


class Rooms:
    """The rooms of a server, limited in number and time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rooms: dict[str, Room] = {}
        self._ended: deque[str] = deque(maxlen=_MAX_ENDED)  # codes of rooms that there were
        self._attempts = Attempts(clock)

    def open(self, tab: str) -> Seat:
        """Open a room with a code that no other has; return the seat of its teacher.

        Args:
            tab: what only the teacher's tab knows. A room that it has led before ends.

        Raises:
            RoomError: the server has too many, and each has its teacher or its class.
        """
        with self._lock:
            self._forget_ended()
            if (led := self._led_by(tab)) is not None:
                self._end(led.room)
            if len(self._rooms) >= MAX_ROOMS:
                self._free_room()
            code = _new_code()
            while code in self._rooms or code in self._ended:
                code = _new_code()
            room = Room(code, self._clock)
            self._rooms[code] = room
            seat = room.lead(tab)
            self._sit_down(tab, seat)
            return seat

    def find(self, typed: str, tab: str) -> Room | None:
        """Return the room of a code that somebody types or scans; None if there is none.

        Args:
            typed: the code; case and spaces are ignored.
            tab: the session that asks; each wrong code doubles its wait.

        Raises:
            TooManyCodesError: there were too many wrong codes before.
        """
        code = "".join(typed[:40].split()).upper()
        if code in self._ended:
            return None  # thirty phones with an old link are no attack
        self._attempts.check(code, lambda: self.get(code) is not None, tab)
        return self.get(code)

    def get(self, code: str) -> Room | None:
        """Return the room of a code that a tab has joined; None if it has ended."""
        with self._lock:
            self._forget_ended()
            return self._rooms.get(code)

    def close(self, room: Room) -> None:
        """End a room."""
        with self._lock:
            self._end(room)

    # Seats

    def seat_of(self, tab: str) -> Seat | None:
        """Return where a tab sits now; None if it is in no room, or its room has ended."""
        with self._lock:
            self._forget_ended()
            return self._taken_by(tab)

    def led_by(self, tab: str) -> Room | None:
        """Return the room that a tab leads, also while it visits another one."""
        with self._lock:
            self._forget_ended()
            seat = self._led_by(tab)
            return None if seat is None else seat.room

    def join(self, room: Room, tab: str) -> Seat:
        """Let a tab come into a room and follow its class, in the seat that it has had there before, if any.

        Raises:
            RoomError: the room is full, or has just ended.
        """
        with self._lock:
            if self._rooms.get(room.code) is not room:
                raise RoomError("The room has ended.")
            seat = room.join(tab)
            seat.follow()
            self._sit_down(tab, seat)
            return seat

    def leave(self, tab: str) -> None:
        """Let a tab leave its room, which keeps the seat; a tab that leads another room is in that again."""
        with self._lock:
            led = self._led_by(tab)
            self._sit_down(tab, None if led is self._taken_by(tab) else led)

    def unite(self, earlier: str, fresh: str, tab: str) -> None:
        """Give a tab that has been reloaded the seats that it had before.

        What it has done since, as another person, is undone in the rooms where it had a seat.

        Args:
            earlier: what the tab knew before the reload.
            fresh: what it was given after the reload, until it could tell.
            tab: the one of the two that it knows from now on.
        """
        with self._lock:
            since = self._taken_by(fresh)
            if since is not None and self._taken_by(earlier) is not None:
                since.is_taken = False
            for room in self._rooms.values():
                room.unite(earlier, fresh, tab)

    def _seats_of(self, tab: str) -> list[Seat]:
        found = (room.seat_of(tab) for room in self._rooms.values())
        return [seat for seat in found if seat is not None]

    def _taken_by(self, tab: str) -> Seat | None:
        return next((seat for seat in self._seats_of(tab) if seat.is_taken), None)

    def _led_by(self, tab: str) -> Seat | None:
        return next((seat for seat in self._seats_of(tab) if seat.is_teacher), None)

    def _sit_down(self, tab: str, seat: Seat | None) -> None:
        for each in self._seats_of(tab):
            each.is_taken = each is seat

    def _free_room(self) -> None:
        """End the empty room whose teacher has been gone for the longest time."""
        empty = [room for room in self._rooms.values() if not room.num_here]
        longest = max(empty, key=lambda room: room.seconds_without_teacher, default=None)
        if longest is None or longest.seconds_without_teacher < GONE_SECONDS:
            raise RoomError(f"This server has {MAX_ROOMS} rooms, which is the most. Close one, or wait.")
        self._end(longest)

    def _end(self, room: Room) -> None:
        room.close()
        if self._rooms.pop(room.code, None) is not None:
            self._ended.append(room.code)

    def _forget_ended(self) -> None:
        for room in [each for each in self._rooms.values() if each.has_ended]:
            self._end(room)


def _new_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def _counts(votes: dict[int, int], num_options: int) -> tuple[int, ...]:
    found = Counter(votes.values())
    return tuple(found[option] for option in range(num_options))
