"""The class code, and what wrong attempts at any code cost."""

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address

from core.language import _
from core.server.settings import MAX_CODE

HOUR = 3600  # seconds
_MAX_ADDRESSES = 10_000  # that are remembered
_HOST_BITS = 64  # of an IPv6 address: one house has them all


class TooManyCodesError(RuntimeError):
    """No code is read at this moment, since too many were wrong; the message is for users."""


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
        is_allowed = self.has_left(address)
        if is_allowed:
            self.spend(address)
        return is_allowed

    def has_left(self, address: str) -> bool:
        """Return whether an address may do it now."""
        return self._left_of(_network(address)) >= 1.0

    def spend(self, address: str) -> None:
        """Count that an address does it."""
        network = _network(address)
        self._left[network] = self._left_of(network) - 1.0, self._clock()
        self._left.move_to_end(network)
        if len(self._left) > _MAX_ADDRESSES:
            self._left.popitem(last=False)

    def _left_of(self, network: str) -> float:
        now = self._clock()
        left, since = self._left.get(network, (float(self._burst), now))
        return min(self._burst, left + (now - since) * self._rate)


class Attempts:
    """Refuses all codes for a moment, once too many were wrong.

    Each address may give 60 wrong codes at once and one a second, all together 600 and fifteen a second. Then no code is
    read, not even the right one: else its answer would tell it from the wrong ones. Whoever is inside needs no code.

    In an hour, all strangers together thus try 54,600 codes. They find six letters and digits in 0.003 % of all hours,
    and six letters of a room's alphabet of 32 in 0.06 %, where any of ten rooms will do (tests/server/test_access.py).
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._of_address = Pace(rate=1.0, burst=60, clock=clock)
        self._of_all = Pace(rate=15.0, burst=600, clock=clock)

    def check(self, is_right: bool, address: str) -> bool:
        """Return whether a code is right, and count it if it is wrong.

        Args:
            is_right: what nobody hears where the code is refused.
            address: from which the code comes.

        Raises:
            TooManyCodesError: too many codes were wrong.
        """
        with self._lock:
            if not (self._of_address.has_left(address) and self._of_all.has_left("")):
                raise TooManyCodesError(
                    _("Too many wrong codes were typed. Wait a few seconds, then try again.")
                )
            if not is_right:
                self._of_address.spend(address)
                self._of_all.spend("")
        return is_right


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

    def check_code(self, typed: str, address: str) -> bool:
        """Return whether `typed`, which comes from an address, is the code.

        Raises:
            TooManyCodesError: too many codes were wrong.
        """
        return self._attempts.check(hmac.compare_digest(_digest(typed), self._digest), address)

    def is_valid_token(self, token: str) -> bool:
        """Return whether a token is from a tab that has signed in."""
        return hmac.compare_digest(_digest(token), _digest(self.token))


def _network(address: str) -> str:
    """Return what counts as one address: of version 6, the half that one house has in common."""
    try:
        found = ip_address(address)
    except ValueError:  # none, or a socket's name
        return address
    if isinstance(found, IPv6Address):
        found = found.ipv4_mapped or IPv6Address(int(found) >> _HOST_BITS << _HOST_BITS)
    return str(found)


def _digest(code: str) -> bytes:
    """Return a digest of fixed length, so that comparing two reveals nothing about a code's length."""
    return hashlib.sha256(code[: 2 * MAX_CODE].strip().casefold().encode("utf-8", "replace")).digest()
