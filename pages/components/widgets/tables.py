"""Tables on pages: sizes, and files of them."""

import pandas as pd

ROW_HEIGHT = 84  # pixels: three lines of text; Streamlit (1.67) wraps text only in rows of more than 68
TEXT_WIDTH = 270  # pixels: three columns of sentences fit beside some figures on a small laptop

_FORMULA = ("=", "+", "-", "@", "\t")  # what spreadsheets begin a formula with


def csv_of_table(table: pd.DataFrame) -> bytes:
    """A table as CSV for spreadsheets: a byte order mark for the accents, and no text that runs as a formula."""
    return table.map(_without_formula).to_csv(index=False).encode("utf-8-sig")


def _without_formula(cell: object) -> object:
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\r", " ")  # which may begin a row, and pandas does not quote
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text
