import io

import pandas as pd
import pytest

from pages.components.widgets.drawing.tables import csv_of_table, for_display
from tests.pages.conftest import ROOT


@pytest.mark.parametrize(
    "text", ['=HYPERLINK("http://example.org")', "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1"]
)
def test_no_text_runs_as_a_formula(text: str) -> None:
    data = csv_of_table(pd.DataFrame({"source": [text], "score": [-1.5]}))
    read = pd.read_csv(io.BytesIO(data), encoding="utf-8-sig")
    assert read["source"][0].startswith("'")
    assert read["score"][0] == -1.5


def test_spreadsheets_read_the_accents() -> None:
    data = csv_of_table(pd.DataFrame({"source": ["é"], "translation": ["a, b"]}))
    assert data.decode("utf-8-sig") == 'source,translation\né,"a, b"\n'
    assert data.startswith(b"\xef\xbb\xbf")


def test_nothing_is_shown_as_minus_zero() -> None:
    """log P of a memorized sentence is a little below 0, and "-0.000" is no number."""
    shown = for_display(pd.DataFrame({"translation": ["yes"], "score": [-0.0002], "tokens": [3]}))
    assert str(shown["score"][0]) == "0.0" and shown["tokens"][0] == 3


def test_every_download_of_a_table_goes_through_here() -> None:
    """Else somebody's sentence runs as a formula where another person opens the file."""
    written = {
        path.name
        for path in (ROOT / "pages").rglob("*.py")
        if ".to_csv(" in path.read_text(encoding="utf-8") or "csv.writer" in path.read_text(encoding="utf-8")
    }
    assert written == {"tables.py"}
