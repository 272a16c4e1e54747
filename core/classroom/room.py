"""A room: a class that answers together, follows its teacher, and shares one model. In the server's memory only."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from core.classroom.access import Attempts
from core.classroom.trained_model import TrainedModel
from core.records.room import Place, Question, Tally
from core.records.text import Pair

MAX_ROOMS = 100  # on a server
MAX_PEOPLE = 500  # in a room
ROOM_SECONDS = 3 * 3600.0  # without a sign of its teacher; then a room ends
MAX_PAIRS = 3  # that wait for the teacher, of one person
_MAX_CLASS_PAIRS = 200  # sent to a room
_HERE_SECONDS = 10.0  # a tab looks every second or two; after so many, it has gone
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that is read as another: no I, O, 0, 1
CODE_LENGTH = 6  # core/classroom/access.py computes why
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


class Room:
    """One class. Threads may share it.

    A person is a random token that a tab keeps. Answers are counted and never handed out one by one.

    Args:
        code: what the class types.
        clock: returns seconds.
    """

    def __init__(self, code: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.code = code
        self.teacher_token = secrets.token_urlsafe(32)
        self._clock = clock
        self._lock = threading.Lock()
        self._people: dict[str, int] = {}  # numbers by token
        self._seen: dict[int, float] = {}  # when each person's tab looked last
        self._teacher_seen = clock()
        self._place: Place | None = None
        self._polls: dict[str, _Poll] = {}
        self._sent: dict[int, tuple[int, Pair]] = {}  # pairs that wait: person and pair, by number
        self._num_sent = 0
        self._accepted: tuple[Pair, ...] = ()
        self._model: TrainedModel | None = None

    def join(self) -> str:
        """Return the token of a new person.

        Raises:
            RoomError: the room is full.
        """
        with self._lock:
            if len(self._people) >= MAX_PEOPLE:
                raise RoomError(f"This room is full: it has had {MAX_PEOPLE} people.")
            token = secrets.token_urlsafe(12)
            self._people[token] = len(self._people)
            return token

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
    def has_ended(self) -> bool:
        """Whether its teacher has been away for too long."""
        return self._clock() - self._teacher_seen > ROOM_SECONDS

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
            if self._num_sent >= _MAX_CLASS_PAIRS:
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
    """The rooms of a server, limited in number and time.

    Args:
        clock: returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rooms: dict[str, Room] = {}
        self._ended: deque[str] = deque(maxlen=_MAX_ENDED)  # codes of rooms that there were
        self._attempts = Attempts(clock)

    def open(self) -> Room:
        """Open a room with a code that no other has.

        Raises:
            RoomError: the server has too many.
        """
        with self._lock:
            self._forget_ended()
            if len(self._rooms) >= MAX_ROOMS:
                raise RoomError(f"This server has {MAX_ROOMS} rooms, which is the most. Close one, or wait.")
            code = _new_code()
            while code in self._rooms or code in self._ended:
                code = _new_code()
            self._rooms[code] = Room(code, self._clock)
            return self._rooms[code]

    def find(self, typed: str, tab: str) -> Room | None:
        """Return the room of a code that somebody types or scans; None if there is none.

        Args:
            typed: the code; case and spaces are ignored.
            tab: the session that asks; it may be wrong a few times a minute.

        Raises:
            TooManyCodesError: there were too many wrong codes before.
        """
        code = "".join(typed[:40].split()).upper()
        if code in self._ended:
            return None  # thirty phones with an old link are no attack
        self._attempts.check(lambda: self.get(code) is not None, tab)
        return self.get(code)

    def get(self, code: str) -> Room | None:
        """Return the room of a code that a tab has joined; None if it has ended."""
        with self._lock:
            self._forget_ended()
            return self._rooms.get(code)

    def close(self, room: Room) -> None:
        """End a room."""
        with self._lock:
            if self._rooms.pop(room.code, None) is not None:
                self._ended.append(room.code)

    def _forget_ended(self) -> None:
        for room in [each for each in self._rooms.values() if each.has_ended]:
            del self._rooms[room.code]
            self._ended.append(room.code)


def _new_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def _counts(votes: dict[int, int], num_options: int) -> tuple[int, ...]:
    found = Counter(votes.values())
    return tuple(found[option] for option in range(num_options))
