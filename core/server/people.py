"""The people of a room: who is here, who gives a place up, and who has come as if one computer were a class."""

import secrets
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass

GONE_SECONDS = 600.0  # without a sign of a tab; then a full room or server gives its place to another
HERE_SECONDS = 10.0  # a tab looks every second or two; after so many, it has gone
_SILENT_SECONDS = 60.0  # after which a full room gives away the place of a tab that has not answered anything
_AT_ONCE = (
    15  # who come within a second: a class that scans a code comes one after another, a script's do not
)


@dataclass(eq=False)
class Person:
    """Somebody who has a seat."""

    came: float
    seen: float  # when a tab of theirs looked last
    came_at_once: bool = False  # with many others, within a second
    is_out: bool = False  # taken out by the teacher


class People:
    """Those who have a seat in a room, by their tokens. Only one thread at a time may use it.

    Args:
        clock: returns seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._people: dict[str, Person] = {}
        self._last: deque[Person] = deque(maxlen=_AT_ONCE)  # who have come last

    def __len__(self) -> int:
        return len(self._people)

    def __contains__(self, token: str) -> bool:
        return token in self._people

    def find(self, token: str) -> Person | None:
        """Return the person of a token, None if it is nobody's."""
        return self._people.get(token)

    def come(self) -> str:
        """Let somebody in, and return the token."""
        now = self._clock()
        person = Person(now, now)
        self._last.append(person)
        if len(self._last) == _AT_ONCE and now - self._last[0].came <= 1.0:
            for each in self._last:
                each.came_at_once = True
        token = secrets.token_urlsafe(12)
        self._people[token] = person
        return token

    def go(self, token: str) -> Person:
        """Forget a token, and return whose it was."""
        return self._people.pop(token)

    def note_here(self, token: str) -> None:
        """Note a sign of somebody's tab."""
        if token in self._people:
            self._people[token].seen = self._clock()

    def first_to_go(self, voters: Collection[Person]) -> str | None:
        """Return whose place goes to somebody else, None where all keep theirs.

        A voter keeps it for GONE_SECONDS after the last sign. Who has not answered anything has it for _SILENT_SECONDS:
        looking costs a script nothing. Who is out goes first, then who came at once, then who is gone for longest.
        """
        now = self._clock()

        def may_go(person: Person) -> bool:
            is_gone = now - person.seen >= GONE_SECONDS
            is_silent = person not in voters and now - person.came >= _SILENT_SECONDS
            return person.is_out or is_gone or is_silent

        def goes_before(token: str) -> tuple[bool, bool, float]:
            person = self._people[token]
            return person.is_out, person.came_at_once, -person.seen

        going = [token for token, person in self._people.items() if may_go(person)]
        return max(going, key=goes_before, default=None)

    @property
    def have_come(self) -> bool:
        """Whether anybody has ever come."""
        return bool(self._last)

    @property
    def num_here(self) -> int:
        """How many have looked in the last seconds, without those who are out."""
        now = self._clock()
        return sum(now - each.seen < HERE_SECONDS and not each.is_out for each in self._people.values())

    @property
    def num_at_once(self) -> int:
        """How many have come within a second with many others, and are neither taken out nor brought back."""
        return sum(each.came_at_once for each in self._people.values())

    @property
    def num_out(self) -> int:
        """How many are out."""
        return sum(each.is_out for each in self._people.values())

    def take_out(self) -> None:
        """Take those out who have come at once."""
        for each in self._people.values():
            each.is_out |= each.came_at_once
            each.came_at_once = False

    def bring_back(self) -> None:
        """Bring all back who are out."""
        for each in self._people.values():
            each.is_out = False
