"""Inputs that several pages share: sentences, tables of numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
import streamlit as st

from core.arrays import Doubles
from core.language import N_, _, number
from pages.components.widgets.state import Linked, set_value, text_input
from pages.content.markdown import first_words, plain

# Of a text box: a sentence of 300 words has about 1,700.
MAX_CHARACTERS = 2000


def offer_examples(
    label: str,
    examples: Sequence[str],
    key: str,
    box: str,
    then: Callable[[], object] | None = None,
    **options: Any,
) -> None:
    """Show examples; a click puts one into the text box with the key `box`, and calls `then`."""

    def take() -> None:
        if chosen := st.session_state.get(key):
            set_value(box, chosen)
            if then is not None:
                then()

    st.pills(label, examples, format_func=label_of_example, key=key, on_change=take, **options)


def label_of_example(example: str) -> str:
    """Return the first words of an example, escaped: Streamlit reads labels as Markdown."""
    return plain(first_words(example))


def edit_sentences(first: Sequence[str], key: str) -> list[str]:
    """Show text boxes for sentences, side by side, and return what they hold.

    Args:
        first: the default sentence of each box.
        key: prefix of the boxes' keys, in the address too, which end in "_1", "_2" …
    """
    sentences = []
    for place, (box, text) in enumerate(zip(st.columns(len(first)), first, strict=True), start=1):
        with box:
            label = _("Sentence {number}").format(number=place)
            sentences.append(text_input(label, text, f"{key}_{place}", max_chars=MAX_CHARACTERS))
    return sentences


Rows = tuple[tuple[float, ...], ...]
MAX_NUMBER = 1e9  # the largest absolute value of a cell
_NUMBER_HEIGHT = 30  # pixels of a row of numbers: two tables fit beside the result on a projector


def edit_numbers(
    key: str,
    default: Rows,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    title: str,
) -> Doubles:
    """Show the first rows of a table to edit. An empty cell counts as 0, and the page says so.

    Args:
        key: the key, in the address too, where "1,2;3,4" stands for two rows of two numbers.
        default: the default numbers of all rows, also of those not shown.
        row_labels: labels of the rows to show.
        column_labels: labels of the columns.
        title: the text above the table.

    Returns:
        The rows shown, shape (rows, columns), finite.
    """
    linked = linked_numbers(key, default)
    values = linked.get()
    st.markdown(f"**{title}**")
    editor = _editor_of(key, values, len(row_labels))
    cell = st.column_config.NumberColumn(
        min_value=-MAX_NUMBER, max_value=MAX_NUMBER, help=_("Numbers with a decimal point: 1.5")
    )
    labels = st.column_config.TextColumn("", disabled=True, width=55)
    frame = st.data_editor(
        pd.DataFrame(editor.rows, index=list(row_labels), columns=list(column_labels)),
        key=editor.key,
        num_rows="fixed",
        row_height=_NUMBER_HEIGHT,
        column_config={"_index": labels, **dict.fromkeys(column_labels, cell)},
        alt=title,
    )
    typed = frame.to_numpy(np.float64, na_value=np.nan)
    if np.isnan(typed).any():
        st.warning(_("An empty cell counts as 0."), icon=":material/warning:")
    filled = np.clip(np.nan_to_num(typed), -MAX_NUMBER, MAX_NUMBER)
    edited = (*map(tuple, filled.tolist()), *values[len(row_labels) :])
    linked.set(edited)
    editor.result = write_numbers(edited)
    return filled


def linked_numbers(key: str, default: Rows) -> Linked[Rows]:
    """Return the numbers of a table that `edit_numbers` edits."""
    return Linked(key, default, N_("table"), write_numbers, partial(read_numbers, like=default))


@dataclass
class _Editor:
    """A widget that edits a table; its key and the rows to which Streamlit applies the edits stay the same."""

    key: str
    rows: Rows
    result: str = ""  # the table with all edits, as text


def _editor_of(key: str, values: Rows, count: int) -> _Editor:
    """Return the editor of a table's first rows: a new one where a link or a button has set the numbers."""
    editor: _Editor | None = st.session_state.get(f"{key}_editor")
    is_usable = (
        editor is not None
        and editor.key in st.session_state
        and len(editor.rows) == count
        and editor.result == write_numbers(values)
    )
    if editor is None or not is_usable:
        editor = _Editor(f"{key}_editor_{uuid4()}", values[:count])
        st.session_state[f"{key}_editor"] = editor
    return editor


def show_reset(tables: Mapping[str, Rows]) -> None:
    """Show a button that resets tables, given by their keys, to their default numbers."""

    def reset() -> None:
        for key, default in tables.items():
            linked_numbers(key, default).set(default)

    st.button(_("Reset the numbers"), icon=":material/undo:", on_click=reset, key="reset_numbers")


def write_numbers(values: Rows) -> str:
    """Return numbers as text for an address: "1,2.5;3,4"."""
    return ";".join(",".join(f"{cell:.10g}" for cell in row) for row in values)


def read_numbers(text: str, like: Rows) -> Rows:
    """Return the numbers that `write_numbers` wrote, in rows as long as those of `like`.

    Raises:
        ValueError: The text is no such table, or has too large a number.
    """
    rows = [row.split(",") for row in text.split(";")]
    if list(map(len, rows)) != list(map(len, like)):
        raise ValueError(_("It has another number of rows or columns."))
    try:
        numbers = tuple(tuple(map(float, row)) for row in rows)
    except ValueError:
        raise ValueError(_("It has a cell that is not a number.")) from None
    if not all(abs(cell) <= MAX_NUMBER for row in numbers for cell in row):
        raise ValueError(_("Numbers may be at most {most}.").format(most=number(MAX_NUMBER, ",.0f")))
    return numbers
