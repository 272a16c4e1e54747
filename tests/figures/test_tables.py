"""Tables in HTML: ids, numbers, and attention calculated cell by cell."""

import re

import numpy as np
import pytest

from core.arrays import Doubles
from core.figures.html.attention_steps import (
    STAGES,
    attention_steps_html,
    cell_steps,
    changed_cells,
    heads_html,
)
from core.figures.html.id_table import IdCell, id_table_html, kinds_of
from core.figures.html.number_tables import number_text, one_hot_html
from core.theory.attention_steps import attention_steps, multi_head_steps

START, WORD = IdCell("[START]", 2, "start"), IdCell("hello", 9, "word")
UNKNOWN = IdCell("<b>", 1, "unknown")
RECORD = attention_steps([[0], [1], [2]], [[1]], [[2]], [[10]])  # done by hand in tests/theory
WORDS = ("a", "b", "c")
STEPS = cell_steps(RECORD, WORDS, WORDS)


def test_ids_have_a_place_for_each_cell() -> None:
    rows = [[START, WORD], [UNKNOWN]]
    table = id_table_html("<i>", ["a", "<b>"], rows, now=[(0, 1)], later=[(0, 0)])
    assert kinds_of(rows) == ("word", "unknown", "start")
    assert "<p>&lt;i&gt;</p>" in table and ">&lt;b&gt;</th>" in table
    assert 'class="id start later" style="--row: 2; --column: 2"><b>2</b><span>[START]</span></td>' in table
    assert 'class="id word now" style="--row: 2; --column: 3"><b>9</b><span>hello</span></td></tr>' in table
    assert 'class="id unknown" style="--row: 3; --column: 2"><b>1</b><span>&lt;b&gt;</span></td>' in table


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-0.0, "0"), (1.0, "1"), (-2.5, "−2.5"), (1 / 3, "0.333"), (12.345, "12.35"), (123.456, "123.5"),
        (99999.0, "99999"), (-2.5e18, "−2.5e18"), (1e-4, "1e−4"), (9.9999, "10"), (0.0023456, "0.00235"),
    ],
)  # fmt: skip
def test_numbers_fit_into_cells(value: float, text: str) -> None:
    assert number_text(value) == text


def test_the_product_of_two_shown_numbers_is_the_shown_product() -> None:
    exact = 10.0 ** np.random.default_rng(0).uniform(-6, 6, (2, 2000))

    def shown(numbers: Doubles) -> Doubles:
        return np.array([float(number_text(number).replace("−", "-")) for number in numbers])

    # Each of the three is off by half a unit of its third digit at most.
    assert shown(exact[0]) * shown(exact[1]) == pytest.approx(shown(exact.prod(axis=0)), rel=0.0152)


@pytest.mark.parametrize(("token_id", "first"), [(0, 0), (6, 2)])
def test_one_hot_marks_the_row_that_is_picked_out(token_id: int, first: int) -> None:
    """All numbers of a table have the same decimals."""
    matrix = np.arange(0, 7, 0.25, dtype=np.float32).reshape(7, 4)  # row r is r, r + 0.25, r + 0.5, r + 0.75
    table = one_hot_html(token_id, matrix, ["<b>"] * 7, channels=2)
    assert re.search(rf"\b{first}\D+{first + 4}\D+7\b", table), "which entries are shown"
    for mark in ("read", "now"):
        row = f'<td class="{mark}">{token_id}.00</td><td class="{mark}">{token_id}.25'
        assert f'<th scope="row">{token_id} &lt;b&gt;</th>{row}' in table
    assert "× √4 = 2" in table
    assert f"<td>{2 * token_id}.0</td><td>{2 * token_id}.5</td>" in table


def test_every_cell_is_a_step_with_its_calculation() -> None:
    """Equal is only what is shown as it is: 0.1 · 3 + 0.2 is not quite 0.5 in a computer, but on paper it is."""
    assert len({(step.table, step.place) for step in STEPS}) == len(STEPS) == 3 * 3 + 3 * 9 + 3
    score = STEPS[9 + 5]
    assert (score.table, score.place, score.reads) == (
        "scores",
        (1, 2),
        (("queries", (1, 0)), ("keys", (2, 0))),
    )
    assert score.calculation == r"q_{\text{b}} \cdot k_{\text{c}} = 1 \cdot 4 = 4"
    assert STEPS[27 + 4].calculation == r"\frac{e^{2}}{e^{0} + e^{2} + e^{4}} \approx 0.117"
    on_paper = attention_steps([[0.1, 0.2]], [[3, 0], [1, 0]], np.eye(2), np.eye(2))
    assert cell_steps(on_paper, WORDS, WORDS)[0].calculation.endswith(r"= 0.1 \cdot 3 + 0.2 \cdot 1 = 0.5")
    huge = attention_steps([[-1e9], [1.0]], [[-1e9]], [[1e9]], [[1.0]])
    assert all("nan" not in step.calculation for step in cell_steps(huge, WORDS, WORDS))


def test_the_picture_shows_one_cell_at_a_time() -> None:
    drawn = attention_steps_html(RECORD, WORDS, WORDS, STEPS, 15)  # score (2, 3)
    assert re.findall(r'class="now">([^<]*)<', drawn) == ["4"]
    assert re.findall(r'class="read">([^<]*)<', drawn) == ["1", "4"]
    assert drawn.count('class="hidden"') == len(STEPS) - 15
    projected = attention_steps_html(RECORD, WORDS, WORDS, STEPS, 5)  # the key of the second word
    assert re.findall(r'class="now">([^<]*)<', projected) == ["2"]
    assert re.findall(r'class="read">([^<]*)<', projected) == ["1", "2"]  # x and W_K


def test_what_a_new_number_changes_lights_up_unless_it_is_hidden() -> None:
    """The last word is 3 instead of 2. The first word's query and key stay 0, and so do its row and column of scores.

    Its weights stay equal, but the values that they average have changed.
    """
    edited = attention_steps([[0], [1], [3]], [[1]], [[2]], [[10]])
    changed = changed_cells(RECORD, edited)
    rows = [(row, 0) for row in range(3)]
    assert {place for table, place in changed if table == "scores"} == {(1, 2), (2, 1), (2, 2)}
    assert {place for table, place in changed if table == "queries"} == {(2, 0)}
    assert {place for table, place in changed if table == "outputs"} == set(rows)
    assert (
        changed_cells(RECORD, RECORD)
        == changed_cells(RECORD, attention_steps([[1]], [[1]], [[1]], [[1]]))
        == set()
    )
    everything = attention_steps_html(edited, WORDS, WORDS, changed=changed)
    assert everything.count('changed"') == len(changed)
    # No score yet.
    stepped = attention_steps_html(edited, WORDS, WORDS, cell_steps(edited, WORDS, WORDS), 9, changed)
    assert stepped.count('changed"') == 3


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_each_head_has_its_tables(heads: int) -> None:
    random = np.random.default_rng(0)
    record = multi_head_steps(random.normal(size=(3, 4)), random.normal(size=(4, 4, 4)), heads)
    drawn = [heads_html(record, ("the", "cat", "<sat>"), stage) for stage in STAGES]
    assert [each.count("<table>") for each in drawn] == [4, 3 * heads, 2 * heads, 2]
    assert "&lt;sat&gt;" in drawn[0]
