"""Streamlit's widgets with a memory. What stands in an address is a short stable key, not a title."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

import streamlit as st

from pages.components.widgets.memory import MAX_TEXT, Memory
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
    address: str = "",
) -> Number:
    """A number from a range; the range may change. Where it holds one number alone, nothing is drawn."""
    memory = _number_memory(low, high, default, key, address)
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
    address: str = "",
) -> Number:
    """A number to type."""
    memory = _number_memory(low, high, default, key, address)
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


def empty_number(label: str, key: str) -> float | None:
    """A number to type into a box that is empty at first; never in the address."""
    memory: Memory[float | None] = Memory(key, None, float, in_address=False)
    return memory.keep(
        st.number_input(
            label,
            value=None,
            step=1.0,
            format="%.10g",
            key=memory.restore(),
            placeholder="A number",
            width=240,
        )
    )


def toggle(
    label: str,
    default: bool,
    key: str,
    *,
    help: str | None = None,
    in_address: bool = True,
    address: str = "",
) -> bool:
    """A switch; "1" or "0" in the address."""
    memory = Memory(
        key, default, _read_switch, lambda on: str(int(on)), in_address=in_address, address=address
    )
    return memory.keep(st.toggle(label, key=memory.restore(), help=help))


def text_input(
    label: str,
    default: str,
    key: str,
    *,
    max_chars: int | None = None,
    placeholder: str | None = None,
    help: str | None = None,
    address: str = "",
    max_in_address: int = MAX_TEXT,
) -> str:
    """A line of text; a longer one than `max_in_address` characters is in no address."""
    memory = Memory(
        key, default, str, fit=lambda text: text[:max_chars], address=address, max_text=max_in_address
    )
    usual = memory.restore_typed() or ""
    return memory.keep(st.text_input(label, usual, max_chars, key, help=help, placeholder=placeholder) or "")


def text_area(label: str, default: str, key: str, *, height: int, address: str = "") -> str:
    """Several lines of text."""
    memory = Memory(key, default, str, address=address)
    usual = memory.restore_typed() or ""
    return memory.keep(st.text_area(label, usual, height, key=key) or "")


def choose(
    label: str,
    options: Iterable[Option] | Mapping[Option, str],
    key: str,
    *,
    default: Option | None = None,
    look: Look = "buttons",
    help: str | None = None,
    in_address: bool = True,
    address: str = "",
    on_change: Callable[[], None] | None = None,
    hide_label: bool = False,
) -> Option:
    """One of several options.

    Args:
        label: above them.
        options: with a title each, or alone; `str(option)` stands in the address.
        key: of the widget, and in the address.
        default: the option at first; None takes the first one.
        look: buttons in a row, a menu, or a slider.
        help: shown beside the label.
        in_address: whether a link holds the choice.
        address: its name in the address, where that is not the key.
        on_change: called before the page runs again with another choice.
        hide_label: for the eye; screen readers still say it.

    Returns:
        The option chosen; the default where an address names none of them.
    """
    titles = _titles(options)
    choices = list(titles)
    usual = default if default in choices else choices[0]
    memory = Memory(
        key,
        usual,
        read_option(key, titles),
        fit=lambda option: option if option in choices else usual,
        in_address=in_address,
        address=address,
    )
    shared: dict[str, Any] = {"key": memory.restore(), "format_func": titles.__getitem__}
    shared |= {"help": help, "on_change": on_change}
    shared |= {"label_visibility": "collapsed" if hide_label else "visible"}
    if look == "menu":
        chosen = st.selectbox(label, choices, **shared)
    elif look == "slider":
        chosen = st.select_slider(label, choices, **shared)
    else:
        chosen = st.segmented_control(label, choices, required=True, wrap=True, **shared)
    return memory.keep(usual if chosen is None else chosen)


def list_choice(label: str, options: Sequence[str], key: str) -> str | None:
    """One of several lines below each other, none at first; never in the address. The label is for screen readers."""
    memory: Memory[str | None] = Memory(
        key, None, str, fit=lambda chosen: chosen if chosen in options else None, in_address=False
    )
    return memory.keep(
        st.radio(label, options, index=None, key=memory.restore(), label_visibility="collapsed")
    )


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
    """Some of several options, at most `most`; "0,64" in the address. See `choose` for the arguments."""
    titles = _titles(options)

    def fit(chosen: list[Option]) -> list[Option]:
        left = [option for option in chosen if option in titles]
        return left[:most] if left or not chosen else default

    read = read_option(key, titles)
    memory = Memory(
        key,
        default,
        lambda text: [read(part) for part in text.split(",") if part],
        lambda chosen: ",".join(map(str, chosen)),
        fit,
    )
    if look == "pills":
        pressed = st.pills(
            label,
            list(titles),
            selection_mode="multi",
            format_func=titles.__getitem__,
            key=memory.restore(),
            help=help,
        )
        return memory.keep(pressed)
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


def _titles(options: Iterable[Option] | Mapping[Option, str]) -> dict[Option, str]:
    return dict(options) if isinstance(options, Mapping) else {option: str(option) for option in options}


def read_option(key: str, titles: Mapping[Option, str]) -> Callable[[str], Option]:
    """Reads the option that an address names: by itself, or by its title, since older links have titles."""

    def read(text: str) -> Option:
        for option, title in titles.items():
            if text in (str(option), title, OLD_TITLES.get(key, {}).get(str(option))):
                return option
        raise ValueError(f"{key} must be one of the options. Received: {text!r:.80}")

    return read


def _number_memory(low: Number, high: Number, default: Number, key: str, address: str) -> Memory[Number]:
    kind = type(default)

    def read(text: str) -> Number:
        value = kind(text)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{key} must be a number. Received: {text!r:.80}")
        return value

    def fit(value: Number) -> Number:
        return min(max(value, low), high)

    def write(value: Number) -> str:
        return f"{value:g}" if kind is float else str(value)

    return Memory(key, fit(default), read, write, fit, address=address)


def _read_switch(text: str) -> bool:
    switches = {"1": True, "true": True, "0": False, "false": False}  # words stood in older links
    if text.lower() not in switches:
        raise ValueError(f"A switch is 1 or 0. Received: {text!r:.80}")
    return switches[text.lower()]
