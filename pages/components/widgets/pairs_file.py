from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.classroom.workspace import Workspace

MAX_PAIRS_BYTES = 2**20  # of an uploaded file of pairs


def ask_pairs_file(
    label: str, key: str, on_change: Callable[[Workspace], None], workspace: Workspace
) -> None:
    """A box for a file of sentence pairs, of which the browser sends no more than is read."""
    st.file_uploader(
        label,
        type=["csv", "tsv", "txt"],
        key=key,
        max_upload_size=MAX_PAIRS_BYTES // 2**20,
        on_change=on_change,
        args=(workspace,),
    )
