import numpy as np
import pytest

from core.figures.number_tables import number_table, number_tables_html, number_text, numbered, one_hot_html


def test_labels() -> None:
    assert numbered("x", 1) == ["x"]
    assert numbered("x", 12)[-1] == "x₁₂"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-2.5, "−2.5"), (1 / 3, "0.333"), (12.345, "12.35"), (123.456, "123.5"),
        (99999.0, "99999"), (1e9, "1e9"), (-2.5e18, "−2.5e18"), (1e-4, "1e−4"), (9.9999, "10"),
    ],
)  # fmt: skip
def test_numbers_fit_into_cells(value: float, text: str) -> None:
    assert number_text(value) == text


def test_html() -> None:
    table = number_table("<S>", [[1, 2, 3]], ["&"], "k", {(0, 0): "now", (0, 1): "hidden", (0, 2): "read"})
    drawn = number_tables_html([[table]])
    assert "<caption>&lt;S&gt;</caption>" in drawn
    assert '<th scope="row">&amp;</th>' in drawn
    assert "<td class=now>1</td><td class=hidden>·</td><td class=read>3</td>" in drawn


def test_colours_behind_columns() -> None:
    drawn = number_tables_html([[number_table("H", [[1, 2]], "x", "d", None, ["#111111", "#222222"])]])
    assert 'style="background: #11111144">1<' in drawn
    assert 'style="background: #22222244">2<' in drawn


@pytest.mark.parametrize(("token_id", "shown"), [(0, "0 to 4"), (5, "2 to 6"), (6, "2 to 6")])
def test_one_hot_marks_the_row_that_is_picked_out(token_id: int, shown: str) -> None:
    matrix = np.arange(0, 7, 0.25, dtype=np.float32).reshape(7, 4)  # row r is r, r + 0.25, r + 0.5, r + 0.75
    drawn = one_hot_html(token_id, matrix, ["<b>"] * 7, channels=2)
    assert f"One-hot: entries {shown} of 7" in drawn
    assert "<td class=now>1</td>" in drawn
    for mark in ("read", "now"):
        row = f"<td class={mark}>{token_id}</td><td class={mark}>{token_id or ''}"
        assert f'<th scope="row">{token_id} &lt;b&gt;</th>{row}' in drawn
    assert "× √4 = 2" in drawn
    assert f"<td>{2 * token_id}</td>" in drawn
