"""The figures of Decoding step by step: the next tokens, where a step looked, and the tree of beams."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.figures import theme
from core.figures.beam_tree import MAX_COLUMNS, beam_tree_figure
from core.figures.next_tokens import next_tokens_figure, next_tokens_info
from core.figures.step_attention import highest_attention, step_attention_figure, step_attention_info
from core.records import BeamChild, BeamEnd, BeamTree, DecodingStep, Fate, NextToken
from tests.figures.drawn import drawn


def next_token(rank: int, probability: float, token: str) -> NextToken:
    return NextToken(rank + 3, token, math.log(probability), rank)


LIKELIEST = (next_token(1, 0.5, "<b>house"), next_token(2, 0.25, "home"), next_token(3, 0.0001, "x" * 90))
CROSS = np.array([[[0.5, 0.5], [0.1, 0.9]], [[1.0, 0.0], [0.0, 1.0]], [[0.2, 0.8], [0.4, 0.6]]], np.float32)


def step(chosen: NextToken) -> DecodingStep:
    return DecodingStep(LIKELIEST, chosen, CROSS)


def test_next_tokens() -> None:
    info = next_tokens_info(step(LIKELIEST[1]), forced=False)
    assert info.labels[:2] == ("1. <b>house", "2. home")
    assert info.probabilities == pytest.approx((0.5, 0.25, 0.0001))
    assert info.hover[1] == "home: 25.0000%, log P -1.386 nats"
    assert (info.chosen, info.forced) == (1, False)
    bars = drawn(next_tokens_figure(info))
    assert list(bars.data[0].marker.color) == [theme.GREY, theme.BLUE, theme.GREY]
    assert list(bars.data[0].text) == ["50.0%", "25.0%", "< 0.1%"]
    assert bars.layout.yaxis.ticktext[0] == "1. &lt;b&gt;house"
    assert bars.layout.yaxis.ticktext[1] == "<b>2. home</b>"


def test_a_forced_token_that_is_not_among_the_likeliest() -> None:
    info = next_tokens_info(step(next_token(4321, 1e-7, "zebra")), forced=True)
    assert info.labels[-1] == "4,321. zebra"
    assert info.chosen == 3
    bars = drawn(next_tokens_figure(info))
    assert bars.data[0].marker.color[3] == theme.VERMILLION


def test_step_attention_is_the_mean_of_the_heads() -> None:
    steps = (step(LIKELIEST[0]),)
    info = step_attention_info(steps[0], ["a", "b"], highest_attention(steps))
    assert np.array(info.values) == pytest.approx(np.array([[0.3, 0.7], [0.5, 0.5], [0.3, 0.7]]))
    assert info.row_labels == ("Layer 1", "Layer 2", "Layer 3")
    assert info.color_range == pytest.approx((0, 0.7))
    assert info.hover[0][1] == "Layer 1, b: 70.0%"
    figure = drawn(step_attention_figure(info, 300))
    assert figure.layout.height == 300
    assert "70% bright" in figure.layout.title.text


def test_words_below_step_attention_have_air_so_that_two_do_not_read_as_one() -> None:
    many = step_attention_info(step(LIKELIEST[0]), ["a", "<b>"], 1.0)
    air = "\N{NO-BREAK SPACE}" * 2
    labels = drawn(step_attention_figure(many, 300)).layout.xaxis.ticktext
    assert labels == (f"{air}a{air}", f"{air}&lt;b&gt;{air}")


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
