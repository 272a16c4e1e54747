"""A decoder alone: candidates, costs, sizes, rotary positions."""

import math

import numpy as np
import pytest

from core.figures.plotly.language_model import (
    candidates_figure,
    decoding_cost_figure,
    model_sizes_figure,
    rotation_figures,
    step_products_figure,
)
from core.language import _
from core.theory.decoding_cost import KNOWN, DecoderSize, KnownModel, cache_bytes, multiplications
from tests.figures.drawn import drawn

OURS = DecoderSize(5, 64, 4, 128, 71, 4, bytes_per_number=4)
(GPT_2,) = (each.decoder for each in KNOWN if each.decoder and each.name == "GPT-2")


def test_each_token_has_its_probability_and_what_the_cuts_leave_of_it() -> None:
    figure = drawn(
        candidates_figure(["<b>je", "[SEP]", "x" * 90], [0.6, 0.3, 0.1], [0.7, 0.3, 0.0], chosen=1)
    )
    before, kept = figure.data
    assert (before.x, kept.x) == ((0.6, 0.3, 0.1), (0.7, 0.3, 0.0))
    assert kept.text[2] == "" and "<b>je" not in "".join(before.hovertext)
    assert len(set(kept.marker.color)) == 2 and figure.layout.yaxis.ticktext[1].startswith("<b>")
    drawn(candidates_figure(["a"], [1.0], [1.0]))


def test_costs_are_drawn_over_the_length_on_powers_of_ten() -> None:
    figure = drawn(decoding_cost_figure({"ours": OURS, "GPT-2": GPT_2}, 1024, at=14))
    with_cache, without, *_others = figure.data
    assert (with_cache.x[0], with_cache.x[-1]) == (1, 1024)
    assert with_cache.y[-1] == multiplications(OURS, 1024, with_cache=True)
    assert without.y[-1] == multiplications(OURS, 1024, with_cache=False)
    assert figure.data[-1].y[-1] == pytest.approx(cache_bytes(GPT_2, 1024) / 1e6)
    assert figure.layout.yaxis.type == figure.layout.yaxis2.type == "log"
    for curve in figure.data:
        assert [length for length, size in zip(curve.x, curve.marker.size, strict=True) if size] == [14]


@pytest.mark.parametrize("step", [1, 4, 40])
def test_a_step_computes_one_row_and_without_a_cache_all_rows(step: int) -> None:
    tokens = ["[START]", "<b>", "[SEP]", "x" * 90, *map(str, range(5, 41))]
    figure = drawn(step_products_figure(tokens, step, OURS))
    cells, *key = figure.data
    kinds = np.array(cells.z, np.float64)
    now, kept, again = (np.argwhere(kinds == kind).tolist() for kind in range(3))
    assert {row for row, _column in now} == {step - 1} and len(now) == 3 + step + 1
    assert [(row, figure.layout.xaxis.ticktext[column]) for row, column in kept] == [
        (row, name) for row in range(step - 1) for name in (_("key"), _("value"))
    ]
    assert len(now) + len(kept) + len(again) == step * (3 + step + 1)
    counted = np.vectorize(lambda text: int("".join(filter(str.isdigit, text.split(": ")[-1])) or 0))
    counts = counted(np.array(cells.customdata))
    assert counts[kinds == 0].sum() == multiplications(OURS, step, with_cache=True)
    assert counts.sum() == multiplications(OURS, step, with_cache=False)
    assert len({entry.marker.color for entry in key}) == 3
    assert not any("<b>" in label for label in (*figure.layout.xaxis.ticktext, *figure.layout.yaxis.ticktext))


def test_each_model_stands_at_its_parameters_and_tokens_with_its_name_beside_it() -> None:
    own = KnownModel("<i>ours", "", 176_519, 30_000)
    figure = drawn(model_sizes_figure(KNOWN, own))
    points = [trace for trace in figure.data if trace.mode == "markers"]
    assert [(*point.x, *point.y) for point in points] == [
        (each.tokens, each.parameters) for each in (own, *KNOWN)
    ]
    names = [note for note in figure.layout.annotations if note.showarrow is None and note.xshift]
    for name, point in zip(names, points, strict=True):
        assert (name.x, name.y) == pytest.approx((math.log10(point.x[0]), math.log10(point.y[0])))
    assert "<i>" not in names[0].text


def test_along_a_dashed_line_the_compute_is_the_same() -> None:
    figure = drawn(model_sizes_figure(KNOWN, KnownModel("ours", "", 1e5, 1e5)))
    for trace in figure.data:
        if trace.mode == "lines":
            compute = 6 * np.array(trace.x) * np.array(trace.y)
            assert compute[0] == pytest.approx(compute[-1])
            assert math.log10(compute[0]) == pytest.approx(round(math.log10(compute[0])))


@pytest.mark.parametrize(("query_at", "key_at"), [(0, 0), (7, 3), (14, 10), (3, 7)])
def test_the_marked_score_is_that_of_the_two_arrows(query_at: int, key_at: int) -> None:
    arrows, scores = map(drawn, rotation_figures(query_at, key_at))
    query, key = (arrows.data[place] for place in (1, 3))
    product = query.x[1] * key.x[1] + query.y[1] * key.y[1]
    curve, dot = scores.data
    assert (dot.x[0], dot.y[0]) == (query_at - key_at, pytest.approx(product, abs=1e-5))
    assert dict(zip(curve.x, curve.y, strict=True))[query_at - key_at] == pytest.approx(dot.y[0], abs=1e-5)
    assert all(math.hypot(arrow.x[1], arrow.y[1]) == pytest.approx(1, abs=1e-5) for arrow in arrows.data)
