from __future__ import annotations

import pytest

from core.classroom.access import MAX_WRONG, MAX_WRONG_OF_TAB, CodeLock, TooManyCodesError


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lock(clock: Clock) -> CodeLock:
    return CodeLock("Blue Whale 7", clock)


def test_the_code_and_others(lock: CodeLock) -> None:
    for typed in ("Blue Whale 7", "  BLUE WHALE 7 \n"):  # as people type it
        assert lock.check_code(typed, "tab")
    for typed in ("", "bluewhale7", "blue whale 7 8", "é\ud800", "blue whale 7" * 10**6):
        assert not lock.check_code(typed, f"tab of {len(typed)}")


def test_one_tab_may_be_wrong_a_few_times_a_minute(lock: CodeLock, clock: Clock) -> None:
    assert not lock.check_code("one", "tab")
    clock.now = 20.0
    for _ in range(MAX_WRONG_OF_TAB - 1):
        assert not lock.check_code("two", "tab")
    with pytest.raises(TooManyCodesError, match="Wait a minute"):
        lock.check_code(
            "blue whale 7", "tab"
        )  # not even the right one is checked, or guessing could continue
    assert lock.check_code("blue whale 7", "another tab")
    clock.now = 60.0
    assert lock.check_code("blue whale 7", "tab")


def test_many_tabs_of_one_person_are_bounded_together(lock: CodeLock, clock: Clock) -> None:
    for number in range(MAX_WRONG):
        assert not lock.check_code("guess", f"tab {number}")
    with pytest.raises(TooManyCodesError):
        lock.check_code("blue whale 7", "tab of another person")
    clock.now = 60.0
    assert lock.check_code("blue whale 7", "tab of another person")


def test_a_ticket_is_taken_by_its_own_lock_alone(lock: CodeLock) -> None:
    assert lock.is_valid_token(lock.token)
    assert not lock.is_valid_token(CodeLock("Blue Whale 7").token)
    assert not lock.is_valid_token("")
    assert not lock.is_valid_token("Blue Whale 7")
