from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable

from core.classroom.settings import MAX_CODE

MAX_WRONG = 30  # codes a minute, of all tabs together; then no code opens the door for a while
MAX_WRONG_OF_TAB = 5  # a minute
_WINDOW = 60.0  # seconds in which wrong codes are counted


class TooManyCodesError(RuntimeError):
    """Too many wrong codes came in the last minute; the message is for people."""


class CodeLock:
    """A code that many people type, with a bound on wrong ones, so that it cannot be found by trying.

    Wrong ones are counted for each tab and for all together, since one person can open many tabs. Whoever types
    enough of them can thus keep others out for a while, but nobody who is in already.

    Args:
        code: capital letters and spaces around it do not matter: phones add both.
        clock: seconds.
    """

    def __init__(self, code: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._digest = _digest(code)
        self._clock = clock
        self._lock = threading.Lock()
        self._wrong: deque[tuple[float, str]] = deque()  # when, and in which tab; at most MAX_WRONG
        self.ticket = secrets.token_urlsafe(32)  # for who has typed the code: good until the server ends

    def opens(self, typed: str, tab: str) -> bool:
        """Whether it is the code.

        Raises:
            TooManyCodesError: too many wrong ones came before; this one was not looked at.
        """
        with self._lock:
            now = self._clock()
            while self._wrong and now - self._wrong[0][0] >= _WINDOW:
                self._wrong.popleft()
            of_tab = sum(each == tab for _, each in self._wrong)
            if len(self._wrong) >= MAX_WRONG or of_tab >= MAX_WRONG_OF_TAB:
                raise TooManyCodesError("Too many wrong codes. Wait a minute, then try again.")
            right = hmac.compare_digest(_digest(typed), self._digest)
            if not right:
                self._wrong.append((now, tab))
            return right

    def takes(self, ticket: str) -> bool:
        """Whether somebody has typed the code before."""
        return hmac.compare_digest(_digest(ticket), _digest(self.ticket))


def _digest(code: str) -> bytes:
    """A digest of fixed length, so that comparing two reveals nothing about a code's length."""
    return hashlib.sha256(code[: 2 * MAX_CODE].strip().casefold().encode("utf-8", "replace")).digest()
