"""What a widget remembers: through reruns, visits to other pages, reloads, and in a link.

Streamlit forgets a widget's value when its page is left, and binds to the address what people read, not a
stable key. Here one rule decides for all widgets who wins: an address that somebody opened or went back to,
then the value on the screen, then what was chosen on an earlier visit, then the default.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import streamlit as st

from pages.components.app.session import workspace

Value = TypeVar("Value")

MAX_TEXT = 2000  # characters of one value in an address; servers and browsers take some more
STALE_SECONDS = 3.0  # for how long a browser may still send the address from before our last change of it

_PAGE = "page_of_addresses"  # keys of st.session_state
_ADDRESSES = "addresses"
_DEFAULTS = "defaults"


class _Written(NamedTuple):
    """What stands in the address for one widget."""

    now: str | None
    before: str | None
    since: float  # seconds, monotonic


@dataclass(frozen=True)
class Memory(Generic[Value]):
    """One widget's value by its key. Call `restore` before the widget is drawn, and `keep` after it."""

    key: str  # of the widget, and of its value in the address
    default: Value  # also of people who have chosen nothing and see another default later
    read: Callable[[str], Value]  # from the address; raises ValueError
    write: Callable[[Value], str] = str
    fit: Callable[[Value], Value] = lambda value: value  # to what the widget can show now
    in_address: bool = True

    def restore(self) -> str:
        """Give the widget its value; returns its key."""
        st.session_state[self.key] = self.fit(self._found())
        return self.key

    def keep(self, value: Value) -> Value:
        """Remember what the widget shows; returns it."""
        kept = workspace().kept
        if value == self.default:
            kept.pop(self.key, None)
        else:
            kept[self.key] = value
        _of_session(_DEFAULTS)[self.key] = self.default
        if self.in_address:
            self._write_address(None if value == self.default else self.write(value))
        return value

    def load(self) -> Value:
        """The value of what no single widget shows, as a table of numbers. `set_value` changes it."""
        value: Value = st.session_state[self.restore()]
        return self.keep(value)

    def _found(self) -> Value:
        text = _in_address(self.key) if self.in_address else None
        if self.in_address and _is_news(self.key, text):
            if text is None:
                return self.default
            try:
                return self.read(text[:MAX_TEXT])
            except ValueError:
                return self.default
        if self.key in st.session_state:
            value: Value = st.session_state[self.key]
            defaults = _of_session(_DEFAULTS)
            chosen = self.key in workspace().kept or self.key not in defaults or value != defaults[self.key]
            return value if chosen else self.default
        return workspace().kept.get(self.key, self.default)

    def _write_address(self, text: str | None) -> None:
        if text is not None and len(text) > MAX_TEXT:
            text = None
        addresses = _of_session(_ADDRESSES)
        written: _Written | None = addresses.get(self.key)
        if written is None or written.now != text:
            before = written.now if written else _in_address(self.key)
            addresses[self.key] = _Written(text, before, time.monotonic())
        if text is None:
            st.query_params.pop(self.key, None)
        elif _in_address(self.key) != text:
            st.query_params[self.key] = text


def set_value(key: str, value: object) -> None:
    """Set a widget's value before it is drawn: from a callback, or above it on the page."""
    st.session_state[key] = value


def begin_page(title: str) -> None:
    """Called in every run before the page: another page's address begins anew."""
    if st.session_state.get(_PAGE) != title:
        st.session_state[_PAGE] = title
        st.session_state[_ADDRESSES] = {}


def _in_address(key: str) -> str | None:
    """What the address holds for a key. Older links repeat a key that has several values."""
    return ",".join(st.query_params.get_all(key)) if key in st.query_params else None


def _is_news(key: str, text: str | None) -> bool:
    """Whether the address holds what this session has not put there: a link, Back, or typing."""
    written: _Written | None = _of_session(_ADDRESSES).get(key)
    if written is None:
        return text is not None
    if text == written.before and time.monotonic() - written.since < STALE_SECONDS:
        return False  # a click that came before the browser had the newer address
    return text != written.now


def _of_session(name: str) -> dict[str, Any]:
    values: dict[str, Any] = st.session_state.setdefault(name, {})
    return values
