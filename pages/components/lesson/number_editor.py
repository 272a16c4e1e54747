"""A table of numbers to edit whose contents stand in the address, which st.data_editor cannot do by itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LARGEST = 1e9  # that a cell may hold, either side of 0


def edit_numbers(
    key: str,
    default: Sequence[Sequence[float]],
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    title: str,
) -> Floats:
    """Show the first rows of a table; an empty cell counts as 0, and the page says so.

    Args:
        key: its name in the address, where "1,2;3,4" are two rows of two numbers.
        default: all rows there may be, which is what is shown first.
        row_labels: of the rows shown, the first of all.
        column_labels: of the columns.
        title: above the table.

    Returns:
        The rows shown, shape (rows, columns), finite.
    """
    values = _remembered(key, np.asarray(default, np.float64))
    shown = len(row_labels)
    st.markdown(f"**{title}**")
    frame = st.data_editor(
        _base(key, values[:shown], row_labels, column_labels),
        key=_editor(key, shown),
        num_rows="fixed",
        column_config={
            "_index": st.column_config.TextColumn("", disabled=True, width="small"),
            **{
                label: st.column_config.NumberColumn(
                    min_value=-LARGEST, max_value=LARGEST, help="Numbers with a decimal point: 1.5"
                )
                for label in column_labels
            },
        },
        alt=title,
    )
    edited = frame.to_numpy(np.float64, na_value=np.nan)
    if np.isnan(edited).any():
        st.warning("An empty cell counts as 0.", icon=":material/warning:")
    values = values.copy()
    values[:shown] = np.clip(np.nan_to_num(edited), -LARGEST, LARGEST)
    _remember(key, values, np.asarray(default, np.float64))
    return values[:shown]


def reset_numbers(keys: Sequence[str]) -> None:
    """Put what was shown first back into some tables."""
    for key in keys:
        st.session_state.pop(_numbers(key), None)
        st.query_params.pop(key, None)
        st.session_state[_version(key)] = st.session_state.get(_version(key), 0) + 1


def numbers_text(values: Floats) -> str:
    """Numbers as they stand in an address: "1,2.5;3,4"."""
    return ";".join(",".join(f"{number:.10g}" for number in row) for row in values.tolist())


def numbers_from(text: str, shape: tuple[int, ...]) -> Floats | None:
    """The reverse of `numbers_text`; None for what is no such table of such a size."""
    try:
        rows = [[float(number) for number in row.split(",")] for row in text[:2000].split(";")]
    except ValueError:
        return None
    if [len(row) for row in rows] != [shape[1]] * shape[0]:
        return None
    if not all(math.isfinite(number) and abs(number) <= LARGEST for row in rows for number in row):
        return None
    return np.array(rows, np.float64)


def _remembered(key: str, default: Floats) -> Floats:
    """What was edited in this session, or what the address says, or the default."""
    kept = st.session_state.get(_numbers(key))
    if isinstance(kept, np.ndarray) and kept.shape == default.shape:
        return kept
    found = numbers_from(st.query_params.get(key, ""), default.shape)
    return default if found is None else found


def _remember(key: str, values: Floats, default: Floats) -> None:
    st.session_state[_numbers(key)] = values
    text = numbers_text(values)
    if np.array_equal(values, default):
        if key in st.query_params:
            st.query_params.pop(key)
    elif st.query_params.get(key) != text:
        st.query_params[key] = text


def _base(key: str, values: Floats, rows: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    """What the edits of the table count from: it must not change while they are kept."""
    name = f"{_editor(key, len(rows))}_base"
    if _editor(key, len(rows)) not in st.session_state or name not in st.session_state:
        st.session_state[name] = pd.DataFrame(values, index=list(rows), columns=list(columns))
    base: pd.DataFrame = st.session_state[name]
    return base


def _numbers(key: str) -> str:
    return f"{key}_numbers"


def _version(key: str) -> str:
    return f"{key}_version"


def _editor(key: str, rows: int) -> str:
    """A table of another size, or one that was reset, is another widget."""
    return f"{key}_editor_{st.session_state.get(_version(key), 0)}_{rows}"
