"""The pairs to train on, as a table people can edit."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.classroom.settings import server_settings
from core.classroom.workspace import Workspace
from core.corpora.delimited import CorpusError, read_pairs, write_pairs
from core.corpora.toy import PAIRS
from core.records import Pair
from pages.components.widgets.pairs_file import ask_pairs_file
from pages.components.widgets.words import plain

_VERSION = "pairs_version"  # a new one makes a new table, without the old one's edits
_BASE = "pairs_base"  # what the table's edits count from
_PROBLEM = "pairs_problem"


def edit_pairs(workspace: Workspace) -> tuple[Pair, ...]:
    """Show the table with its buttons; returns the pairs it holds, and keeps them in the workspace."""
    version = st.session_state.setdefault(_VERSION, 0)
    key = f"pairs_{version}"
    if key not in st.session_state or _BASE not in st.session_state:
        st.session_state[_BASE] = _frame(workspace.pairs)
    edited = st.data_editor(
        st.session_state[_BASE],
        key=key,
        num_rows="dynamic",
        hide_index=True,
        height=420,
        column_config={
            "source": st.column_config.TextColumn("Source (from)", max_chars=500),
            "target": st.column_config.TextColumn("Target (to)", max_chars=500),
        },
        alt="The sentence pairs to train on",
    )
    st.caption(
        "Click a cell to change it, the last row to add one, the boxes on the left to delete. "
        "Paste two columns from a spreadsheet."
    )
    workspace.pairs = _pairs(edited)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(
            "Back to the fifteen pairs", icon=":material/undo:", on_click=_replace, args=(workspace, PAIRS)
        )
        st.download_button(
            "Download as CSV",
            data=write_pairs(workspace.pairs),
            file_name="sentence-pairs.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
        )
    ask_pairs_file(
        "Your own pairs: CSV, TSV or tab-separated text with two columns", "pairs_file", _upload, workspace
    )
    if problem := st.session_state.get(_PROBLEM):
        st.error(problem, icon=":material/error:")
    return workspace.pairs


def _upload(workspace: Workspace) -> None:
    file = st.session_state["pairs_file"]
    st.session_state[_PROBLEM] = None
    if file is None:
        return
    try:
        limits = server_settings()
        pairs = read_pairs(file.getvalue(), file.name, limits.max_pairs, limits.max_pairs_bytes)
        _replace(workspace, tuple(pairs))
    except CorpusError as error:
        st.session_state[_PROBLEM] = plain(str(error)).replace("\n", "  \n")


def _replace(workspace: Workspace, pairs: tuple[Pair, ...]) -> None:
    workspace.pairs = pairs
    st.session_state[_PROBLEM] = None
    st.session_state[_VERSION] += 1


def _frame(pairs: tuple[Pair, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        {"source": [pair.source for pair in pairs], "target": [pair.target for pair in pairs]}, dtype="object"
    )


def _pairs(frame: pd.DataFrame) -> tuple[Pair, ...]:
    """The rows that have anything in them."""
    texts = frame.fillna("").astype(str)
    rows = zip(texts["source"].str.strip(), texts["target"].str.strip(), strict=True)
    return tuple(Pair(source, target) for source, target in rows if source or target)
