import contextlib
from itertools import count

import pytest

from core.server.access import HOUR, Attempts, CodeLock, Pace, TooManyCodesError
from core.server.rooms import CODE_LENGTH, CODE_LETTERS
from core.server.settings import MIN_CODE

NUM_LETTERS = 36  # of a class code: letters and digits
NUM_ADDRESSES = 100
NUM_ROOMS = 10
UNLIKELY = 1 / 1000  # to find a code within an hour
SCHOOL = "203.0.113.7"


class Clock:
    """A clock that stands still until it is moved."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lock(clock: Clock) -> CodeLock:
    return CodeLock("Blue Whale 7", Attempts(clock))


def guess(lock: CodeLock, address: str) -> int:
    """Give wrong codes as fast as the server answers; return how many it has read."""
    for number in count():
        try:
            assert not lock.check_code(f"guess {number}", address)
        except TooManyCodesError:
            return number
    raise AssertionError


def test_the_code_and_others(lock: CodeLock) -> None:
    for typed in ("Blue Whale 7", "  BLUE WHALE 7 \n"):  # as people type it
        assert lock.check_code(typed, SCHOOL)
    for typed in ("", "bluewhale7", "blue whale 7 8", "é\ud800", "blue whale 7" * 10**6):
        assert not lock.check_code(typed, SCHOOL)


def test_after_many_wrong_codes_no_code_of_their_address_is_read_for_a_moment(
    lock: CodeLock, clock: Clock
) -> None:
    assert guess(lock, SCHOOL) >= 30, "a class that mistypes is no attack"
    with pytest.raises(TooManyCodesError):
        # Not even the right one, or the answer would tell it from the others.
        lock.check_code("blue whale 7", SCHOOL)
    assert lock.check_code("blue whale 7", "203.0.113.8")
    clock.now += 5.0
    assert lock.check_code("blue whale 7", SCHOOL)


def test_right_codes_cost_nothing(lock: CodeLock) -> None:
    assert all(lock.check_code("blue whale 7", SCHOOL) for _ in range(1000))


def test_strangers_at_many_addresses_lock_a_class_out_for_a_moment_alone(
    lock: CodeLock, clock: Clock
) -> None:
    for number in range(NUM_ADDRESSES):
        guess(lock, f"10.0.0.{number}")
    with pytest.raises(TooManyCodesError):
        lock.check_code("blue whale 7", SCHOOL)
    clock.now += 1.0
    assert lock.check_code("blue whale 7", SCHOOL)


def test_an_address_is_a_house(clock: Clock) -> None:
    pace = Pace(rate=0.0, burst=1, clock=clock)
    assert pace.allows("2001:db8::1") and not pace.allows("2001:db8::2") and pace.allows("2001:db8:0:1::1")
    assert pace.allows("10.0.0.1") and pace.allows("::ffff:10.0.0.2") and pace.allows("::ffff:10.0.0.3")
    assert not pace.allows("::ffff:10.0.0.1"), "the same, as a server on both versions sees it"


def test_codes_are_not_found_by_guessing_for_an_hour(clock: Clock) -> None:
    attempts = Attempts(clock)
    tried = 0
    while clock.now < HOUR / 6:  # each as soon as it may
        for number in range(NUM_ADDRESSES):
            with contextlib.suppress(TooManyCodesError):
                while True:
                    tried += not attempts.check(False, f"10.0.0.{number}")
        clock.now += 10.0
    tried *= 6
    assert tried / NUM_LETTERS**MIN_CODE < UNLIKELY
    assert NUM_ROOMS * tried / len(CODE_LETTERS) ** CODE_LENGTH < UNLIKELY
    assert NUM_ROOMS * tried / len(CODE_LETTERS) ** (CODE_LENGTH - 1) > UNLIKELY


def test_a_ticket_is_taken_by_its_own_lock_alone(lock: CodeLock) -> None:
    assert lock.is_valid_token(lock.token)
    assert not lock.is_valid_token(CodeLock("Blue Whale 7").token)
    assert not lock.is_valid_token("")
    assert not lock.is_valid_token("Blue Whale 7")
