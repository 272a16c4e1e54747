import contextlib

import pytest

from core.server.access import HOUR, MAX_DELAY, Attempts, CodeLock, TooManyCodesError
from core.server.rooms import CODE_LENGTH, CODE_LETTERS
from core.server.settings import MIN_CODE

NUM_LETTERS = 36  # of a class code: letters and digits
NUM_TABS = 100
NUM_ROOMS = 10
UNLIKELY = 1 / 1000  # to find a code within an hour


class Clock:
    """A clock that only sleeping moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lock(clock: Clock) -> CodeLock:
    return CodeLock("Blue Whale 7", Attempts(clock, clock.sleep))


def test_the_code_and_others(lock: CodeLock) -> None:
    for typed in ("Blue Whale 7", "  BLUE WHALE 7 \n"):  # as people type it
        assert lock.check_code(typed, "tab")
    for typed in ("", "bluewhale7", "blue whale 7 8", "é\ud800", "blue whale 7" * 10**6):
        assert not lock.check_code(typed, f"tab of {len(typed)}")


def test_a_wrong_code_costs_the_tab_that_gives_it(lock: CodeLock, clock: Clock) -> None:
    assert not lock.check_code("one", "tab")
    assert not lock.check_code("one", "tab"), "a page that is run again"
    assert not lock.check_code("two", "tab")
    with pytest.raises(TooManyCodesError, match="Wait 1 s"):
        # Not even the right one is checked, or guessing could continue.
        lock.check_code("blue whale 7", "tab")
    assert lock.check_code("blue whale 7", "another tab")
    clock.sleep(1.0)
    assert lock.check_code("blue whale 7", "tab")


def test_strangers_lock_nobody_out(lock: CodeLock, clock: Clock) -> None:
    for number in range(1000):
        assert not lock.check_code("guess", f"tab {number}")
    begin = clock.now
    assert lock.check_code("blue whale 7", "tab of a student")
    assert 0 < clock.now - begin <= MAX_DELAY
    clock.sleep(60.0)
    begin = clock.now
    assert lock.check_code("blue whale 7", "tab of another student")
    assert clock.now == begin


def test_codes_are_not_found_by_guessing_for_an_hour(lock: CodeLock, clock: Clock) -> None:
    tried = 0
    while clock.now < HOUR:  # one tab, each time as soon as it may
        with contextlib.suppress(TooManyCodesError):
            tried += not lock.check_code(f"guess {tried}", "tab")
        clock.now += 0.5
    assert tried == 12
    assert NUM_TABS * tried / NUM_LETTERS**4 < UNLIKELY

    # As many tabs at a time, each opened anew after each code.
    attempts = Attempts(clock, lambda seconds: clock.sleep(seconds / NUM_TABS))
    begin = clock.now
    tried = 0
    while clock.now - begin < HOUR / 10:
        tried += not attempts.check("guess", lambda: False, f"tab {tried}")
    tried *= 10
    assert tried / NUM_LETTERS**MIN_CODE < UNLIKELY
    assert NUM_ROOMS * tried / len(CODE_LETTERS) ** CODE_LENGTH < UNLIKELY
    assert NUM_ROOMS * tried / len(CODE_LETTERS) ** (CODE_LENGTH - 1) > UNLIKELY


def test_a_ticket_is_taken_by_its_own_lock_alone(lock: CodeLock) -> None:
    assert lock.is_valid_token(lock.token)
    assert not lock.is_valid_token(CodeLock("Blue Whale 7").token)
    assert not lock.is_valid_token("")
    assert not lock.is_valid_token("Blue Whale 7")
