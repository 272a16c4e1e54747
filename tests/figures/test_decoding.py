"""The figures of Decoding step by step: the next tokens, where a step looked, and the tree of beams."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.figures import theme
from core.figures.decoding import (
    MAX_COLUMNS,
    beam_tree_figure,
    candidates_figure,
    next_tokens_figure,
    step_attention_figure,
)
from core.figures.label_fit import longest_line
from core.records import BeamChild, BeamEnd, BeamTree, Candidate, DecodingStep, Fate, NextToken
from tests.figures.drawn import drawn


def next_token(rank: int, probability: float, token: str) -> NextToken:
    return NextToken(rank + 3, token, math.log(probability), rank)


LIKELIEST = (next_token(1, 0.5, "<b>house"), next_token(2, 0.25, "home"), next_token(3, 0.0001, "x" * 90))
CROSS = np.array([[[0.5, 0.5], [0.1, 0.9]], [[1.0, 0.0], [0.0, 1.0]], [[0.2, 0.8], [0.4, 0.6]]], np.float32)
STEP = DecodingStep(LIKELIEST, LIKELIEST[1], CROSS)


def test_next_tokens() -> None:
    bars = drawn(next_tokens_figure(STEP, forced=False))
    assert bars.data[0].x == pytest.approx((0.5, 0.25, 0.0001))
    assert bars.data[0].customdata[1] == "home: 25.0000%, log P -1.386 nats"
    assert list(bars.data[0].marker.color) == [theme.GREY, theme.BLUE, theme.GREY]
    assert list(bars.data[0].text) == ["50.0%", "25.0%", "< 0.1%"]
    assert bars.layout.yaxis.ticktext[:2] == ("1. &lt;b&gt;house", "<b>2. home</b>")
    # A forced token is shown though it is not among the likeliest.
    forced = drawn(next_tokens_figure(DecodingStep(LIKELIEST, next_token(4321, 1e-7, "zebra"), CROSS), True))
    assert forced.layout.yaxis.ticktext[3] == "<b>4,321. zebra</b>"
    assert forced.data[0].marker.color[3] == theme.VERMILLION


def test_step_attention_is_the_mean_of_the_heads() -> None:
    figure = drawn(step_attention_figure([STEP], 0, ["a", "<b>"], 300))
    assert np.array(figure.data[0].z) == pytest.approx(np.array([[0.3, 0.7], [0.5, 0.5], [0.3, 0.7]]))
    assert "70% bright" in figure.layout.title.text
    assert figure.data[0].customdata[0][0] == "Layer 1, a: 30.0%"
    air = "\N{NO-BREAK SPACE}" * 2  # so that two words do not read as one
    assert figure.layout.xaxis.ticktext == (f"{air}a{air}", f"{air}&lt;b&gt;{air}")


def test_candidates_keep_repeated_words_apart_and_tokens_as_text() -> None:
    steps = ((Candidate("i", 0.9), Candidate("<b>", 0.1)), (Candidate("i", 0.6), Candidate("[END]", 0.4)))
    figure = drawn(candidates_figure(("i", "i"), steps, first=3))
    assert list(figure.layout.xaxis.ticktext) == ["3. i", "4. i"]
    assert [list(row) for row in figure.data[0].z] == [[0.9, 0.6], [0.1, 0.4]]  # rank by step
    assert "&lt;b&gt;<br>10.0%" in figure.data[0].text[1][0]


@pytest.mark.parametrize(("steps", "shown"), [(14, "respon…"), (2, "responsibility")])
def test_candidates_of_many_steps_stay_in_their_columns_and_few_have_room(steps: int, shown: str) -> None:
    figure = drawn(candidates_figure(["a"] * steps, [[Candidate("responsibility", 0.9)]] * steps))
    assert f">{shown}<br>" in figure.data[0].text[0][0]
    assert longest_line([shown]) <= figure.layout.meta["min_width"] / (steps + 1)
    assert "responsibility" in figure.data[0].customdata[0][0]


def tree(steps: int) -> BeamTree:
    """The winner is child 0 of the first step, then child 1 of each."""

    def child(token: str, step: int, parent: int, fate: Fate) -> BeamChild:
        return BeamChild(token, (4,) * (step + 1), parent if step else -1, -1.0, -0.5, fate)

    found = []
    for step in range(steps):
        winner = child("<b>", step, min(1, step - 1), Fate.ENDED if step == steps - 1 else Fate.KEPT)
        other = child("x", step, 0, Fate.PRUNED)
        found.append((other, winner) if step else (winner, other))
    best = BeamEnd((4,) * steps, -2.0, 1.0, -2.0, True, steps - 1, 1)
    return BeamTree(tuple(found), (best,) if steps else ())


def test_the_tree_after_some_steps() -> None:
    others, winner, kept, ended, pruned = drawn(beam_tree_figure(tree(3), 2, str)).data
    assert list(zip(kept.x, kept.y, strict=True)) == [(1, 1), (2, 2)]
    assert list(zip(pruned.x, pruned.y, strict=True)) == [(1, 2), (2, 1)]
    assert not ended.x
    assert kept.customdata[0] == "(4,) (&lt;b&gt;): log P -1.000, score -0.500, kept"
    assert winner.y == (1, 2, None)  # from the parent's rank to its own
    assert len(others.y) == 3
    *_, kept, _, _ = drawn(beam_tree_figure(tree(30), 30, str)).data
    assert set(kept.x) == set(range(31 - MAX_COLUMNS, 30))  # a long one shows its last steps
    none = drawn(beam_tree_figure(tree(0), 0, str))
    assert "nothing to search" in none.layout.annotations[0].text
