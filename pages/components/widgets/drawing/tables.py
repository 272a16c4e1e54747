"""Tables on pages: sizes, and files of them."""

from collections.abc import Iterable

import pandas as pd

from core.corpora.delimited import without_formula

ROW_HEIGHT = 84  # pixels: three lines of text; Streamlit (1.67) wraps text only in rows of more than 68
_LONG = 32  # characters that do not fit into half of a narrow table
TEXT_WIDTH = 258  # pixels: three columns of sentences fit beside some figures on a small laptop


def are_long(texts: Iterable[str]) -> bool:
    """Whether a table needs rows of several lines for them."""
    return max(map(len, texts), default=0) > _LONG


def csv_of_table(table: pd.DataFrame) -> bytes:
    """A table as CSV for spreadsheets: a byte order mark for the accents, and no text that runs as a formula."""
    return table.map(_text_cell).to_csv(index=False).encode("utf-8-sig")


def for_display(table: pd.DataFrame, decimals: int = 3) -> pd.DataFrame:
    """A table with rounded numbers; what rounds to 0 has no minus sign, as "-0.000" of a probability near 1 would."""
    return table.map(lambda cell: round(cell, decimals) + 0.0 if isinstance(cell, float) else cell)


def _text_cell(cell: object) -> object:
    # A carriage return may begin a row, and pandas does not quote it.
    return without_formula(cell.replace("\r", " ")) if isinstance(cell, str) else cell
