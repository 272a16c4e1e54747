"""Rows of words as coloured chips."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from core.tokens.vocabulary import END, PAD, START
from pages.components.architecture.flows import Row
from pages.components.widgets.words import plain

_COLORS = {PAD: "gray", START: "violet", END: "violet"}


def show_rows(rows: Sequence[Row]) -> None:
    """A line for each row; of rows with one name only the first is named."""
    for name, same in groupby(rows, key=lambda row: row.name):
        lines = [
            " ".join(_chip(word, position == row.new) for position, word in enumerate(row.words))
            for row in same
        ]
        st.markdown("  \n".join((f"**{name}**", *lines)))  # two spaces end a line


def _chip(word: str, new: bool) -> str:
    color = "orange" if new else _COLORS.get(word, "blue")
    return f":{color}-badge[{plain(word)}]"
