"""Texts with a memory."""

from __future__ import annotations

import streamlit as st

from pages.components.widgets.address import session_values
from pages.components.widgets.memory import MAX_TEXT, Memory

_CUT = "cut_texts"  # key of st.session_state: what is left of the last one of each box


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
    """A line of text; a longer one than `max_in_address` characters is in no address.

    What is longer than `max_chars` is cut, and said so: Streamlit's own limit swallows a text that is pasted.
    """
    cut = session_values(_CUT)

    def fit(text: str) -> str:
        if max_chars is not None and len(text) > max_chars:
            cut[key] = text[:max_chars]
        return text[:max_chars]

    memory = Memory(key, default, str, fit=fit, address=address, max_text=max_in_address)
    usual = memory.restore_typed() or ""
    text = st.text_input(label, usual, key=key, help=help, placeholder=placeholder) or ""
    if max_chars is not None and text == cut.get(key):
        st.caption(f"Only the first {max_chars:,} characters are used.")
    return _kept(memory, text)


def text_area(label: str, default: str, key: str, *, height: int, address: str = "") -> str:
    """Several lines of text."""
    memory = Memory(key, default, str, address=address)
    usual = memory.restore_typed() or ""
    return _kept(memory, st.text_area(label, usual, height, key=key) or "")


def _kept(memory: Memory[str], text: str) -> str:
    if len(text) > memory.max_text:
        st.caption(
            f"A link to this view leaves this text out: it has room for {memory.max_text:,} characters."
        )
    return memory.keep(text)
