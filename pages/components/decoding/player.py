"""A figure over steps: a slider, buttons beside it, and Play, which stops by itself at the last step."""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st

from pages.components.lesson.stepper import choose_step
from pages.components.widgets.address import OF_VISIT
from pages.components.widgets.memory import set_value

_SECONDS = 1.2  # between two steps
_PLAYING = f"{OF_VISIT}player_since"  # key of st.session_state: when the last step came, monotonic seconds


def show_player(last: int, key: str, draw: Callable[[int], None]) -> None:
    """Controls over steps, and what is drawn of the one chosen. Only this part of the page runs again.

    Args:
        last: number of steps, counted from 1.
        key: of the step, in the address.
        draw: the step.
    """
    is_timed = _PLAYING in st.session_state
    st.fragment(_show, run_every=_SECONDS if is_timed else None)(last, key, draw, is_timed)


def _show(last: int, key: str, draw: Callable[[int], None], is_timed: bool) -> None:
    if is_timed:
        _go_on(last, key)
    if (_PLAYING in st.session_state) != is_timed:
        st.rerun()  # the whole page: only its run starts and ends the timer
    steps, play = st.columns([6, 1], vertical_alignment="bottom")
    with steps:
        number = choose_step(last, key)
    with play:
        st.button(
            "Pause" if is_timed else "Play",
            icon=":material/pause:" if is_timed else ":material/play_arrow:",
            on_click=_pause if is_timed else _play,
            args=() if is_timed else (last, key),
            disabled=last < 2,
            width="stretch",
        )
    draw(number)


def _go_on(last: int, key: str) -> None:
    """The next step where its time has come; people's own presses come between."""
    now = time.monotonic()
    if now - st.session_state.get(_PLAYING, now) < 0.8 * _SECONDS:
        return
    number = st.session_state.get(key, 1)
    if number < last:
        set_value(key, number + 1)
        st.session_state[_PLAYING] = now
    else:  # only now: a slow browser may still have sent the step before, which the whole page's run would take
        _pause()


def _play(last: int, key: str) -> None:
    if st.session_state.get(key, 1) >= last:
        set_value(key, 1)
    st.session_state[_PLAYING] = time.monotonic()


def _pause() -> None:
    st.session_state.pop(_PLAYING, None)
