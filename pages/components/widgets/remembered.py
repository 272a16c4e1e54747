"""Choices and switches with a memory. What stands in an address is a short stable key, not a title.

`numbers` and `texts` have the other widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

import streamlit as st

from pages.components.widgets.memory import Memory

Option = TypeVar("Option")
Look = Literal["buttons", "menu", "slider"]


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
    says_default: bool = False,
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
        says_default: whether the address names the default too.
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
        says_default=says_default,
    )
    shared: dict[str, Any] = {"key": memory.restore(), "format_func": titles.__getitem__}
    shared |= {"help": help, "on_change": on_change}
    shared |= {"label_visibility": "collapsed" if hide_label else "visible"}
    chosen = _draw_choice(look, label, choices, shared)
    return memory.keep(usual if chosen is None else chosen)


def _draw_choice(look: Look, label: str, choices: list[Option], arguments: dict[str, Any]) -> Option | None:
    if look == "menu":
        return st.selectbox(label, choices, **arguments)
    if look == "slider":
        return st.select_slider(label, choices, **arguments)
    return st.segmented_control(label, choices, required=True, wrap=True, **arguments)


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
    """Reads the option that an address names."""

    def read(text: str) -> Option:
        for option in titles:
            if text == str(option):
                return option
        raise ValueError(f"{key} must be one of the options. Received: {text!r:.80}")

    return read


def _read_switch(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(f"A switch is 1 or 0. Received: {text!r:.80}")
    return text == "1"
