"""What a widget remembers: through reruns, visits to other pages, reloads, and in a link.

Streamlit forgets a widget's value when its page is left, and binds to the address what people read, not a
stable key. Here one rule decides for all widgets who wins: an address that somebody opened or went back to,
then the value on the screen, then what was chosen on an earlier visit, then the default.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st

from pages.components.app.session import current_workspace
from pages.components.widgets.address import (
    is_left_out,
    is_news,
    note_misread,
    note_shown,
    read_address,
    session_values,
    write_address,
)

Value = TypeVar("Value")

MAX_TEXT = 2000  # characters of one value in an address; servers and browsers take some more

_DEFAULTS = "defaults"  # keys of st.session_state
_SET = "set_by_the_app"


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
    says_default: bool = (
        False  # whether the address names the default too, since another visit may have another
    )

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
        is_set = session_values(_SET).pop(self.key, False)
        # Without a value here the browser may still have one: a tab that takes its workspace over loses this one's.
        if not is_set and self.key in st.session_state and st.session_state[self.key] == value:
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
        session_values(_DEFAULTS)[self.key] = self.default
        note_shown(self.key)
        if self.in_address:
            text = None if value == self.default and not self.says_default else self.write(value)
            write_address(self.name, text if text is None or len(text) <= self.max_text else None)
        return value

    def load(self) -> Value:
        """The value of what no single widget shows, as a table of numbers. `set_value` changes it."""
        value: Value = st.session_state[self.restore()]
        return self.keep(value)

    def _found(self) -> Value:
        text = read_address(self.name) if self.in_address else None
        if self.in_address and is_news(self.name, text):
            if text is None:
                return self.default
            try:
                return self.read(text[: self.max_text])
            except ValueError:  # what makes no sense changes nothing
                note_misread(self.name, text)
        if self.key in st.session_state:
            value: Value = st.session_state[self.key]
            defaults = session_values(_DEFAULTS)
            chosen = (
                self.key in current_workspace().kept
                or self.key not in defaults
                or value != defaults[self.key]
            )
            return value if chosen else self.default
        kept: Value = current_workspace().kept.get(self.key, self.default)
        return self.default if self._is_left_out(kept) else kept

    def _is_left_out(self, kept: Value) -> bool:
        """Whether the address that was loaded could have held what is remembered, and does not."""
        return self.in_address and is_left_out(self.key) and len(self.write(kept)) <= self.max_text


def set_value(key: str, value: object) -> None:
    """Set a widget's value before it is drawn: from a callback, or above it on the page."""
    st.session_state[key] = value
    session_values(_SET)[key] = True


def sent_value(key: str) -> Any:
    """What a widget has sent, in its callback; None where it has gone.

    A press during a rerun may come from a widget that the new run no longer draws.
    """
    return st.session_state.get(key)
