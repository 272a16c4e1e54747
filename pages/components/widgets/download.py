"""Files to take away: the button, and tables as CSV."""

from collections.abc import Callable
from pathlib import PurePath

import pandas as pd
import streamlit as st

from core.corpora.delimited import escape_formula
from core.language import language, reading

_TYPES = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".safetensors": "application/octet-stream",
}


def show_download(
    label: str,
    data: Callable[[], str | bytes],
    file_name: str,
    *,
    icon: str = "download",
    key: str | None = None,
    help: str | None = None,
) -> None:
    """Show a button that downloads a file.

    Args:
        label: the text on the button.
        data: returns the file; called on the click.
        file_name: its name; the ending says of which type it is.
        icon: a name from Material Symbols.
        key: the button's key.
        help: a hint beside it.
    """
    reader = language()

    def file() -> str | bytes:
        with reading(reader):  # a click calls it in a thread that knows no tab
            return data()

    st.download_button(
        label,
        file,
        file_name,
        _TYPES[PurePath(file_name).suffix],
        icon=f":material/{icon}:",
        on_click="ignore",
        key=key,
        help=help,
    )


def csv_of_table(table: pd.DataFrame) -> bytes:
    """Return a table as CSV for spreadsheets, with a byte order mark and no text that runs as a formula."""
    return table.map(_text_cell).to_csv(index=False).encode("utf-8-sig")


def _text_cell(cell: object) -> object:
    # A carriage return would start a new row: pandas does not quote it.
    return escape_formula(cell.replace("\r", " ")) if isinstance(cell, str) else cell
