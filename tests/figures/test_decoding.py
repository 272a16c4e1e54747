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


def step(chosen: NextToken) -> DecodingStep:
    return DecodingStep(LIKELIEST, chosen, CROSS)


def test_next_tokens() -> None:
    bars = drawn(next_tokens_figure(step(LIKELIEST[1]), forced=False))
    assert bars.data[0].x == pytest.approx((0.5, 0.25, 0.0001))
    assert bars.data[0].customdata[1] == "home: 25.0000%, log P -1.386 nats"
    assert list(bars.data[0].marker.color) == [theme.GREY, theme.BLUE, theme.GREY]
    assert list(bars.data[0].text) == ["50.0%", "25.0%", "< 0.1%"]
    assert bars.layout.yaxis.ticktext[:2] == ("1. &lt;b&gt;house", "<b>2. home</b>")


def test_a_forced_token_that_is_not_among_the_likeliest() -> None:
    bars = drawn(next_tokens_figure(step(next_token(4321, 1e-7, "zebra")), forced=True))
    assert bars.layout.yaxis.ticktext[3] == "<b>4,321. zebra</b>"
    assert bars.data[0].marker.color[3] == theme.VERMILLION


def test_step_attention_is_the_mean_of_the_heads() -> None:
    figure = drawn(step_attention_figure([step(LIKELIEST[0])], 0, ["a", "<b>"], 300))
    assert np.array(figure.data[0].z) == pytest.approx(np.array([[0.3, 0.7], [0.5, 0.5], [0.3, 0.7]]))
    assert figure.layout.yaxis.ticktext == ("Layer 1", "Layer 2", "Layer 3")
    assert figure.layout.coloraxis.cmax == pytest.approx(0.7)
    assert "70% bright" in figure.layout.title.text
    assert figure.data[0].customdata[0][0] == "Layer 1, a: 30.0%"
    assert figure.layout.height == 300
    air = "\N{NO-BREAK SPACE}" * 2  # so that two words do not read as one
    assert figure.layout.xaxis.ticktext == (f"{air}a{air}", f"{air}&lt;b&gt;{air}")


def test_candidates_keep_repeated_words_apart_and_tokens_as_text() -> None:
    steps = ((Candidate("i", 0.9), Candidate("<b>", 0.1)), (Candidate("i", 0.6), Candidate("[END]", 0.4)))
    figure = drawn(candidates_figure(("i", "i"), steps, first=3))
    assert list(figure.layout.xaxis.ticktext) == ["3. i", "4. i"]
    assert [list(row) for row in figure.data[0].z] == [[0.9, 0.6], [0.1, 0.4]]  # rank by step
    assert "&lt;b&gt;<br>10.0%" in figure.data[0].text[1][0]


def test_candidates_of_many_steps_stay_in_their_columns_and_few_have_room() -> None:
    long = "responsibility"
    figure = drawn(candidates_figure([long] * 14, [[Candidate(long, 0.9)]] * 14))
    assert longest_line([f"{long[:6]}…"]) <= figure.layout.meta["min_width"] / 15
    assert f"{long[:6]}…<br>" in figure.data[0].text[0][0]
    assert long in figure.data[0].customdata[0][0]
    few = drawn(candidates_figure(["a"] * 2, [[Candidate("grandmother", 0.9)]] * 2))
    assert "grandmother<br>" in few.data[0].text[0][0]
    assert longest_line(["grandmother"]) <= few.layout.meta["min_width"] / 3


def child(parent: int, ids: tuple[int, ...], logp: float, fate: Fate) -> BeamChild:
    return BeamChild(f"<{ids[-1]}>", ids, parent, logp, logp / 2, fate)


def tree(steps: int) -> BeamTree:
    """Two beams; the winner is child 0 of the first step, then child 1 of each."""
    found = []
    for number in range(steps):
        ids = tuple(range(4, 5 + number))
        parents = (0, min(1, number - 1), 1) if number else (-1, -1, -1)
        fate = Fate.ENDED if number == steps - 1 else Fate.KEPT
        found.append(
            (
                child(parents[0], (*ids[:-1], 90), -1.0 - number, Fate.KEPT),
                child(parents[1], ids, -2.0 - number, fate),
                child(parents[2], (*ids[:-1], 91), -3.0, Fate.PRUNED),
            )
        )
    best = BeamEnd(tuple(range(4, 4 + steps)), -2.0, 1.0, -2.0, True, steps - 1, 1)
    return BeamTree(tuple(found), (best,) if steps else ())


def test_the_tree_after_some_steps() -> None:
    others, winner, kept, ended, pruned = drawn(beam_tree_figure(tree(3), 2, str)).data
    assert list(zip(kept.x, kept.y, strict=True)) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert list(zip(pruned.x, pruned.y, strict=True)) == [(1, 3), (2, 3)]
    assert not ended.x
    assert kept.text[0] == "&lt;90&gt;"
    assert kept.customdata[0] == "(90,) (&lt;90&gt;): log P -1.000, score -0.500, kept"
    # The winner ends as child 1 of step 3, whose parents are children 1 of step 2 and 0 of step 1.
    assert winner.y == (1, 2, None)
    assert len(others.y) == 2 * 3


def test_a_long_tree_shows_its_last_steps() -> None:
    others, _, kept, _, _ = drawn(beam_tree_figure(tree(30), 30, str)).data
    assert set(kept.x) == set(range(31 - MAX_COLUMNS, 31))
    assert min(x for x in others.x if x) > 31 - MAX_COLUMNS


def test_a_tree_of_no_steps() -> None:
    figure = drawn(beam_tree_figure(tree(0), 0, str))
    assert "nothing to search" in figure.layout.annotations[0].text
