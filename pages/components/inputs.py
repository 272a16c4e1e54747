"""Inputs that several pages share: sentences, tables of numbers, files of pairs, forms of settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import cycle
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
import streamlit as st

from core.arrays import Doubles
from core.classroom.settings import server_settings
from core.config import EXPLANATIONS
from core.corpora.delimited import write_pairs
from core.corpora.toy import PAIRS
from core.presets import PAIRS_NAMES, Preset
from core.records.text import Pair
from core.tokens.word import WordTokenizer
from core.training.pairs import HOLD_OUT_FROM, PipelineError, hold_out, learn_words, unknown_words
from pages.components.content import plain
from pages.components.pairs_file import ask_pairs_file, forget_reading
from pages.components.session import PageMemory, PairsTable
from pages.components.state import Linked, choose, number_input, set_value, text_input, toggle


@cache
def english_tokenizer() -> WordTokenizer:
    """Return the target tokenizer of the classroom model."""
    return WordTokenizer.fit((pair.target for pair in PAIRS), start_and_end=True)


# Of a text box: a sentence of 300 words has about 1,700.
MAX_CHARACTERS = 2000


def edit_sentences(first: Sequence[str], key: str) -> list[str]:
    """Show text boxes for sentences, side by side, and return what they hold.

    Args:
        first: the default sentence of each box.
        key: prefix of the boxes' keys, in the address too, which end in "_1", "_2" …
    """
    sentences = []
    for number, (box, text) in enumerate(zip(st.columns(len(first)), first, strict=True), start=1):
        with box:
            sentences.append(
                text_input(f"Sentence {number}", text, f"{key}_{number}", max_chars=MAX_CHARACTERS)
            )
    return sentences


Rows = tuple[tuple[float, ...], ...]
# The largest absolute value of a cell.
MAX_NUMBER = 1e9
# Pixels of a row of numbers: two tables fit beside the result on a projector.
_NUMBER_HEIGHT = 30


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
    linked = _linked_numbers(key, default)
    values = linked.get()
    st.markdown(f"**{title}**")
    editor = _editor_of(key, values, len(row_labels))
    cell = st.column_config.NumberColumn(
        min_value=-MAX_NUMBER, max_value=MAX_NUMBER, help="Numbers with a decimal point: 1.5"
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
        st.warning("An empty cell counts as 0.", icon=":material/warning:")
    filled = np.clip(np.nan_to_num(typed), -MAX_NUMBER, MAX_NUMBER)
    edited = (*map(tuple, filled.tolist()), *values[len(row_labels) :])
    linked.set(edited)
    editor.result = write_numbers(edited)
    return filled


def _linked_numbers(key: str, default: Rows) -> Linked[Rows]:
    return Linked(key, default, "table", write_numbers, partial(read_numbers, like=default))


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
    """Show a button that resets tables to their default numbers.

    Args:
        tables: the default numbers of each table, by key.
    """

    def reset() -> None:
        for key, default in tables.items():
            _linked_numbers(key, default).set(default)

    st.button("Reset the numbers", icon=":material/undo:", on_click=reset)


def write_numbers(values: Rows) -> str:
    """Return numbers as text for an address: "1,2.5;3,4"."""
    return ";".join(",".join(f"{number:.10g}" for number in row) for row in values)


def read_numbers(text: str, like: Rows) -> Rows:
    """Return the numbers that `write_numbers` wrote, in rows as long as those of `like`.

    Raises:
        ValueError: The text is no such table, or has too large a number.
    """
    rows = [row.split(",") for row in text.split(";")]
    if list(map(len, rows)) != list(map(len, like)):
        raise ValueError("It has another number of rows or columns.")
    try:
        numbers = tuple(tuple(map(float, row)) for row in rows)
    except ValueError:
        raise ValueError("It has a cell that is not a number.") from None
    if not all(abs(number) <= MAX_NUMBER for row in numbers for number in row):
        raise ValueError(f"Numbers may be at most {MAX_NUMBER:,.0f}.")
    return numbers


# Keys of st.session_state: the uploaded file, and the menu.
_FILE = "pairs_file"
_HELD_OUT = "held_out"
# Percent of the pairs.
_SHARES: dict[int, str] = {0: "None", 10: "10%", 20: "20%", 30: "30%", 50: "50%", -1: "By hand"}
_BY_HAND = -1
_MAX_NOTES = 5  # held-out pairs whose unknown words are named
# Pixels: fifteen pairs are visible at once.
_ROW_HEIGHT, _TABLE_HEIGHT = 25, 440


def show_pairs(memory: PageMemory, preset: Preset, seed: int) -> None:
    """Show the pairs to train on as a table, with the held-out ones, and the ways to load others.

    Args:
        memory: what the pages remember of this tab, which keeps the pairs.
        preset: the preset, whose pairs are shown unless the visitor has their own.
        seed: the seed of the random split.
    """
    # A new preset, chosen here or by a link, replaces another preset's pairs but never the visitor's own.
    if memory.pairs in PAIRS_NAMES and memory.pairs != preset.pairs:
        _replace_pairs(memory, preset.pairs, preset.held_out)
    table = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _ask_held_out(memory, seed)
        st.button(
            "Back to the fifteen pairs",
            icon=":material/undo:",
            on_click=_replace_pairs,
            args=(memory, preset.pairs, preset.held_out),
        )
        st.download_button(
            "Download as CSV",
            data=write_pairs(memory.pairs),
            file_name="sentence-pairs.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
        )
    # Not a popover, which would cut off a long message.
    with st.expander("From a file", icon=":material/upload:"):
        ask_pairs_file(
            "Your own pairs: CSV, TSV or tab-separated text, a sentence and its translation on each row, at most "
            f"{server_settings().max_pairs:,} pairs",
            _FILE,
            partial(_keep_file, memory),
        )
    # After the menu, which may choose the held-out pairs.
    with table:
        _edit_pairs(memory)
        _name_unknown_words(memory)
    st.caption(
        "Click a cell to change it, the last row to add one. Paste two columns from a spreadsheet. Tick **Never shown** "
        "to test the model on a sentence without training on it, and **Watch** to follow a sentence in the next "
        "training, up to five of them."
    )
    if memory.pairs == PAIRS:
        st.caption("The French is written as the model reads it, without punctuation: *l eau* for *l'eau*.")


def _name_unknown_words(memory: PageMemory) -> None:
    """Name the words of held-out pairs that no training pair has, for the first of these pairs."""
    never_shown = set(memory.held_out)
    shown = [pair for pair in memory.complete_pairs if pair not in never_shown]
    if not shown:
        return
    tokenizers = learn_words(shown)
    unknown = {pair: unknown_words(pair, tokenizers) for pair in memory.complete_pairs if pair in never_shown}
    notes = [
        f"{plain(pair.source)}: **{plain(', '.join(words))}**" for pair, words in unknown.items() if words
    ]
    if notes:
        more = f" · and {len(notes) - _MAX_NOTES:,} more" if len(notes) > _MAX_NOTES else ""
        st.caption(f"Words that no training pair has: {' · '.join(notes[:_MAX_NOTES])}{more}")


def _ask_held_out(memory: PageMemory, seed: int) -> None:
    """Show the menu that holds out random pairs; ticks in the table change the selection."""
    percent = choose(
        "Hold out",
        _SHARES,
        key=_HELD_OUT,
        help="Pairs that the model is not trained on. After each epoch it is evaluated on them, and it keeps the "
        "weights of the epoch with the lowest held-out loss. The seed draws them; or tick them in the table. Words that "
        "occur only in them are unknown to the model.",
    )
    if percent == _BY_HAND or memory.table.drawn == (percent, seed):
        return
    drawn: tuple[Pair, ...] = ()
    try:
        drawn = hold_out(memory.complete_pairs, percent / 100, seed)[1] if percent else ()
    except PipelineError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    if drawn != memory.held_out:
        _new_table(memory, memory.pairs, drawn)
    memory.table.drawn = percent, seed


def check_number_of_pairs(pairs: Sequence[Pair]) -> None:
    """Check that this server trains on so many pairs.

    Raises:
        PipelineError: there are too many.
    """
    if len(pairs) > (most := server_settings().max_pairs):
        raise PipelineError(
            f"The app trains on at most {most:,} pairs. Received: {len(pairs):,}. Delete some, or train on your own "
            "machine: python -m core train FILE --out FOLDER."
        )


def _keep_file(memory: PageMemory, name: str, pairs: tuple[Pair, ...]) -> None:
    """Replace the pairs to train on by those of a file, if it has any."""
    if not pairs:
        return
    check_number_of_pairs(pairs)
    _replace_pairs(memory, pairs)
    if len(pairs) >= HOLD_OUT_FROM:
        set_value(_HELD_OUT, 10)


def _replace_pairs(memory: PageMemory, pairs: tuple[Pair, ...], held_out: tuple[Pair, ...] = ()) -> None:
    """Replace the pairs to train on, in a new table."""
    forget_reading(_FILE)
    memory.watched = ()
    if held_out or st.session_state.get(_HELD_OUT) == _BY_HAND:
        set_value(_HELD_OUT, _BY_HAND if held_out else 0)
    _new_table(memory, pairs, held_out)


def _new_table(memory: PageMemory, pairs: tuple[Pair, ...], held_out: tuple[Pair, ...]) -> None:
    memory.pairs = pairs
    memory.held_out = held_out
    memory.table = PairsTable()


def _edit_pairs(memory: PageMemory) -> None:
    """Show the table of pairs to train on, and keep its content in the memory."""
    table = memory.table
    if table.rows is None or table.key not in st.session_state:
        held_out = set(memory.held_out)
        watched = set(memory.watched)
        rows = [(pair.source, pair.target, pair in held_out, pair in watched) for pair in memory.pairs]
        types = {"source": "object", "target": "object", "never": "bool", "watch": "bool"}
        table.rows = pd.DataFrame(rows, columns=list(types)).astype(types)
    edited = st.data_editor(
        table.rows,
        key=table.key,
        num_rows="dynamic",
        hide_index=True,
        height=_TABLE_HEIGHT,
        row_height=_ROW_HEIGHT,
        column_config={
            "source": st.column_config.TextColumn("Source (from)", max_chars=500, width=138),
            "target": st.column_config.TextColumn("Target (to)", max_chars=500, width=148),
            "never": st.column_config.CheckboxColumn("Never shown", default=False, width=113),
            "watch": st.column_config.CheckboxColumn("Watch", default=False, width=76),
        },
        alt="The sentence pairs to train on, and which are held out or watched",
        on_change=_keep_ticks,
        args=(table.key,),
    )
    texts = edited[["source", "target"]].fillna("").astype(str)
    # An added row has no value yet.
    ticks = (edited[name].eq(True) for name in ("never", "watch"))
    typed = zip(texts["source"].str.strip(), texts["target"].str.strip(), *ticks, strict=True)
    kept = [(Pair(source, target), *ticked) for source, target, *ticked in typed if source or target]
    memory.pairs = tuple(pair for pair, _, _ in kept)
    complete = [each for each in kept if each[0].source and each[0].target]
    memory.held_out = tuple(dict.fromkeys(pair for pair, never, _ in complete if never))
    memory.watched = tuple(dict.fromkeys(pair for pair, _, watch in complete if watch))


def _keep_ticks(key: str) -> None:
    """Switch the menu to "By hand" after a tick in the table."""
    edits = st.session_state[key]
    added = any(row.get("never") for row in edits["added_rows"])
    if added or any("never" in row for row in edits["edited_rows"].values()):
        set_value(_HELD_OUT, _BY_HAND)


class SettingsForm:
    """Widgets for settings, four in a row. `values` holds their values by field.

    Args:
        defaults: the default values, by field.
        prefix: the text before the field in the widgets' keys.
    """

    def __init__(self, defaults: Mapping[str, Any], prefix: str) -> None:
        self._defaults = defaults
        self._prefix = prefix
        self._columns = cycle(st.columns(4))
        self.values: dict[str, Any] = {}

    def number(self, label: str, field: str, low: float, high: float, **options: Any) -> None:
        """Show a number; see `number_input` for the options."""
        default = self._defaults[field]
        key = self._prefix + field
        help_text = EXPLANATIONS[field]
        with next(self._columns):
            self.values[field] = number_input(label, low, high, default, key, help=help_text, **options)

    def choice(self, label: str, field: str, options: tuple[str, ...]) -> None:
        """Show a menu."""
        default = self._defaults[field]
        key = self._prefix + field
        help_text = EXPLANATIONS[field]
        with next(self._columns):
            self.values[field] = choose(label, options, key, default=default, look="menu", help=help_text)

    def switch(self, label: str, field: str) -> None:
        """Show a switch."""
        default = self._defaults[field]
        key = self._prefix + field
        help_text = EXPLANATIONS[field]
        with next(self._columns):
            self.values[field] = toggle(label, default, key, help=help_text)
