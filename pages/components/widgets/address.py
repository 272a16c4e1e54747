"""The address that a page is at: what widgets read from it, and write into it."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import streamlit as st

from pages.components.app.browser_history import send_address
from pages.components.app.session import OF_TAB

STALE_SECONDS = 3.0  # for how long a browser may still send the address from before our last change of it

_PAGE = "page_of_addresses"  # keys of st.session_state
_ADDRESSES = "addresses"
_MISREAD = "misread"
_SHOWN = "shown_since_loading"  # widgets shown since the browser loaded an address; None where it loaded none
LOADED = f"{OF_TAB}loaded_address"
OF_VISIT = "of_visit_"  # begins keys of st.session_state that are gone when another page has been opened


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
        if written and read_address(name) == text:
            # The run may have begun before the browser heard of the address of the run before, and would keep that one.
            send_address()
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
        if not is_loaded:
            # What the page before still wrote into the address when somebody had already gone Back from it is undone.
            send_address()
    session_values(_MISREAD).clear()


def is_left_out(key: str) -> bool:
    """Whether a widget has not been shown yet since the browser loaded an address, which then asks for its default."""
    shown: set[str] | None = st.session_state.get(_SHOWN)
    return shown is not None and key not in shown


def note_shown(key: str) -> None:
    """Remember that a widget has been shown; from then on, what people choose counts."""
    if st.session_state.get(_SHOWN) is not None:
        st.session_state[_SHOWN].add(key)


def _loaded_address(title: str) -> bool:
    """Whether the browser loaded the page with an address that says something.

    A reloaded tab gets its workspace a moment later: what made no sense in another one, such as its own model, was
    dropped from the address by then, and is put back; what another one wrote into it goes.
    """
    here = {name: st.query_params.get_all(name) for name in st.query_params}
    page, address = st.session_state.setdefault(LOADED, (title, here))
    if page != title:
        return False
    if here != address:
        st.query_params.from_dict(address)
    return bool(address)


def session_values(name: str) -> dict[str, Any]:
    """A dictionary of this session, by its name."""
    values: dict[str, Any] = st.session_state.setdefault(name, {})
    return values
