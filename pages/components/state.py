"""Widgets whose values a link restores: Streamlit keeps them in the address, under their keys, and over pages.

A key is one name for the whole app and reads well in an address, which holds the titles of what is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar

import streamlit as st

Number = TypeVar("Number", int, float)
Option = TypeVar("Option")
Look = Literal["buttons", "menu", "slider"]

MAX_LINKED_TEXT = 2000  # characters of a text that an address holds; servers and browsers take some more
_KEPT: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}


def set_value(key: str, value: object, title: str = "") -> None:
    """Set a widget's value before it is drawn: from a callback, or above it on the page.

    Args:
        key: of the widget.
        value: one of its options.
        title: of the value in the address, where the widget may never have been shown: Streamlit (1.67) leaves it out.
    """
    if title and key not in st.session_state:
        st.query_params[key] = title
    st.session_state[key] = value


def linked_text(key: str, default: str) -> str:
    """Return what no widget shows and an address holds all the same, as a table of numbers; `set_value` changes it.

    Args:
        key: in the address too; of no widget.
        default: at first, and left out of the address.
    """
    text: str = st.session_state.setdefault(key, st.query_params.get(key, default))
    if text == default:
        st.query_params.pop(key, None)
    elif st.query_params.get(key) != text:
        st.query_params[key] = text
    return text


def slider(
    label: str,
    low: Number,
    high: Number,
    default: Number,
    key: str,
    *,
    step: Number | None = None,
    help: str | None = None,
) -> Number:
    """A number from a range; the range may change. Where it holds one number alone, nothing is drawn."""
    if high <= low:
        return low
    usual = _fit_number(key, low, high, default)
    return st.slider(label, low, high, usual, step, key=key, help=help, **_KEPT)


def number_input(
    label: str,
    low: Number,
    high: Number,
    default: Number,
    key: str,
    *,
    step: Number | None = None,
    format: str | None = None,
    help: str | None = None,
    disabled: bool = False,
) -> Number:
    """A number to type."""
    usual = _fit_number(key, low, high, default)
    typed = st.number_input(
        label,
        low,
        high,
        usual,
        step,
        format=format,
        key=key,
        help=help,
        disabled=disabled,
        **_kept_number(key),
    )
    return usual if typed is None else typed


def _kept_number(key: str) -> dict[str, Any]:
    """How a number is kept. Streamlit (1.67) fails at an infinite one in an address, which is dropped here."""
    if any(map(_is_infinite, st.query_params.get_all(key))):
        del st.query_params[key]
        return {**_KEPT, "bind": None}
    return _KEPT


def _is_infinite(text: str) -> bool:
    try:
        return math.isinf(float(text))
    except ValueError:
        return False


def _fit_number(key: str, low: Number, high: Number, default: Number) -> Number:
    """Move a kept value into a range that has changed, which Streamlit would raise at; returns the default in it."""
    kept = st.session_state.get(key)
    if kept is not None and not low <= kept <= high:
        set_value(key, min(max(kept, low), high))
    return min(max(default, low), high)


def toggle(label: str, default: bool, key: str, *, help: str | None = None) -> bool:
    """A switch."""
    return st.toggle(label, default, key=key, help=help, **_KEPT)


def choose(
    label: str,
    options: Iterable[Option] | Mapping[Option, str],
    key: str,
    *,
    default: Option | None = None,
    look: Look = "buttons",
    help: str | None = None,
    on_change: Callable[[], None] | None = None,
    hide_label: bool = False,
) -> Option:
    """One of several options.

    Args:
        label: above them.
        options: with a title each, or alone; the title stands in the address.
        key: of the widget, and in the address.
        default: the option at first; None takes the first one.
        look: buttons in a row, a menu, or a slider.
        help: shown beside the label.
        on_change: called before the page runs again with another choice.
        hide_label: for the eye; screen readers still say it.
    """
    titles = _titles(options)
    choices = list(titles)
    usual = default if default in choices else choices[0]
    if st.session_state.get(key, usual) not in choices:
        set_value(key, usual)
    shared: dict[str, Any] = {"key": key, "format_func": titles.__getitem__, "help": help, **_KEPT}
    shared |= {"on_change": on_change, "label_visibility": "collapsed" if hide_label else "visible"}
    if look == "menu":
        chosen = st.selectbox(label, choices, choices.index(usual), **shared)
    elif look == "slider":
        chosen = st.select_slider(label, choices, usual, **shared)
    else:
        chosen = st.segmented_control(label, choices, default=usual, required=True, wrap=True, **shared)
    return usual if chosen is None else chosen


def choose_several(
    label: str,
    options: Iterable[Option] | Mapping[Option, str],
    key: str,
    default: list[Option],
    most: int,
    *,
    look: Literal["menu", "pills"] = "menu",
    help: str | None = None,
) -> list[Option]:
    """Some of several options, at most `most`. See `choose` for the arguments."""
    titles = _titles(options)
    kept = st.session_state.get(key, default)
    if any(option not in titles for option in kept):
        set_value(key, [option for option in kept if option in titles])
    shared: dict[str, Any] = {"key": key, "default": default, "format_func": titles.__getitem__, "help": help}
    if look == "pills":
        return st.pills(label, list(titles), selection_mode="multi", **shared, **_KEPT)
    return st.multiselect(label, list(titles), max_selections=most, **shared, **_KEPT)


def text_input(
    label: str,
    default: str,
    key: str,
    *,
    max_chars: int | None = None,
    placeholder: str | None = None,
    help: str | None = None,
) -> str:
    """A line of text.

    What is longer than `max_chars` is cut, and said so: Streamlit's own limit swallows a text that is pasted.
    """
    text = st.text_input(label, default, key=key, placeholder=placeholder, help=help, **_kept_text(key)) or ""
    if max_chars is not None and len(text) > max_chars:
        st.caption(f"Only the first {max_chars:,} characters are used.")
    return text[:max_chars]


def text_area(label: str, default: str, key: str, *, height: int) -> str:
    """Several lines of text."""
    return st.text_area(label, default, height, key=key, **_kept_text(key)) or ""


def _kept_text(key: str) -> dict[str, Any]:
    """How a text is kept: in the address too, unless it is too long for one, which people read then."""
    if len(st.session_state.get(key) or "") <= MAX_LINKED_TEXT:
        return _KEPT
    st.caption(f"A link to this view leaves this text out: it has room for {MAX_LINKED_TEXT:,} characters.")
    return {**_KEPT, "bind": None}


def _titles(options: Iterable[Option] | Mapping[Option, str]) -> dict[Option, str]:
    return dict(options) if isinstance(options, Mapping) else {option: str(option) for option in options}
