"""The address that a page is at: what widgets read from it, and write into it."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import streamlit as st

STALE_SECONDS = 3.0  # for how long a browser may still send the address from before our last change of it

_PAGE = "page_of_addresses"  # keys of st.session_state
_ADDRESSES = "addresses"
_MISREAD = "misread"


class _Written(NamedTuple):
    """What stands in the address for one widget."""

    now: str | None
    before: str | None
    since: float  # seconds, monotonic


def read_address(name: str) -> str | None:
    """What the address holds under a name. Older links repeat a name that has several values."""
    return ",".join(st.query_params.get_all(name)) if name in st.query_params else None


def write_address(name: str, text: str | None) -> None:
    """Put a value into the address under a name; None takes it out."""
    addresses = session_values(_ADDRESSES)
    written: _Written | None = addresses.get(name)
    if written is None or written.now != text:
        before = written.now if written else read_address(name)
        addresses[name] = _Written(text, before, time.monotonic())
    if text is None:
        st.query_params.pop(name, None)
    elif st.query_params.get_all(name) != [text]:
        st.query_params[name] = text


def is_news(name: str, text: str | None) -> bool:
    """Whether the address holds what this session has not put there: a link, Back, or typing."""
    written: _Written | None = session_values(_ADDRESSES).get(name)
    if written is None:
        return text is not None
    if text == written.before and time.monotonic() - written.since < STALE_SECONDS:
        return False  # a click that came before the browser had the newer address
    return text != written.now


def note_misread(name: str, text: str) -> None:
    """Remember what the address asks for and no widget has."""
    session_values(_MISREAD)[name] = text


def take_misread() -> dict[str, str]:
    """What this run's address asked for and no widget has, by its name; each is told once."""
    misread = dict(session_values(_MISREAD))
    session_values(_MISREAD).clear()
    return misread


def begin_page(title: str) -> None:
    """Called in every run before the page: another page's address begins anew."""
    if st.session_state.get(_PAGE) != title:
        st.session_state[_PAGE] = title
        st.session_state[_ADDRESSES] = {}
    session_values(_MISREAD).clear()


def session_values(name: str) -> dict[str, Any]:
    """A dictionary of this session, by its name."""
    values: dict[str, Any] = st.session_state.setdefault(name, {})
    return values
