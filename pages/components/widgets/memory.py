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

from pages.components.app.session import OF_TAB, current_workspace

Value = TypeVar("Value")

MAX_TEXT = 2000  # characters of one value in an address; servers and browsers take some more
STALE_SECONDS = 3.0  # for how long a browser may still send the address from before our last change of it

OF_VISIT = "of_visit_"  # begins keys of st.session_state that are gone when another page has been opened

_PAGE = "page_of_addresses"  # keys of st.session_state
_ADDRESSES = "addresses"
_DEFAULTS = "defaults"
_SET = "set_by_the_app"
_MISREAD = "misread"
_SHOWN = "shown_since_loading"  # keys that have been shown since the address was loaded; None where none was
LOADED = f"{OF_TAB}loaded_address"


class _Written(NamedTuple):
    """What stands in the address for one widget."""

    now: str | None
    before: str | None
    since: float  # seconds, monotonic


@dataclass(frozen=True)
class Memory(Generic[Value]):
    """One widget's value by its key. Call `restore` before the widget is drawn, and `keep` after it."""

    key: str  # of the widget, once in the whole app
    default: Value  # also of people who have chosen nothing and see another default later
    read: Callable[[str], Value]  # from the address; raises ValueError
    write: Callable[[Value], str] = str
    fit: Callable[[Value], Value] = lambda value: value  # to what the widget can show now
    in_address: bool = True
    address: str = ""  # its name in the address, where that is not the key
    max_text: int = MAX_TEXT  # characters of it in an address

    @property
    def name(self) -> str:
        """What the value is called in the address."""
        return self.address or self.key

    def restore(self) -> str:
        """Give the widget its value; returns its key."""
        st.session_state[self.key] = self.fit(self._found())
        return self.key

    def restore_typed(self) -> Value | None:
        """As `restore`, for text that people type: what is not sent yet stays in the box.

        Returns:
            What to draw the widget with as its default; None where its value has been set.
        """
        value = self.fit(self._found())
        is_set = _of_session(_SET).pop(self.key, False)
        if not is_set and st.session_state.get(self.key, value) == value:
            return value
        st.session_state[self.key] = value
        return None

    def keep(self, value: Value) -> Value:
        """Remember what the widget shows; returns it."""
        kept = current_workspace().kept
        if value == self.default:
            kept.pop(self.key, None)
        else:
            kept[self.key] = value
        _of_session(_DEFAULTS)[self.key] = self.default
        if st.session_state.get(_SHOWN) is not None:
            st.session_state[_SHOWN].add(self.key)
        if self.in_address:
            self._write_address(None if value == self.default else self.write(value))
        return value

    def load(self) -> Value:
        """The value of what no single widget shows, as a table of numbers. `set_value` changes it."""
        value: Value = st.session_state[self.restore()]
        return self.keep(value)

    def _found(self) -> Value:
        text = _in_address(self.name) if self.in_address else None
        if self.in_address and _is_news(self.name, text):
            if text is None:
                return self.default
            try:
                return self.read(text[: self.max_text])
            except ValueError:  # what makes no sense changes nothing
                _of_session(_MISREAD)[self.name] = text
        if self.key in st.session_state:
            value: Value = st.session_state[self.key]
            defaults = _of_session(_DEFAULTS)
            chosen = (
                self.key in current_workspace().kept
                or self.key not in defaults
                or value != defaults[self.key]
            )
            return value if chosen else self.default
        kept: Value = current_workspace().kept.get(self.key, self.default)
        return self.default if self.in_address and self._is_left_out(kept) else kept

    def _is_left_out(self, kept: Value) -> bool:
        """Whether the address that was loaded could have held what is remembered, and does not."""
        return is_left_out(self.key) and len(self.write(kept)) <= self.max_text

    def _write_address(self, text: str | None) -> None:
        if text is not None and len(text) > self.max_text:
            text = None
        addresses = _of_session(_ADDRESSES)
        written: _Written | None = addresses.get(self.name)
        if written is None or written.now != text:
            before = written.now if written else _in_address(self.name)
            addresses[self.name] = _Written(text, before, time.monotonic())
        if text is None:
            st.query_params.pop(self.name, None)
        elif st.query_params.get_all(self.name) != [text]:
            st.query_params[self.name] = text


def set_value(key: str, value: object) -> None:
    """Set a widget's value before it is drawn: from a callback, or above it on the page."""
    st.session_state[key] = value
    _of_session(_SET)[key] = True


def take_misread() -> dict[str, str]:
    """What this run's address asked for and no widget has, by its name; each is told once."""
    misread = dict(_of_session(_MISREAD))
    _of_session(_MISREAD).clear()
    return misread


def begin_page(title: str) -> None:
    """Called in every run before the page: another page's address begins anew.

    An address that the browser loads, as links and reloads do, holds all that is not as ever: what it leaves out
    has its default, whatever was chosen earlier in the tab. Within the app, a link changes only what it names.
    """
    if st.session_state.get(_PAGE) != title:
        is_loaded = _PAGE not in st.session_state
        st.session_state[_PAGE] = title
        for key in [str(key) for key in st.session_state if str(key).startswith(OF_VISIT)]:
            del st.session_state[key]
        st.session_state[_ADDRESSES] = {}
        st.session_state[_SHOWN] = set() if is_loaded and _loaded_address(title) else None
    _of_session(_MISREAD).clear()


def is_left_out(key: str) -> bool:
    """Whether a widget has not been shown yet since the browser loaded an address. It then asks for the default."""
    shown: set[str] | None = st.session_state.get(_SHOWN)
    return shown is not None and key not in shown


def _loaded_address(title: str) -> bool:
    """Whether the browser loaded the page with an address that says something.

    A reloaded tab gets its workspace a moment later: what made no sense in another one, such as its own model, was
    dropped from the address by then, and is put back.
    """
    here = {name: st.query_params.get_all(name) for name in st.query_params}
    page, address = st.session_state.setdefault(LOADED, (title, here))
    if page != title:
        return False
    for name, values in address.items():
        if name not in st.query_params:
            st.query_params[name] = values
    return bool(address)


def _in_address(name: str) -> str | None:
    """What the address holds under a name. Older links repeat a name that has several values."""
    return ",".join(st.query_params.get_all(name)) if name in st.query_params else None


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
