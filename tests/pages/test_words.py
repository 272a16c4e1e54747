"""Words, tables and files as people see them."""

import io

import pandas as pd
import pytest

from core.durations import duration
from pages.components.explaining.figure import for_display
from pages.components.widgets.download import csv_of_table
from pages.components.widgets.numbers import label_of_example
from pages.content.markdown import html_of, plain, text_of, typed
from pages.translate import badges
from tests.conftest import numbers


def test_durations() -> None:
    said = {0.2: ["1"], 8.4: ["8"], 60: ["1"], 80: ["1", "20"], 7500: ["2", "5"]}
    assert {seconds: numbers(duration(seconds)) for seconds in said} == said
    assert len({duration(length) for length in (1, 60, 3600)}) == 3, "each with its unit"


def test_markdown_in_text_is_shown_as_it_is() -> None:
    assert plain("**a** [b](c) $d$ :red[e]") == r"\*\*a\*\* \[b\]\(c\) \$d\$ \:red\[e\]"
    label = label_of_example("![x](https://example.org/x.png) **a**")
    assert label.startswith("\\!\\[x\\]\\(") and "**" not in label
    assert badges(["je", "x"], [2, 1], [False, True]).startswith(":blue-badge[je · 2] :orange-badge[x · 1 · ")


def test_a_text_is_the_same_on_paper_and_in_a_table() -> None:
    ours = "**Only** *i am* `[START]`: 2 * 3 * 4, d_model"
    assert text_of(ours) == "Only i am [START]: 2 * 3 * 4, d_model"
    assert html_of(ours).startswith(
        "<strong>Only</strong> <em>i am</em> <code>[START]</code>: 2 * 3 * 4, d<sub>"
    )
    theirs = r"2*3*4 2^10 R$ 5 to R$ 10, $5 and $6 `x` a_b \n <b> **c** http://www.d@e.fr [f](g)"
    assert text_of(typed(theirs)) == theirs
    assert typed("$5 and $6") == plain("$5 and $6")
    assert (
        html_of(typed("2*3*4 2^10 <b> is $Q*K^T_i$")) == "2*3*4 2^10 &lt;b&gt; is Q*K<sup>T</sup><sub>i</sub>"
    )


@pytest.mark.parametrize(
    "formula", [r"\rule{300em}{200em}", r"\Huge x", r"\def\a{\a\a}\a", r"\hspace{9em}", "x^{" * 20, "W" * 60]
)
def test_what_could_cover_the_page_is_no_formula(formula: str) -> None:
    text = f"of ${formula}$ and"
    assert typed(text) == plain(text)


def test_no_text_runs_as_a_formula() -> None:
    """Which texts would: tests/corpora/test_delimited.py."""
    data = csv_of_table(pd.DataFrame({"source": ["=SUM(A1)"], "score": [-1.5]}))
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
