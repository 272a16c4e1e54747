"""A table of numbers to edit. Its contents stand in the address, which st.data_editor cannot do by itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from pages.components.widgets.memory import Memory, set_value

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
    memory = Memory(key, default, lambda text: numbers_from(text, default), numbers_text)
    values = memory.load()
    st.markdown(f"**{title}**")
    typed = _edit(key, values, row_labels, column_labels, title)
    if np.isnan(typed).any():
        st.warning("An empty cell counts as 0.", icon=":material/warning:")
    filled = np.clip(np.nan_to_num(typed), -MAX_NUMBER, MAX_NUMBER)
    edited = memory.keep((*map(tuple, filled.tolist()), *values[len(row_labels) :]))
    set_value(key, edited)
    st.session_state[_edited(key)] = edited
    return filled


def show_reset(tables: Mapping[str, Rows]) -> None:
    """A button that puts the first numbers back into tables.

    Args:
        tables: their keys, and their first numbers.
    """
    st.button("Reset the numbers", icon=":material/undo:", on_click=_reset, args=(tables,))


def _reset(tables: Mapping[str, Rows]) -> None:
    for key, default in tables.items():
        set_value(key, default)


def numbers_text(values: Rows) -> str:
    """Numbers as they stand in an address: "1,2.5;3,4"."""
    return ";".join(",".join(f"{number:.10g}" for number in row) for row in values)


def numbers_from(text: str, default: Rows) -> Rows:
    """The reverse of `numbers_text`.

    Raises:
        ValueError: it is not a table of the default's size, or a number is too large.
    """
    rows = tuple(tuple(float(number) for number in row.split(",")) for row in text.split(";"))
    if list(map(len, rows)) != list(map(len, default)):
        raise ValueError(f"There must be {len(default)} rows of {len(default[0])}. Received: {text!r:.80}")
    if not all(math.isfinite(number) and abs(number) <= MAX_NUMBER for row in rows for number in row):
        raise ValueError(f"Numbers must be at most {MAX_NUMBER:g}. Received: {text!r:.80}")
    return rows


def _edit(key: str, values: Rows, rows: Sequence[str], columns: Sequence[str], title: str) -> Floats:
    cell = st.column_config.NumberColumn(
        min_value=-MAX_NUMBER, max_value=MAX_NUMBER, help="Numbers with a decimal point: 1.5"
    )
    base, editor = _base(key, values, len(rows))
    frame = st.data_editor(
        pd.DataFrame(base, index=list(rows), columns=list(columns)),
        key=editor,
        num_rows="fixed",
        column_config={
            "_index": st.column_config.TextColumn("", disabled=True, width="small"),
            **dict.fromkeys(columns, cell),
        },
        alt=title,
    )
    return frame.to_numpy(np.float64, na_value=np.nan)


def _base(key: str, values: Rows, count: int) -> tuple[Rows, str]:
    """The rows from which Streamlit counts edits, and the editor's key.

    Both stay as they are while people type. Where something else has set the numbers, a new editor begins.
    """
    version, base = st.session_state.get(f"{key}_base", (0, ()))
    edited = st.session_state.get(_edited(key))
    if values != edited or len(base) != count or f"{key}_editor_{version}" not in st.session_state:
        version, base = version + 1, values[:count]
        st.session_state[f"{key}_base"] = version, base
    return base, f"{key}_editor_{version}"


def _edited(key: str) -> str:
    """Where the numbers after the last edit are kept."""
    return f"{key}_edited"
