"""The class code, and what wrong attempts at any code cost."""

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable

from core.durations import duration
from core.language import _
from core.server.settings import MAX_CODE

HOUR = 3600.0  # seconds after which a tab's last wrong code is forgotten
MAX_DELAY = 5.0  # seconds that a check takes at most
_DELAY = 0.05  # seconds that each wrong code of the last minute, of all tabs, adds to a check
_WINDOW = 60.0
_MAX_TABS = 10_000  # whose wrong codes are remembered


class TooManyCodesError(RuntimeError):
    """A tab that gave wrong codes must wait; the message is for users."""


class Attempts:
    """Makes wrong codes cost time: much for the tab that gives them, and a little for all.

    After n wrong codes, a tab waits 2ⁿ⁻¹ − 1 seconds, and its codes are not checked before. A tab that has given no
    wrong code, like one that a link opens, is never refused, so strangers cannot lock a class out. A tab's last wrong
    code stays wrong and costs nothing more: a page that is run again gives it again.

    In an hour, a tab thus tries 12 codes, and 100 tabs 1,200 of the 1.7 million codes of four letters and digits: they
    find one in 0.07 % of all hours. But whoever opens each tab anew begins at nothing again. Then only the delay for
    all counts: 100 tabs at a time try 72,000 codes in an hour, one each every MAX_DELAY seconds, and find four letters
    and digits in 4 %, six in 0.003 %. Six letters of a room's alphabet of 32 are found in 0.07 % of all hours, where
    any of ten rooms will do (tests/server/test_access.py).
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        # Of each tab: how many wrong codes, the last one, and when it was.
        self._of_tabs: OrderedDict[str, tuple[int, Hashable, float]] = OrderedDict()
        # When codes were wrong, of all tabs.
        self._recent: deque[float] = deque(maxlen=round(MAX_DELAY / _DELAY))

    def check(self, code: Hashable, is_right: Callable[[], bool], tab: str) -> bool:
        """Return whether a code is right, and count it if it is wrong.

        Args:
            code: tells it from others.
            is_right: checks the code.
            tab: the session that typed it.

        Raises:
            TooManyCodesError: this tab must wait; the code is not checked.
        """
        with self._lock:
            now = self._clock()
            wrong, last_code, last = self._of_tabs.get(tab, (0, None, now))
            if wrong and code == last_code:
                return False
            if now - last >= HOUR:
                wrong = 0
            if wrong and (wait := last + 2.0 ** (wrong - 1) - 1.0 - now) > 0:
                raise TooManyCodesError(
                    _("Too many wrong codes. Wait {time}, then try again.").format(time=duration(wait))
                )
            right = is_right()
            if not right:
                self._of_tabs[tab] = wrong + 1, code, now
                self._of_tabs.move_to_end(tab)
                if len(self._of_tabs) > _MAX_TABS:
                    self._of_tabs.popitem(last=False)
            delay = _DELAY * sum(now - each < _WINDOW for each in self._recent)
            if not right:
                self._recent.append(now)
        # A right code too, or whoever guesses would not wait for the answer.
        self._sleep(delay)
        return right


class CodeLock:
    """A code shared by a class, which cannot be found by trying.

    Args:
        code: the code; case and surrounding spaces are ignored, because phones change both.
        attempts: counts wrong codes.
    """

    def __init__(self, code: str, attempts: Attempts | None = None) -> None:
        self._digest = _digest(code)
        self._attempts = attempts or Attempts()
        self.token = secrets.token_urlsafe(32)  # for signed-in tabs, valid until the server ends

    def check_code(self, typed: str, tab: str) -> bool:
        """Return whether `typed` is the code.

        Raises:
            TooManyCodesError: this tab must wait; the code is not checked.
        """
        digest = _digest(typed)
        return self._attempts.check(digest, lambda: hmac.compare_digest(digest, self._digest), tab)

    def is_valid_token(self, token: str) -> bool:
        """Return whether a token is from a tab that has signed in."""
        return hmac.compare_digest(_digest(token), _digest(self.token))


class Pace:
    """Lets each address do something so many times a second.

    Args:
        rate: how often in a second, for a long time.
        burst: how often at once.
        clock: returns seconds.
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, and since when

    def allows(self, address: str) -> bool:
        """Return whether an address may do it now, and count that it does."""
        now = self._clock()
        left, since = self._left.get(address, (float(self._burst), now))
        left = min(self._burst, left + (now - since) * self._rate)
        is_allowed = left >= 1.0
        self._left[address] = left - is_allowed, now
        self._left.move_to_end(address)
        if len(self._left) > _MAX_TABS:
            self._left.popitem(last=False)
        return is_allowed


def _digest(code: str) -> bytes:
    """Return a digest of fixed length, so that comparing two reveals nothing about a code's length."""
    return hashlib.sha256(code[: 2 * MAX_CODE].strip().casefold().encode("utf-8", "replace")).digest()
