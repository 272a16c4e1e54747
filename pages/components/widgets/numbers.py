"""Numbers with a memory."""

from __future__ import annotations

import math
from typing import TypeVar

import streamlit as st

from pages.components.widgets.address import note_misread
from pages.components.widgets.memory import Memory

Number = TypeVar("Number", int, float)


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


def _number_memory(low: Number, high: Number, default: Number, key: str, address: str) -> Memory[Number]:
    kind = type(default)

    def read(text: str) -> Number:
        value = kind(text)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{key} must be a number. Received: {text!r:.80}")
        if fit(value) != value:
            note_misread(address or key, text)
        return value

    def fit(value: Number) -> Number:
        return min(max(value, low), high)

    def write(value: Number) -> str:
        return f"{value:g}" if kind is float else str(value)

    return Memory(key, fit(default), read, write, fit, address=address)
