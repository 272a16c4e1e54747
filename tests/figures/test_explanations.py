"""What is written and why: next tokens, the tree of beams, lenses, heads, contributions, patching, erasure."""

import math
from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
import pytest

from core.figures import theme
from core.figures.plotly import decoding, model_inside
from core.figures.svg.head_switches import head_switches_svg
from core.records.analysis import (
    CHANCE,
    BeamNode,
    BeamStatus,
    BeamTree,
    Contributions,
    DecodingStep,
    ErasureCurves,
    Lens,
    NextToken,
    PaddingOutcome,
    PatchingMap,
)
from core.records.attention import AttentionKind, AttentionRecord, Head, HeadFacts
from core.records.text import Candidate, ExplainedTranslation, Translation
from tests.conftest import numbers
from tests.figures.drawn import drawn

ROOM = 400  # pixels


def next_token(rank: int, probability: float, token: str) -> NextToken:
    return NextToken(rank + 3, token, math.log(probability), rank)


LIKELIEST = (next_token(1, 0.5, "<b>house"), next_token(2, 0.25, "home"), next_token(3, 0.0001, "x" * 90))
CROSS = np.array([[[0.5, 0.5], [0.1, 0.9]], [[1.0, 0.0], [0.0, 1.0]], [[0.2, 0.8], [0.4, 0.6]]], np.float32)
STEP = DecodingStep(LIKELIEST, LIKELIEST[1], CROSS)


def test_next_tokens() -> None:
    bars = drawn(decoding.next_tokens_figure(STEP, False, ROOM))
    assert bars.data[0].x == pytest.approx((0.5, 0.25, 0.0001))
    assert list(bars.data[2].customdata) == [4, 5, 6]  # a click on a row says which token
    assert bars.data[0].marker.color == (theme.GREY, theme.BLUE, theme.GREY)  # the second was written
    assert bars.data[1].text[:2] == ("1. &lt;b&gt;house", "<b>2. home</b>")
    # A forced token is shown though it is not among the likeliest.
    forced = drawn(
        decoding.next_tokens_figure(
            DecodingStep(LIKELIEST, next_token(4321, 1e-7, "zebra"), CROSS), True, ROOM
        )
    )
    assert forced.data[1].text[3] == "<b>4,321. zebra</b>"
    assert forced.data[0].marker.color == (*[theme.GREY] * 3, theme.VERMILLION)


def test_step_attention_is_the_mean_of_the_heads() -> None:
    later = DecodingStep(LIKELIEST, LIKELIEST[1], CROSS / np.float32(2))
    figure = drawn(decoding.step_attention_figure([STEP, later], 1, ["a", "b"], 300))
    assert figure.layout.coloraxis.cmax == pytest.approx(0.7)  # one scale for all steps
    assert 2 * np.array(figure.data[0].z) == pytest.approx(np.array([[0.3, 0.7], [0.5, 0.5], [0.3, 0.7]]))


def translated(tokens: Sequence[str], candidates: Sequence[Sequence[Candidate]]) -> ExplainedTranslation:
    nothing = np.zeros((0, 0, 0, 0), np.float32)
    attention = AttentionRecord((), (), tuple(tokens), nothing, nothing, nothing)
    return ExplainedTranslation(Translation("", (), (), (), ()), attention, tuple(map(tuple, candidates)))


def test_candidates_keep_repeated_words_apart_and_tokens_as_text() -> None:
    steps = [[Candidate("i", 0.9), Candidate("<b>", 0.1)], [Candidate("i", 0.6), Candidate("[END]", 0.4)]]
    translation = translated("xxii", [*steps, *steps])
    figure = drawn(decoding.candidates_figure(translation, range(2, 4), 780))
    assert list(figure.layout.xaxis.ticktext) == ["3. i", "4. i"]
    assert [list(row) for row in figure.data[0].z] == [[0.9, 0.6], [0.1, 0.4]]  # rank by step
    assert "&lt;b&gt;<br>10%" in figure.data[0].text[1][0]


def tree(steps: int) -> BeamTree:
    """The winner is node 0 of the first step, node 1 of the second, and so on."""

    def node(token: str, step: int, number: int, parent: int, status: BeamStatus) -> BeamNode:
        ids = (4,) * (step + 1)
        return BeamNode(token, ids, step, number, parent if step else -1, -1.0, 2.0, False, status)

    found = []
    winner = None
    for step in range(steps):
        status = BeamStatus.FINISHED if step == steps - 1 else BeamStatus.LIVE
        winner = node("<b>", step, step % 2, (step - 1) % 2, status)
        other = node("x", step, (step + 1) % 2, 0, BeamStatus.PRUNED)
        found.append((other, winner) if step % 2 else (winner, other))
    return BeamTree(tuple(found), () if winner is None else (winner,))


def test_the_tree_after_some_steps() -> None:
    others, winner, kept, ended, pruned = drawn(decoding.beam_tree_figure(tree(3), 2, str, ROOM)).data
    assert list(zip(kept.x, kept.y, strict=True)) == [(1, 1), (2, 2)]
    assert list(zip(pruned.x, pruned.y, strict=True)) == [(1, 2), (2, 1)]
    assert not ended.x
    assert "(&lt;b&gt;)" in kept.customdata[0]
    assert winner.y == (1, 2, None)  # from the parent's rank to its own
    assert len(others.y) == 3
    assert drawn(decoding.beam_tree_figure(tree(3), 3, str, ROOM)).data[1].y == (1, 2, None, 2, 1, None)
    *_, kept, _, _ = drawn(decoding.beam_tree_figure(tree(30), 30, str, ROOM)).data
    assert set(kept.x) == set(range(31 - decoding.MAX_COLUMNS, 30))  # a long one shows its last steps
    none = drawn(decoding.beam_tree_figure(tree(0), 0, str, ROOM))
    assert none.layout.annotations[0].text


def test_lens_writes_words_into_cells_and_escapes_them() -> None:
    lens = Lens(
        kind="decoder",
        predicted_tokens=("the", "<b>"),
        tokens=(("a", "b"), ("the", "x"), ("the", "<b>")),
        probability=np.array([[0.5, 0.4], [0.6, 0.3], [0.9, 0.8]], np.float32),
        final_probability=np.array([[0.125, 0.05], [0.625, 0.125], [0.875, 0.75]], np.float32),
        final_rank=np.array([[7, 1200], [1, 2], [1, 3]]),
    )
    figure = drawn(model_inside.lens_figure(lens, ROOM))
    (cells,) = figure.data
    (frame,) = figure.layout.shapes  # the second word is never the likeliest
    assert (frame.x0, frame.y0) == (0.52, -0.42)  # the first is from place 1 on
    assert figure.layout.yaxis.ticktext == ("1. the", "2. &lt;b&gt;")
    colored, numbers = (
        np.array(cells.z),
        [[int(text.split()[-1].split("%")[0]) for text in row] for row in cells.text],
    )
    assert (100 * colored).round().tolist() == numbers == [[50, 60, 90], [40, 30, 80]]
    assert "<b>the</b> 60%" in cells.text[0][1]  # bold: it was written
    assert "&lt;b&gt; 80%" in cells.text[1][2]
    assert "shapes" not in model_inside.lens_figure(lens, ROOM, settled_shown=False)["layout"]


def test_head_facts() -> None:
    entropy = np.array([[1.0, 2.0]], np.float32)
    facts = HeadFacts(entropy, 3.0, *[entropy] * 5)
    figure = drawn(model_inside.head_map_figure(facts, "entropy", "Entropy"))
    ticks = (*figure.layout.yaxis.ticktext, *figure.layout.xaxis.ticktext)
    assert [numbers(tick) for tick in ticks] == [["1"], ["1"], ["2"]]
    (trace,) = figure.data
    assert list(trace["text"][0]) == ["1.00", "2.00"]
    assert (facts.highest("entropy"), facts.highest("distance"), facts.highest("last")) == (3.0, 2.0, 1.0)


def test_switches_of_heads() -> None:
    costs = np.zeros((3, 1, 2), np.float32)
    costs[2, 0] = [0.5, -0.25]
    off = {Head("cross", 0, 0), Head("encoder", 0, 0), Head("encoder", 0, 1)}
    titles: dict[AttentionKind, str] = {"encoder": "<b>", "decoder": "Decoder", "cross": "Cross"}
    drawing = ElementTree.fromstring(head_switches_svg(costs, off, titles))
    switches = {each.get("data-part"): each for each in drawing.iter() if each.get("data-part")}
    assert list(switches) == [
        f"{kind} {name}" for kind in ("encoder", "decoder", "cross") for name in ("1", "1.1", "1.2")
    ]
    pressed = {part for part, each in switches.items() if each.get("aria-pressed") == "true"}
    assert pressed == {"encoder 1", "encoder 1.1", "encoder 1.2", "cross 1.1"}
    assert "1.2: −0.25" in str(switches["cross 1.2"].get("aria-label"))


def test_contributions() -> None:
    found = Contributions(
        words=("a", "b"),
        source_words=("x",),
        prefix_words=("[START]", "a"),
        source=np.array([[0.7], [0.2]], np.float32),
        prefix=np.array([[0.3, np.nan], [0.4, 0.4]], np.float32),
        has_own_prefix=False,
        possible_hallucinations=frozenset({1}),
    )
    figure = drawn(model_inside.contributions_figure(found, ROOM))
    source, rest, cells = figure.data
    assert cells.z[0][2] is None
    assert rest.x == pytest.approx((0.3, 0.8))
    assert list(figure.layout.yaxis.ticktext) == ["a", "⚠ b"]
    assert source.x == pytest.approx((0.7, 0.2))


def test_patching() -> None:
    encoder = np.array([[1.0, 0.0], [0.5, -0.001]], np.float32)
    found = PatchingMap(
        ("ele", "diz"), ("ela", "diz"), ("[START]",), "he", "she", encoder, np.array(encoder[:, :1])
    )
    first, _ = map(drawn, model_inside.patching_figures(found))
    assert [numbers(tick) for tick in first.layout.yaxis.ticktext] == [["1"], []]  # the output on top
    assert first.layout.xaxis.ticktext == ("ele→ela", "diz")
    assert list(first.data[0].text[0]) == ["50", "0"]  # not -0


def test_padding_shares() -> None:
    shares = np.array([[0.25, 0.75], [0.0, 1.0], [0.5, 0.5]], np.float32)
    outcome = PaddingOutcome(1.5, shares, shares / np.float32(2), (7, 3), "x", True)
    encoder, cross = map(drawn, model_inside.padding_shares_figures(outcome))
    assert ">100<" in encoder.data[0].text[1][1]
    assert cross.data


def test_erasure() -> None:
    raw, chance = (np.array([0.0, low], np.float32) for low in (-1.0, -0.5))
    found = ErasureCurves(("x",), {"raw": raw}, (0, 1), {"raw": raw, CHANCE: chance})
    erased = drawn(model_inside.erasure_figure(found, {"raw": "R", CHANCE: "C"}))
    assert [trace.name for trace in erased.data] == ["R", "C"]
    assert erased.data[0].y == (0.0, -1.0)
