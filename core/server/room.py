"""A room: a class that answers together, follows its teacher, and shares one model. In the server's memory only."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple
from weakref import ref

from core.errors import RefusedError
from core.language import _
from core.records.question import Act, Answer, Question
from core.records.room import Place, Tally
from core.records.text import Pair
from core.server.ledger import Ledger
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
        votes = tuple((each.state, each.own[-1] and each.own[-1].option) for each in tallies)
        place = None if self.is_teacher else room.place  # the teacher's own page sets it
        is_here = self.is_taken and not self.is_out and not room.has_ended
        model = room.model and room.model.id
        return (
            is_here,
            self.shows,
            self.follows,
            self.place,
            model,
            room.classroom,
            room.languages,
            place,
            votes,
        )


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
        self._ledger: Ledger[Person] = Ledger(lambda person: not person.is_out)
        self.num_lessons = 0  # that have begun
        self._sent: dict[int, SentPair] = {}  # by number
        self.accepted: tuple[Pair, ...] = ()  # that the teacher has accepted, in that order
        # What the teacher trains on: the preset of the fifteen pairs, by name, and the English names of the languages,
        # empty where the pairs are others. It is empty too before the teacher's tab has said it.
        self.classroom = ""
        self.languages = "", ""
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
            RefusedError: the room is full.
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
        token = self._people.first_to_go(self._ledger.voters())
        if token is None:
            raise RefusedError(_("This room is full: it has {count} people.").format(count=MAX_PEOPLE))
        self._give_up(next(seat for seat in self._seats.values() if seat.token == token))

    def _tabs_of(self, seat: Seat) -> list[str]:
        return [tab for tab, each in self._seats.items() if each is seat]

    def _give_up(self, seat: Seat) -> Person:
        """Take a seat from its tabs; return whose it was. The votes stay counted."""
        for tab in self._tabs_of(seat):
            del self._seats[tab]
        seat.is_taken = False
        person = self._people.go(seat.token)
        self._ledger.leave(person)
        return person

    def _take_back(self, seat: Seat) -> None:
        """Take a seat from its tabs, and its votes from the counts."""
        self._ledger.take_back(self._give_up(seat))

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

    def note_pairs(self, classroom: str, languages: tuple[str, str]) -> None:
        """Note what the teacher trains on; see `classroom`."""
        has_changed = (classroom, languages) != (self.classroom, self.languages)
        self.classroom, self.languages = classroom, languages
        if has_changed:
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
            self._ledger.ask_anew(anew)
            for question in before:
                self._ledger.act(question, "show answers")
        self._tell()

    def answer(self, token: str, answer: Answer) -> bool:
        """Count a person's answer as `Ledger.answer` does; return what that returns."""
        with self._lock:
            person = self._people.find(token)
            if person is None or person.is_out:
                return False
            if not self._ledger.answer(person, answer):
                return False
        self._tell(token)
        return True

    def tally(self, token: str, question: Question) -> Tally:
        """Return how the class has answered, and what the person of the token answered."""
        with self._lock:
            return self._ledger.tally(question, self._people.find(token), self.is_teacher(token))

    def answers_of(self, token: str) -> list[Answer]:
        """Return what a person has answered first, in the order in which the questions were asked."""
        with self._lock:
            person = self._people.find(token)
            return [] if person is None else list(self._ledger.firsts(person).values())

    def act(self, question: Question, act: Act) -> None:
        """Let the teacher show the answers, ask again, mark what is right, or show the figure."""
        with self._lock:
            self._ledger.act(question, act)
        self._tell()

    def tallies(self) -> tuple[Tally, ...]:
        """Return all questions that were answered, in the order in which they were, lesson by lesson."""
        with self._lock:
            return self._ledger.tallies()

    # One model of the class

    def hand_over(self, model: TrainedModel) -> None:
        """Hand a model to everyone in the room."""
        self.model = model
        self._tell()

    def send(self, token: str, pair: Pair) -> None:
        """Send a pair to the teacher.

        Raises:
            RefusedError: the person has sent too many that still wait, or the room has enough.
        """
        with self._lock:
            person = self._people.find(token)
            if person is None or person.is_out:
                raise RefusedError(_("Join the room first."))
            waiting = self._waiting()
            if (person, pair) in [(each.person, each.pair) for each in waiting]:
                return  # sent again by a phone that did not hear the answer
            if sum(each.person == person for each in waiting) >= MAX_PAIRS:
                raise RefusedError(
                    _("{count} of your sentences still wait for your teacher.").format(count=MAX_PAIRS)
                )
            if len(waiting) + len(self.accepted) >= _MAX_CLASS_PAIRS:
                raise RefusedError(_("This room has its {count} sentences.").format(count=_MAX_CLASS_PAIRS))
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
