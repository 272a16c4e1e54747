"""A room: a class that answers together, follows its teacher, and shares one model. In the server's memory only."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from weakref import ref

from core.language import _
from core.records.room import OwnAnswer, Place, Question, Tally
from core.records.text import Pair
from core.server.people import HERE_SECONDS, People, Person
from core.server.trained_model import TrainedModel
from core.server.training_job import TrainingJob

MAX_PEOPLE = 500  # in a room
_AT_ONCE = (
    15  # who come within a second: a class that scans a code comes one after another, a script's do not
)
ROOM_SECONDS = 3 * 3600.0  # without a sign of its teacher; then a room ends
MAX_PAIRS = 3  # that wait for the teacher, of one person
_MAX_CLASS_PAIRS = 200  # that wait or are accepted, in a room
_MAX_SHARING = 5  # tabs of one person that share a seat; the one before gives its key up
_MAX_REMEMBERED = 3 * _MAX_CLASS_PAIRS  # sentences of which the room knows what became


class RoomError(RuntimeError):
    """Something that a room does not allow; the message is for users."""


Fate = Literal["waits", "accepted", "refused"]
"""What became of a sentence that somebody in the class has sent."""


class SentPair(NamedTuple):
    """A sentence and its translation that somebody in the class has sent."""

    number: int
    pair: Pair
    person: Person
    fate: Fate


Screen = Literal["page", "code", "remote"]
"""What a teacher's tab shows: the page, or in its place the room's code, or that of a remote."""


class Press(NamedTuple):
    """A key that the teacher's remote has pressed, for the projector to press too."""

    number: int
    key: str


@dataclass
class _Poll:
    """One question in a room."""

    question: Question
    votes: list[dict[Person, int]] = field(default_factory=lambda: [{}])  # each person's option, vote by vote
    firsts: dict[Person, OwnAnswer] = field(default_factory=dict)  # each person's first answer
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
    shows: Screen = "page"
    # The newest sentence that a teacher's tab shows to the class before it is decided about.
    last_read: int = 0
    # A room outlives its teacher's trainings, and keeps none in memory:
    training_before: ref[TrainingJob] | None = None  # from before the room, whose model is private
    class_training: ref[TrainingJob] | None = None  # whose model is handed to the class when it is trained
    answering: ref[TrainingJob] | None = None  # which shows the class what it was asked

    @property
    def is_teacher(self) -> bool:
        """Whether this tab shows the class where it is."""
        return self.room.is_teacher(self.token)

    @property
    def is_remote(self) -> bool:
        """Whether this tab is the teacher's remote."""
        return self.room.is_remote(self.token)

    @property
    def is_out(self) -> bool:
        """Whether the teacher has taken this person out of the room."""
        return self.room.is_out(self.token)

    @property
    def leads(self) -> bool:
        """Whether this tab is the teacher's."""
        return self.is_teacher or self.is_remote

    def follow(self) -> None:
        """Follow the class, from the next look on."""
        self.follows = True
        self.place = None

    def state(self, questions: Iterable[Question]) -> Hashable:
        """Return what a page shows of the room, with these questions; when it changes, the page must run again."""
        room = self.room
        tallies = [room.tally(self.token, question) for question in questions]
        votes = tuple((each.are_shown, each.is_solved, len(each.votes), each.own[-1]) for each in tallies)
        place = None if self.is_teacher else room.place  # the teacher's own page sets it
        is_here = self.is_taken and not self.is_out and not room.has_ended
        return is_here, self.shows, self.follows, self.place, room.model and room.model.id, place, votes


class Room:
    """One class. Threads may share it.

    A person is a random token, in the seat of a tab. Answers are counted, and each
    person's own are handed to that person alone.
    """

    def __init__(self, code: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.code = code
        self.teacher_token = secrets.token_urlsafe(32)
        self._clock = clock
        self._lock = threading.Lock()
        self._seats: dict[str, Seat] = {}  # by tab
        self._people = People(clock)
        self._teacher_seen = self._opened = clock()
        self._is_closed = False
        self.place: Place | None = None  # where the class is; None before its teacher has opened a page
        self._polls: dict[str, _Poll] = {}  # by the questions' keys
        self._past: list[_Poll] = []  # of lessons before this one
        self.num_lessons = 0  # that have begun
        self._sent: dict[int, SentPair] = {}  # by number
        self.accepted: tuple[Pair, ...] = ()  # that the teacher has accepted, in that order
        self.model: TrainedModel | None = None  # that the teacher has handed to the class; all tabs share it
        # A lesson of the teacher's own that the class is at; the pages know what that is.
        self.lesson: Any = None
        self._remotes: set[str] = set()  # tokens
        self.last_press = Press(0, "")  # the last key that a remote has pressed
        # What the projector's key leads to next, empty for nothing; None where it has not said.
        self.leads_to: str | None = None
        self.trains = ""  # its button that trains with the class's sentences, in words; empty for none
        self._listeners: list[Callable[[str | None], None]] = []

    def listen(self, tell: Callable[[str | None], None]) -> Callable[[], None]:
        """Have changes told, until the function that is returned is called.

        Args:
            tell: called in any thread, and must be quick: with a person's token where only that person sees the change,
                else with None.
        """
        self._listeners.append(tell)
        return lambda: self._listeners.remove(tell)

    def _tell(self, token: str | None = None) -> None:
        for tell in [*self._listeners]:
            tell(token)

    def join(self, tab: str, other: str = "") -> Seat:
        """Return the seat of a tab: the one that it has had, that of another one, or a new one.

        Args:
            tab: what only this tab knows.
            other: what another tab of the same person knows.

        Raises:
            RoomError: the room is full.
        """
        with self._lock:
            for seat in filter(None, map(self._seats.get, (tab, other))):
                if seat.is_out:
                    self._take_back(seat)  # to come in anew
            shared = self._seats.get(other)
            if tab not in self._seats and shared is not None and not shared.leads:
                sharing = [each for each in self._tabs_of(shared) if each != other]
                if len(sharing) >= _MAX_SHARING:
                    del self._seats[sharing[0]]
                self._seats[tab] = shared
            if tab not in self._seats:
                if len(self._people) >= MAX_PEOPLE:
                    self._free_place()
                self._seats[tab] = Seat(self, self._people.come())
            return self._seats[tab]

    def lead(self, tab: str) -> Seat:
        """Return the teacher's seat, which is this tab's from now on."""
        with self._lock:
            self._seats[tab] = Seat(self, self.teacher_token)
            return self._seats[tab]

    def let_lead_from(self, tab: str) -> Seat:
        """Return the seat of the teacher's remote, which a tab has from now on."""
        with self._lock:
            token = secrets.token_urlsafe(12)
            self._remotes.add(token)
            self._seats[tab] = Seat(self, token)
            return self._seats[tab]

    def take_remotes_away(self) -> None:
        """Let no remote lead any more; its phone has no seat then."""
        with self._lock:
            self._seats = {tab: seat for tab, seat in self._seats.items() if seat.token not in self._remotes}
            self._remotes.clear()
        self._tell()

    @property
    def has_remote(self) -> bool:
        """Whether a remote leads the class."""
        return bool(self._remotes)

    def is_remote(self, token: str) -> bool:
        """Return whether a token is that of a remote."""
        return token in self._remotes

    def knows(self, token: str) -> bool:
        """Return whether a token is that of a person or a remote, whose place nobody has taken."""
        return token in self._people or token in self._remotes

    def press(self, key: str) -> None:
        """Press a key of the projector."""
        self.last_press = Press(self.last_press.number + 1, key)

    def note_next(self, leads_to: str, trains: str) -> None:
        """Tell the remotes what the projector's keys do."""
        self.leads_to = leads_to
        self.trains = trains
        self._tell(self.teacher_token)  # students do not see it

    def seat_of(self, tab: str) -> Seat | None:
        """Return the seat of a tab, also if it is in another room now; None if it has none."""
        return self._seats.get(tab)

    def unite(self, earlier: str, fresh: str, tab: str) -> None:
        """Give a tab its earlier seat, or else the one that it has taken since; see `Rooms.unite`."""
        with self._lock:
            found = (self._seats.pop(each, None) for each in (earlier, fresh))
            seats = list(dict.fromkeys(each for each in found if each is not None))
            if seats:
                self._seats[tab] = seats[0]
            for seat in seats[1:]:
                if not self._tabs_of(seat):  # else a phone has it, too
                    self._take_back(seat)

    def _free_place(self) -> None:
        voters = {person for poll in self._all_polls() for votes in poll.votes for person in votes}
        token = self._people.first_to_go(voters)
        if token is None:
            raise RoomError(_("This room is full: it has {count} people.").format(count=MAX_PEOPLE))
        self._give_up(next(seat for seat in self._seats.values() if seat.token == token))

    def _tabs_of(self, seat: Seat) -> list[str]:
        return [tab for tab, each in self._seats.items() if each is seat]

    def _give_up(self, seat: Seat) -> Person:
        """Take a seat from its tabs; return whose it was. The votes stay counted."""
        for tab in self._tabs_of(seat):
            del self._seats[tab]
        seat.is_taken = False
        person = self._people.go(seat.token)
        for poll in self._all_polls():
            poll.firsts.pop(person, None)
        return person

    def _take_back(self, seat: Seat) -> None:
        """Take a seat from its tabs, and its votes from the counts."""
        person = self._give_up(seat)
        for votes in (votes for poll in self._all_polls() for votes in poll.votes):
            votes.pop(person, None)

    def is_teacher(self, token: str) -> bool:
        """Return whether a token is the teacher's."""
        return hmac.compare_digest(token.encode(), self.teacher_token.encode())

    def note_here(self, token: str) -> None:
        """Note that a tab is here."""
        with self._lock:
            if self.is_teacher(token):
                self._teacher_seen = self._clock()
            else:
                self._people.note_here(token)

    @property
    def num_here(self) -> int:
        """How many people's tabs have looked in the last seconds, without the teacher's."""
        with self._lock:
            return self._people.num_here

    # Many who come at once may be one computer that votes for all of them.

    @property
    def num_at_once(self) -> int:
        """How many have come within a second with many others, and the teacher has not decided about."""
        with self._lock:
            return self._people.num_at_once

    @property
    def num_out(self) -> int:
        """How many the teacher has taken out."""
        with self._lock:
            return self._people.num_out

    def is_out(self, token: str) -> bool:
        """Return whether the teacher has taken a person out."""
        person = self._people.find(token)
        return person is not None and person.is_out

    def take_out(self) -> None:
        """Take those who have come at once out of the room, with their votes and waiting sentences."""
        with self._lock:
            self._people.take_out()
        self._tell()

    def bring_back(self) -> None:
        """Let those in again who were taken out, with all that they have done."""
        with self._lock:
            self._people.bring_back()
        self._tell()

    @property
    def is_unjoined(self) -> bool:
        """Whether nobody has ever come."""
        return not self._people.have_come

    @property
    def age(self) -> float:
        """How many seconds ago it was opened."""
        return self._clock() - self._opened

    @property
    def has_screen(self) -> bool:
        """Whether a tab that leads the class has looked in the last seconds."""
        return self.seconds_without_teacher < HERE_SECONDS

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
        self._tell()

    def go_to(self, place: Place) -> None:
        """Note where the teacher is."""
        with self._lock:
            has_moved = place != self.place
            self.place = place
        if has_moved:
            self._tell()

    # Questions

    def begin_lesson(self, anew: Iterable[Question], before: Iterable[Question]) -> None:
        """Begin a lesson.

        Args:
            anew: the questions that it asks whatever was answered until now, which stays in the counts.
            before: those that were asked before it, whose answers cannot change any more.
        """
        with self._lock:
            self.num_lessons += 1
            asked = {question.key for question in anew}
            self._past += [poll for key, poll in self._polls.items() if key in asked]
            self._polls = {key: poll for key, poll in self._polls.items() if key not in asked}
            for question in before:
                self._poll(question).are_shown = True
        self._tell()

    def vote(
        self, token: str, question: Question, option: int, typed: str = "", keeps_first: bool = True
    ) -> bool:
        """Count a person's answer, instead of the one before; return whether it counts: not once the vote has ended.

        Args:
            token: the person's.
            question: the question.
            option: the number of one of its options.
            typed: the number, where one was typed.
            keeps_first: whether the first answer stays the one that the person takes home.
        """
        with self._lock:
            person = self._people.find(token)
            if person is None or person.is_out or not 0 <= option < len(question.options):
                return False
            poll = self._poll(question)
            if poll.are_shown:
                return False
            poll.votes[-1][person] = option
            if not (keeps_first and person in poll.firsts):
                poll.firsts[person] = OwnAnswer(question, option, typed)
        self._tell(token)
        return True

    def tally(self, token: str, question: Question) -> Tally:
        """Return how the class has answered, and what the person of the token chose.

        The question is worded as whoever asks reads it; at the end, all are as the teacher has read them.
        """
        with self._lock:
            poll = self._polls.get(question.key) or _Poll(question)
            has_same_options = len(question.options) == len(poll.question.options)
            if has_same_options and self.is_teacher(token):
                poll.question = question
            return self._tally_of(poll, question if has_same_options else poll.question, token)

    def _tally_of(self, poll: _Poll, question: Question, token: str = "") -> Tally:
        person = self._people.find(token)
        return Tally(
            question,
            tuple(_counts(votes, len(question.options)) for votes in poll.votes),
            tuple(votes.get(person) if person else None for votes in poll.votes),
            poll.are_shown,
            poll.is_solved,
        )

    def answers_of(self, token: str) -> list[OwnAnswer]:
        """Return what a person has answered first, in the order in which the questions were asked."""
        with self._lock:
            person = self._people.find(token)
            return [poll.firsts[person] for poll in self._all_polls() if person in poll.firsts]

    def show_answers(self, question: Question) -> None:
        """End the vote and show what the class has answered, without what is right."""
        with self._lock:
            self._poll(question).are_shown = True
        self._tell()

    def vote_again(self, question: Question) -> None:
        """Begin a second vote; the first one stays beside it."""
        with self._lock:
            poll = self._poll(question)
            if len(poll.votes) == 1:
                poll.votes.append({})
                poll.are_shown = poll.is_solved = False
        self._tell()

    def solve(self, question: Question) -> None:
        """Show the answers, the right one marked."""
        with self._lock:
            poll = self._poll(question)
            poll.are_shown = poll.is_solved = True
        self._tell()

    def tallies(self) -> tuple[Tally, ...]:
        """Return all questions that were answered, in the order in which they were, lesson by lesson."""
        with self._lock:
            return tuple(self._tally_of(poll, poll.question) for poll in self._all_polls() if any(poll.votes))

    def _all_polls(self) -> list[_Poll]:
        return [*self._past, *self._polls.values()]

    def _poll(self, question: Question) -> _Poll:
        return self._polls.setdefault(question.key, _Poll(question))

    # One model of the class

    def hand_over(self, model: TrainedModel) -> None:
        """Hand a model to everyone in the room."""
        self.model = model
        self._tell()

    def send(self, token: str, pair: Pair) -> None:
        """Send a pair to the teacher.

        Raises:
            RoomError: the person has sent too many that still wait, or the room has enough.
        """
        with self._lock:
            person = self._people.find(token)
            if person is None or person.is_out:
                raise RoomError(_("Join the room first."))
            waiting = self._waiting()
            if (person, pair) in [(each.person, each.pair) for each in waiting]:
                return  # sent again by a phone that did not hear the answer
            if sum(each.person == person for each in waiting) >= MAX_PAIRS:
                raise RoomError(
                    _("{count} of your sentences still wait for your teacher.").format(count=MAX_PAIRS)
                )
            if len(waiting) + len(self.accepted) >= _MAX_CLASS_PAIRS:
                raise RoomError(_("This room has its {count} sentences.").format(count=_MAX_CLASS_PAIRS))
            number = max(self._sent, default=0) + 1
            if len(self._sent) >= _MAX_REMEMBERED:
                decided = [each for each in self._sent.values() if each not in waiting]
                del self._sent[min(decided, key=lambda each: each.fate == "accepted").number]
            self._sent[number] = SentPair(number, pair, person, "waits")
        self._tell(token)

    @property
    def waiting(self) -> tuple[SentPair, ...]:
        """The pairs that the teacher has neither accepted nor refused."""
        with self._lock:
            return self._waiting()

    def _waiting(self) -> tuple[SentPair, ...]:
        return tuple(each for each in self._sent.values() if each.fate == "waits" and not each.person.is_out)

    def sent_by(self, token: str) -> tuple[SentPair, ...]:
        """Return the pairs that a person has sent."""
        with self._lock:
            person = self._people.find(token)
            return tuple(each for each in self._sent.values() if each.person == person)

    def decide(self, number: int, is_accepted: bool) -> None:
        """Accept or refuse a pair that waits."""
        with self._lock:
            sent = self._sent.get(number)
            if sent is None or sent.fate != "waits":
                return
            self._sent[number] = sent._replace(fate="accepted" if is_accepted else "refused")
            if is_accepted and sent.pair not in self.accepted:
                self.accepted = (*self.accepted, sent.pair)
        self._tell()


def _counts(votes: Mapping[Person, int], num_options: int) -> tuple[int, ...]:
    found = Counter(option for person, option in votes.items() if not person.is_out)
    return tuple(found[option] for option in range(num_options))
