"""A person's own file of pairs: read, and what was read of it said."""

from __future__ import annotations

import streamlit as st

from core.classroom.settings import server_settings
from core.classroom.workspace import Workspace
from core.corpora.corpus import CorpusError
from core.corpora.delimited import FileColumns, columns_of, read_pairs
from core.records import Pair
from pages.components.widgets.memory import sent_value
from pages.components.widgets.pairs_file import MAX_PAIRS_BYTES, ask_pairs_file
from pages.components.widgets.words import plain

_FILE = "pairs_file"  # keys of st.session_state
_PROBLEM = "pairs_problem"
_NOTE = "pairs_note"  # what was read, in Markdown
_COLUMNS = "pairs_columns"  # of the file that lies in the box
_CHOSEN = ("pairs_source_column", "pairs_target_column")
PAIRS_VERSION = "pairs_version"  # a new one makes a new table, without the old one's edits


def ask_for_pairs(workspace: Workspace) -> None:
    """A box for a file, which columns of it to take where it has more than two, and what was read."""
    ask_pairs_file(
        "Your own pairs: CSV, TSV or tab-separated text, a sentence and its translation on each row",
        _FILE,
        _read_new,
        workspace,
    )
    columns: FileColumns | None = st.session_state.get(_COLUMNS)
    if columns is not None and columns.are_a_choice and st.session_state.get(_FILE) is not None:
        for place, key, label in zip(st.columns(2), _CHOSEN, ("Source column", "Target column"), strict=True):
            place.selectbox(
                label,
                range(len(columns.titles)),
                format_func=lambda number: columns.titles[number],  # a menu shows text, not Markdown
                key=key,
                on_change=_read,
                args=(workspace,),
            )
    if problem := st.session_state.get(_PROBLEM):
        st.error(problem, icon=":material/error:")
    if note := st.session_state.get(_NOTE):
        st.success(note, icon=":material/check:")


def replace_pairs(workspace: Workspace, pairs: tuple[Pair, ...], note: str = "") -> None:
    """Train on other pairs, in a table of their own."""
    workspace.pairs = pairs
    st.session_state[_PROBLEM] = None
    st.session_state[_NOTE] = note
    st.session_state[PAIRS_VERSION] = st.session_state.get(PAIRS_VERSION, 0) + 1


def _read_new(workspace: Workspace) -> None:
    """Of another file: its columns, and the pairs in the usual two."""
    file = sent_value(_FILE)
    st.session_state[_PROBLEM] = st.session_state[_COLUMNS] = None
    if file is None:
        return
    if file.size <= MAX_PAIRS_BYTES:  # else reading it says what is wrong
        try:
            st.session_state[_COLUMNS] = columns = columns_of(file.getvalue(), file.name)
        except CorpusError as error:
            _say(error)
            return
        for key, usual in zip(_CHOSEN, columns.usual, strict=True):
            st.session_state[key] = usual
    _read(workspace)


def _read(workspace: Workspace) -> None:
    file = sent_value(_FILE)
    if file is None:
        return
    columns: FileColumns | None = st.session_state.get(_COLUMNS)
    chosen: tuple[int, int] | None = None
    if columns is not None and columns.are_a_choice:
        source, target = map(sent_value, _CHOSEN)
        chosen = columns.usual if source is None or target is None else (source, target)
    try:
        pairs = read_pairs(file.getvalue(), file.name, server_settings().max_pairs, MAX_PAIRS_BYTES, chosen)
    except CorpusError as error:
        _say(error)
        return
    note = f"**{len(pairs)}** pair{'s' if len(pairs) > 1 else ''} read from {plain(file.name)}"
    if columns is not None and columns.has_header:
        note += ", header skipped"
    if columns is not None and chosen is not None:
        source, target = (plain(columns.titles[place]) for place in chosen)
        note += f", from {source} to {target}"
    replace_pairs(workspace, tuple(pairs), f"{note}.")


def _say(error: CorpusError) -> None:
    st.session_state[_PROBLEM] = plain(str(error)).replace("\n", "  \n")
    st.session_state[_NOTE] = ""
