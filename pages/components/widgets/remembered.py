"""Streamlit's widgets with a memory. What stands in an address is a short stable key, not a title."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar

import streamlit as st

from pages.components.widgets.memory import Memory
from pages.components.widgets.old_titles import OLD_TITLES

Option = TypeVar("Option")
Number = TypeVar("Number", int, float)
Look = Literal["buttons", "menu", "slider"]


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
    memory = _number_memory(low, high, default, key)
    if high <= low:
        return low
    return memory.keep(st.slider(label, low, high, step=step, key=memory.restore(), help=help))


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
    memory = _number_memory(low, high, default, key)
    return memory.keep(
        st.number_input(
            label,
            low,
            high,
            step=step,
            format=format,
            key=memory.restore(),
            help=help,
            disabled=disabled,
        )
    )


def toggle(label: str, default: bool, key: str, *, help: str | None = None) -> bool:
    """A switch; "1" or "0" in the address."""
    memory = Memory(key, default, _read_switch, lambda on: str(int(on)))
    return memory.keep(st.toggle(label, key=memory.restore(), help=help))


def text_input(
    label: str,
    default: str,
    key: str,
    *,
    max_chars: int | None = None,
    placeholder: str | None = None,
    help: str | None = None,
) -> str:
    """A line of text."""
    memory = Memory(key, default, str, fit=lambda text: text[:max_chars])
    return memory.keep(
        st.text_input(label, key=memory.restore(), max_chars=max_chars, placeholder=placeholder, help=help)
        or ""
    )


def choose(
    label: str,
    options: Iterable[Option] | Mapping[Option, str],
    key: str,
    *,
    default: Option | None = None,
    look: Look = "buttons",
    title_of: Callable[[Option], str] | None = None,
    help: str | None = None,
    in_address: bool = True,
) -> Option:
    """One of several options.

    Args:
        label: above them.
        options: with a title each, or alone; `str(option)` stands in the address.
        key: of the widget, and in the address.
        default: the option at first; None takes the first one.
        look: buttons in a row, a menu, or a slider.
        title_of: what people read where `options` has no titles.
        help: shown beside the label.
        in_address: whether a link holds the choice.

    Returns:
        The option chosen; the default where an address names none of them.
    """
    titles = _titles(options, title_of)
    choices = list(titles)
    usual = default if default in choices else choices[0]
    memory = Memory(
        key,
        usual,
        lambda text: _read_option(key, text, titles),
        fit=lambda option: option if option in choices else usual,
        in_address=in_address,
    )
    shared: dict[str, Any] = {"format_func": titles.__getitem__, "key": memory.restore(), "help": help}
    if look == "menu":
        chosen = st.selectbox(label, choices, **shared)
    elif look == "slider":
        chosen = st.select_slider(label, choices, **shared)
    else:
        chosen = st.segmented_control(label, choices, required=True, wrap=True, **shared)
    return memory.keep(usual if chosen is None else chosen)


def choose_several(
    label: str,
    options: Iterable[Option] | Mapping[Option, str],
    key: str,
    default: list[Option],
    most: int,
    *,
    help: str | None = None,
) -> list[Option]:
    """Some of several options, at most `most`; "0,64" in the address. See `choose` for the arguments."""
    titles = _titles(options)

    def fit(chosen: list[Option]) -> list[Option]:
        left = [option for option in chosen if option in titles]
        return left[:most] if left or not chosen else default

    memory = Memory(
        key,
        default,
        lambda text: [_read_option(key, part, titles) for part in text.split(",") if part],
        lambda chosen: ",".join(map(str, chosen)),
        fit,
    )
    return memory.keep(
        st.multiselect(
            label,
            list(titles),
            format_func=titles.__getitem__,
            max_selections=most,
            key=memory.restore(),
            help=help,
        )
    )


def _titles(
    options: Iterable[Option] | Mapping[Option, str], title_of: Callable[[Option], str] | None = None
) -> dict[Option, str]:
    if isinstance(options, Mapping):
        return dict(options)
    return {option: title_of(option) if title_of else str(option) for option in options}


def _read_option(key: str, text: str, titles: Mapping[Option, str]) -> Option:
    """The option that an address names: by itself, or by its title, since older links have titles."""
    for option, title in titles.items():
        if text in (str(option), title, OLD_TITLES.get(key, {}).get(str(option))):
            return option
    raise ValueError(f"{key} must be one of the options. Received: {text!r:.80}")


def _number_memory(low: Number, high: Number, default: Number, key: str) -> Memory[Number]:
    kind = type(default)

    def read(text: str) -> Number:
        value = kind(text)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{key} must be a number. Received: {text!r:.80}")
        return value

    def fit(value: Number) -> Number:
        return min(max(value, low), high)

    return Memory(key, fit(default), read, lambda value: f"{value:g}" if kind is float else str(value), fit)


def _read_switch(text: str) -> bool:
    switches = {"1": True, "true": True, "0": False, "false": False}  # words stood in older links
    if text.lower() not in switches:
        raise ValueError(f"A switch is 1 or 0. Received: {text!r:.80}")
    return switches[text.lower()]
