"""The pairs to train on, as a table people can edit."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.classroom.workspace import Workspace
from core.corpora.delimited import write_pairs
from core.corpora.toy import PAIRS
from core.records import Pair
from pages.components.train.pairs_upload import PAIRS_VERSION, ask_for_pairs, replace_pairs

_BASE = "pairs_base"  # what the table's edits count from


def edit_pairs(workspace: Workspace) -> tuple[Pair, ...]:
    """Show the box for a file and the table; returns the pairs in it, and keeps them in the workspace."""
    ask_for_pairs(workspace)
    version = st.session_state.setdefault(PAIRS_VERSION, 0)
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
            "Back to the fifteen pairs",
            icon=":material/undo:",
            on_click=replace_pairs,
            args=(workspace, PAIRS),
        )
        st.download_button(
            "Download as CSV",
            data=write_pairs(workspace.pairs),
            file_name="sentence-pairs.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
        )
    return workspace.pairs


def _frame(pairs: tuple[Pair, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        {"source": [pair.source for pair in pairs], "target": [pair.target for pair in pairs]}, dtype="object"
    )


def _pairs(frame: pd.DataFrame) -> tuple[Pair, ...]:
    """The rows that have anything in them."""
    texts = frame.fillna("").astype(str)
    rows = zip(texts["source"].str.strip(), texts["target"].str.strip(), strict=True)
    return tuple(Pair(source, target) for source, target in rows if source or target)
