import re

import numpy as np
import pytest

from core.figures.attention_steps import (
    STAGES,
    CellStep,
    attention_steps_html,
    cell_steps,
    heads_html,
)
from core.theory.attention_steps import attention_steps, multi_head_steps

RECORD = attention_steps([[0], [1], [2]], [[1]], [[2]], [[10]])  # done by hand in tests/theory
STEPS = cell_steps(RECORD)


def test_every_cell_is_a_step_in_the_order_of_the_formula() -> None:
    tables = list(dict.fromkeys(step.table for step in STEPS))
    assert tables == ["queries", "keys", "values", "scores", "scaled", "weights", "outputs"]
    assert len({(step.table, step.place) for step in STEPS}) == len(STEPS) == 3 * 3 + 3 * 9 + 3


def test_known_steps() -> None:
    assert STEPS[5] == CellStep(
        "keys", (2, 0), "Keys: word 3 times the weights W_K.", r"k_{3} = 2 \cdot 2 = 4", ()
    )
    assert STEPS[9 + 5] == CellStep(
        "scores",
        (1, 2),
        "Score: the dot product of query 2 and key 3.",
        r"q_{2} \cdot k_{3} = 1 \cdot 4 = 4",
        (("queries", (1, 0)), ("keys", (2, 0))),
    )
    assert STEPS[27 + 4].calculation == r"\frac{e^{2}}{e^{0} + e^{2} + e^{4}} \approx 0.117"
    assert STEPS[-1].calculation == (
        r"\begin{aligned} \mathrm{out}_{3} &\approx 3.3 \cdot 10^{-4} \cdot 0 + 0.018 \cdot 10 \\ "
        r"&\quad + 0.982 \cdot 20 \approx 19.81 \end{aligned}"
    )


def test_equal_is_only_what_is_shown_as_it_is() -> None:
    record = attention_steps([[1, 1 / 3]], [[1, 0.1], [1, 0.2]], np.eye(2), np.eye(2))
    by_place = {(step.table, step.place): step.calculation for step in cell_steps(record)}
    assert r"\approx" in by_place["queries", (0, 0)]  # 1/3 is shown as 0.333
    assert by_place["outputs", (0, 0)] == r"\mathrm{out}_{1,1} = 1 \cdot 1 = 1"
    exact = attention_steps([[0.1, 0.2]], [[3, 0], [1, 0]], np.eye(2), np.eye(2))
    # 0.1 · 3 + 0.2 is not quite 0.5 in a computer; on paper it is.
    assert cell_steps(exact)[0].calculation.endswith(r"0.2 \cdot 1 = 0.5")


def test_the_picture_shows_one_cell_at_a_time() -> None:
    drawn = attention_steps_html(RECORD, STEPS, 15)  # score (2, 3)
    assert re.findall(r"class=now>([^<]*)<", drawn) == ["4"]
    assert re.findall(r"class=read>([^<]*)<", drawn) == ["1", "4"]
    assert drawn.count("class=hidden") == len(STEPS) - 15
    assert "class=hidden" not in attention_steps_html(RECORD, STEPS, len(STEPS))


@pytest.mark.parametrize("value", [1e9, -1e9, 0.0])
def test_extreme_numbers_are_written(value: float) -> None:
    record = attention_steps([[value], [1.0]], [[value]], [[1e9]], [[1.0]])
    steps = cell_steps(record)
    assert "nan" not in attention_steps_html(record, steps, len(steps))
    assert all("nan" not in step.calculation for step in steps)


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_heads(heads: int) -> None:
    random = np.random.default_rng(0)
    record = multi_head_steps(random.normal(size=(3, 4)), random.normal(size=(4, 4, 4)), heads)
    words = ("the", "cat", "<sat>")
    drawn = {stage: heads_html(record, words, stage) for stage in STAGES}
    assert drawn["split"].count("<table>") == 3 * heads
    assert drawn["attend"].count("<table>") == 2 * heads
    assert "Head 1: attention weights" in drawn["attend"]
    assert "Concatenated" in drawn["join"]
    assert drawn["project"].count("&lt;sat&gt;") == 4
