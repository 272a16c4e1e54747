"""Inputs that several pages have: sentences, tables of numbers, files of pairs, forms of settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from core.classroom.workspace import Workspace
from core.config import EXPLANATIONS
from core.corpora.toy import PAIRS
from core.tokens.word import WordTokenizer
from pages.components.state import choose, linked_text, number_input, set_value, text_input, toggle


@cache
def english_words() -> WordTokenizer:
    """Return what the classroom model writes."""
    return WordTokenizer.fit((pair.target for pair in PAIRS), start_and_end=True)


MAX_CHARACTERS = 2000  # of a text; a sentence of 300 words has about 1,700


def edit_sentences(first: Sequence[str], key: str) -> list[str]:
    """Show boxes for sentences, side by side. Text that is too long is cut off.

    Args:
        first: what they hold at first, one sentence a box.
        key: of the boxes, in the address too, followed by "_1", "_2" …
    """
    sentences = []
    for number, (box, text) in enumerate(zip(st.columns(len(first)), first, strict=True), start=1):
        with box:
            sentences.append(
                text_input(f"Sentence {number}", text, f"{key}_{number}", max_chars=MAX_CHARACTERS)
            )
    return sentences


Floats = NDArray[np.float64]
Rows = tuple[tuple[float, ...], ...]
MAX_NUMBER = 1e9  # that a cell may hold, either side of 0


def edit_numbers(
    key: str,
    default: Rows,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    title: str,
) -> Floats:
    """Show the first rows of a table; an empty cell counts as 0, and the page says so.

    Args:
        key: in the address, where "1,2;3,4" are two rows of two numbers.
        default: all rows there may be, as they are at first.
        row_labels: of the rows that are shown.
        column_labels: of the columns.
        title: above the table.

    Returns:
        The rows that are shown, shape (rows, columns), finite.
    """
    first = numbers_text(default)
    values = numbers_from(linked_text(key, first), default)
    st.markdown(f"**{title}**")
    base, editor = _begin_editor(key, values, len(row_labels))
    cell = st.column_config.NumberColumn(
        min_value=-MAX_NUMBER, max_value=MAX_NUMBER, help="Numbers with a decimal point: 1.5"
    )
    labels = st.column_config.TextColumn("", disabled=True, width="small")
    frame = st.data_editor(
        pd.DataFrame(base, index=list(row_labels), columns=list(column_labels)),
        key=editor,
        num_rows="fixed",
        column_config={"_index": labels, **dict.fromkeys(column_labels, cell)},
        alt=title,
    )
    typed = frame.to_numpy(np.float64, na_value=np.nan)
    if np.isnan(typed).any():
        st.warning("An empty cell counts as 0.", icon=":material/warning:")
    filled = np.clip(np.nan_to_num(typed), -MAX_NUMBER, MAX_NUMBER)
    edited = numbers_text((*map(tuple, filled.tolist()), *values[len(row_labels) :]))
    set_value(key, edited)
    set_value(f"{key}_edited", edited)
    linked_text(key, first)
    return filled


def _begin_editor(key: str, values: Rows, count: int) -> tuple[Rows, str]:
    """Return the rows from which Streamlit counts edits, and the editor's key.

    Both stay as they are while people type. Where something else has set the numbers, a new editor begins.
    """
    version, base = st.session_state.get(f"{key}_base", (0, ()))
    is_edited = numbers_text(values) == st.session_state.get(f"{key}_edited")
    if not is_edited or len(base) != count or f"{key}_editor_{version}" not in st.session_state:
        version, base = version + 1, values[:count]
        st.session_state[f"{key}_base"] = version, base
    return base, f"{key}_editor_{version}"


def show_reset(tables: Mapping[str, Rows]) -> None:
    """Show a button that puts the first numbers back into tables.

    Args:
        tables: their keys, and their first numbers.
    """

    def reset() -> None:
        for key, default in tables.items():
            set_value(key, numbers_text(default))

    st.button("Reset the numbers", icon=":material/undo:", on_click=reset)


def numbers_text(values: Rows) -> str:
    """Return numbers as they stand in an address: "1,2.5;3,4"."""
    return ";".join(",".join(f"{number:.10g}" for number in row) for row in values)


def numbers_from(text: str, default: Rows) -> Rows:
    """Return the reverse of `numbers_text`; the default for no table of its size, or with too large a number."""
    try:
        rows = tuple(tuple(float(number) for number in row.split(",")) for row in text.split(";"))
    except ValueError:
        return default
    fits = list(map(len, rows)) == list(map(len, default))
    return rows if fits and all(abs(number) <= MAX_NUMBER for row in rows for number in row) else default


MAX_PAIRS_BYTES = 2**20  # of an uploaded file of pairs


def ask_pairs_file(
    label: str, key: str, on_change: Callable[[Workspace], None], workspace: Workspace
) -> None:
    """Show a box for a file of sentence pairs, of which the browser sends no more than is read."""
    st.file_uploader(
        label,
        type=["csv", "tsv", "txt"],
        key=key,
        max_upload_size=MAX_PAIRS_BYTES // 2**20,
        on_change=on_change,
        args=(workspace,),
    )


class SettingsForm:
    """Widgets for settings, four in a row; `values` holds what they show, by field.

    Args:
        usual: what they show at first, by field.
        prefix: of the widgets' keys, before the field.
    """

    def __init__(self, usual: Mapping[str, Any], prefix: str) -> None:
        self._usual = usual
        self._prefix = prefix
        self._columns = cycle(st.columns(4))
        self.values: dict[str, Any] = {}

    def number(self, label: str, field: str, low: float, high: float, **options: Any) -> None:
        """A number; see `number_input` for the options."""
        usual, key, help_text = self._usual[field], self._prefix + field, EXPLANATIONS[field]
        with next(self._columns):
            self.values[field] = number_input(label, low, high, usual, key, help=help_text, **options)

    def choice(self, label: str, field: str, options: tuple[str, ...]) -> None:
        """One of several options."""
        usual, key, help_text = self._usual[field], self._prefix + field, EXPLANATIONS[field]
        with next(self._columns):
            self.values[field] = choose(label, options, key, default=usual, look="menu", help=help_text)

    def switch(self, label: str, field: str) -> None:
        """On or off."""
        usual, key, help_text = self._usual[field], self._prefix + field, EXPLANATIONS[field]
        with next(self._columns):
            self.values[field] = toggle(label, usual, key, help=help_text)
