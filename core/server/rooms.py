"""The rooms of a server: opened, found by their codes, and given up; and which tab sits where."""

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable

from core.errors import RefusedError
from core.language import _
from core.server.access import Attempts
from core.server.people import GONE_SECONDS
from core.server.room import Room, Seat

MAX_ROOMS = 100  # on a server
NEW_SECONDS = 60.0  # in which a class comes into a room that has just been opened
TICKET_SECONDS = 120.0  # in which a link to be the teacher's remote must be opened
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that is read as another: no I, O, 0, 1
CODE_LENGTH = 6  # core/server/access.py computes why
_MAX_ENDED = 1_000  # codes that are known to have been a room's


class Rooms:
    """The rooms of a server, limited in number and time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rooms: dict[str, Room] = {}
        self._ended: deque[str] = deque(maxlen=_MAX_ENDED)  # codes of rooms that there were
        self._attempts = Attempts(clock)
        self._tickets: dict[str, tuple[Room, float]] = {}  # each with the time until which it is good

    def open(self, tab: str) -> Seat:
        """Open a room with a code that no other has; return the seat of its teacher.

        Args:
            tab: what only the teacher's tab knows. A room that it has led before ends.

        Raises:
            RefusedError: the server has too many, and each has its class or has just been opened.
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

    def find(self, typed: str, address: str, *tabs: str) -> Room | None:
        """Return the room of a code that somebody types or scans; None if there is none.

        Args:
            typed: the code; case and spaces are ignored.
            address: from which it comes.
            tabs: what only this tab knows, or another one of the same person: who has a seat needs no code.

        Raises:
            TooManyCodesError: there were too many wrong codes before.
        """
        code = "".join(typed[:40].split()).upper()
        if code in self._ended:
            return None  # thirty phones with an old link are no attack
        room = self.get(code)
        if room is None or not any(map(room.seat_of, tabs)):
            self._attempts.check(room is not None, address)
        return room

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
        """Return where a tab sits now; None if it is in no room that has not ended, or is out."""
        with self._lock:
            self._forget_ended()
            seat = self._taken_by(tab)
            return None if seat is None or seat.is_out else seat

    def seats_of(self, tab: str) -> list[Seat]:
        """Return the seats of a tab in all rooms, also in those that it has left."""
        with self._lock:
            self._forget_ended()
            return self._seats_of(tab)

    def led_by(self, tab: str) -> Room | None:
        """Return the room that a tab leads, also while it visits another one."""
        with self._lock:
            self._forget_ended()
            seat = self._led_by(tab)
            return None if seat is None else seat.room

    def join(self, room: Room, tab: str, other: str = "") -> Seat:
        """Let a tab come into a room and follow its class, in the seat that it has had there before, if any.

        `other` is what another tab of the same person knows, whose seat it takes otherwise.

        Raises:
            RefusedError: the room is full, or has just ended.
        """
        with self._lock:
            if self._rooms.get(room.code) is not room:
                raise RefusedError(_("The room has ended."))
            seat = room.join(tab, other)
            seat.follow()
            self._sit_down(tab, seat)
            return seat

    def new_ticket(self, room: Room) -> str:
        """Return a ticket that lets one tab be the remote of a room's teacher, for TICKET_SECONDS.

        A ticket before, which somebody may have seen, is no longer good.
        """
        with self._lock:
            self._withdraw_ticket(room)
            ticket = secrets.token_urlsafe(16)
            self._tickets[ticket] = room, self._clock() + TICKET_SECONDS
            return ticket

    def withdraw_ticket(self, room: Room) -> None:
        """Make a room's ticket, which nobody has taken, good for nothing."""
        with self._lock:
            self._withdraw_ticket(room)

    def _withdraw_ticket(self, room: Room) -> None:
        now = self._clock()
        self._tickets = {
            ticket: (of, until)
            for ticket, (of, until) in self._tickets.items()
            if of is not room and until > now
        }

    def knows_ticket(self, ticket: str) -> bool:
        """Return whether a ticket is still good."""
        until = self._tickets.get(ticket, (None, 0.0))[1]
        return until > self._clock()

    def take_ticket(self, ticket: str, tab: str) -> Seat | None:
        """Return the seat of the remote that a tab is by a ticket; None where it is not good, or no more."""
        with self._lock:
            room, until = self._tickets.get(ticket, (None, 0.0))
            if room is None or room.has_ended or until < self._clock():
                return None
            seat = room.let_lead_from(tab)
            del self._tickets[
                ticket
            ]  # not before: the screen that shows it looks for a remote when it is gone
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
            before, since = self._taken_by(earlier), self._taken_by(fresh)
            if before is not None and since is not None and since is not before:
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
        """End a room that nobody has joined, or else one that all have left: whose teacher has been gone longest."""
        unjoined = [each for each in self._rooms.values() if each.is_unjoined and each.age >= NEW_SECONDS]
        left = [
            each
            for each in self._rooms.values()
            if not each.num_here and each.seconds_without_teacher >= GONE_SECONDS
        ]
        longest = max(unjoined or left, key=lambda room: room.seconds_without_teacher, default=None)
        if longest is None:
            raise RefusedError(
                _("This server has {count} rooms, which is the most. Close one, or wait.").format(
                    count=MAX_ROOMS
                )
            )
        self._end(longest)

    def _end(self, room: Room) -> None:
        room.close()
        if self._rooms.pop(room.code, None) is not None:
            self._ended.append(room.code)

    def _forget_ended(self) -> None:
        for room in [each for each in self._rooms.values() if each.has_ended]:
            self._end(room)


def _new_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for place in range(CODE_LENGTH))
