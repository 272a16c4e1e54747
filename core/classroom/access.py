"""The class code, and the limit on wrong attempts at any code."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable

from core.classroom.settings import MAX_CODE

MAX_WRONG = 30  # wrong codes per minute from all tabs together; beyond, no code is checked
MAX_WRONG_OF_TAB = 5  # wrong codes per minute from one tab
_WINDOW = 60.0  # seconds for which wrong codes count


class TooManyCodesError(RuntimeError):
    """There were too many wrong codes in the last minute; the message is for users."""


class Attempts:
    """Counts wrong codes, per tab and in total, since one user can open many tabs.

    Many wrong codes can thus lock others out for a minute, but not those who are already in.

    Args:
        clock: returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._wrong: deque[tuple[float, str]] = deque()  # time and tab of wrong codes, at most MAX_WRONG

    def check(self, is_right: Callable[[], bool], tab: str) -> bool:
        """Return whether a code is right, and count it if it is wrong.

        Args:
            is_right: checks the code.
            tab: the session that typed it.

        Raises:
            TooManyCodesError: there were too many wrong codes before; this one is not checked.
        """
        with self._lock:
            now = self._clock()
            while self._wrong and now - self._wrong[0][0] >= _WINDOW:
                self._wrong.popleft()
            of_tab = sum(each == tab for _, each in self._wrong)
            if len(self._wrong) >= MAX_WRONG or of_tab >= MAX_WRONG_OF_TAB:
                raise TooManyCodesError("Too many wrong codes. Wait a minute, then try again.")
            right = is_right()
            if not right:
                self._wrong.append((now, tab))
            return right


class CodeLock:
    """A code shared by a class, which limits wrong attempts, so that it cannot be found by trying.

    Args:
        code: the code; case and surrounding spaces are ignored, because phones change both.
        clock: returns seconds.
    """

    def __init__(self, code: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._digest = _digest(code)
        self._attempts = Attempts(clock)
        self.token = secrets.token_urlsafe(32)  # for signed-in tabs, valid until the server ends

    def check_code(self, typed: str, tab: str) -> bool:
        """Return whether `typed` is the code.

        Raises:
            TooManyCodesError: there were too many wrong codes before; this one is not checked.
        """
        return self._attempts.check(lambda: hmac.compare_digest(_digest(typed), self._digest), tab)

    def is_valid_token(self, token: str) -> bool:
        """Return whether a token is from a tab that has signed in."""
        return hmac.compare_digest(_digest(token), _digest(self.token))


def _digest(code: str) -> bytes:
    """Return a digest of fixed length, so that comparing two reveals nothing about a code's length."""
    return hashlib.sha256(code[: 2 * MAX_CODE].strip().casefold().encode("utf-8", "replace")).digest()
