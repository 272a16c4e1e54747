"""Lines and bars: lengths, schedules and curves of a training, what softmax makes of scores; and a QR code."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from core.figures.paper import QUIET_ZONE, qr_svg
from core.figures.softmax import WIDTHS, fuzzy_dictionary_figure, score_scale_figure
from core.figures.training import MAX_POINTS, lengths_figure, schedule_figure, training_curves_figure
from core.records import EpochReport, StepReport
from core.theory.schedule import Schedule
from core.theory.score_scale import score_scale
from tests.figures.drawn import drawn

PAPER = Schedule("warmup", d_model=512, warmup_steps=4000)


def reports(count: int, steps_an_epoch: int = 2) -> list[StepReport]:
    return [
        StepReport(step, (step - 1) // steps_an_epoch + 1, 4.0 / step, step / count, 0.001, False)
        for step in range(1, count + 1)
    ]


def epochs(count: int, steps_an_epoch: int = 2) -> list[EpochReport]:
    """Those that so many steps finish."""
    return [
        EpochReport(number, number * steps_an_epoch, 8.0 / number, number / 100, 0.001, 1.0)
        for number in range(1, count // steps_an_epoch + 1)
    ]


def test_each_measure_has_a_panel_over_one_axis_of_steps() -> None:
    figure = drawn(training_curves_figure(reports(40), epochs(40)))
    assert [trace.yaxis for trace in figure.data] == ["y", "y", "y2", "y2", "y3"]
    assert figure.data[0].y == tuple(4.0 / step for step in range(1, 41))
    assert figure.data[1].x == tuple(range(2, 41, 2))
    assert figure.data[0].customdata[:4] == (1, 1, 2, 2)  # epochs


def test_long_runs_are_thinned() -> None:
    for trace in training_curves_figure(reports(10_000, 10), epochs(10_000, 10))["data"]:
        assert len(trace["x"]) == MAX_POINTS
        assert trace["x"][0] in (1, 10) and trace["x"][-1] == 10_000


def test_held_out_pairs_and_the_training_before_have_lines_of_their_own() -> None:
    judged = [replace(epoch, validation_loss=2.0, validation_accuracy=0.25) for epoch in epochs(4)]
    figure = drawn(training_curves_figure(reports(4), judged, epochs(2)))
    lines = {(trace.name, trace.yaxis): trace for trace in figure.data}
    assert lines["held-out pairs", "y"].y == (2.0, 2.0)
    assert lines["the previous training", "y"].y == (8.0,)
    assert len({trace.line.dash for trace in figure.data if trace.yaxis == "y"}) == 3


def test_one_step_is_visible_and_a_live_redraw_keeps_the_zoom() -> None:
    early, late = (drawn(training_curves_figure(reports(count), epochs(count))) for count in (1, 8))
    assert early.data[0].mode == "lines+markers"
    assert early.layout.uirevision == late.layout.uirevision is not None


def test_a_schedule_has_its_peak_marked() -> None:
    figure = drawn(schedule_figure([PAPER], total_steps=20_000))
    assert figure.layout.annotations[0].text == "<b>step 4,000: 0.000699</b>"
    curve, peak = figure.data
    assert (peak.x, peak.y) == ((4000,), (pytest.approx((512 * 4000) ** -0.5),))
    assert max(curve.y) == peak.y[0]
    endless = Schedule("linear", d_model=1, warmup_steps=0, rate=1.0)
    curve, peak = drawn(schedule_figure([endless], 10**7)).data
    assert max(curve.y) == peak.y[0] and len(curve.x) <= 303


def test_no_two_schedules_look_alike() -> None:
    kept = [Schedule("constant", rate=rate / 10) for rate in range(1, 6)]
    *lines, _ = drawn(schedule_figure([PAPER, *kept], 100)).data
    assert len({(line.line.color, line.line.dash) for line in lines}) == 6


def test_each_length_is_counted_and_the_longest_marked() -> None:
    figure = drawn(lengths_figure({"source": [1, 2, 2, 4], "target": [3]}, "words"))
    assert [trace.y for trace in figure.data] == [(0, 1, 2, 0, 1), (0, 0, 0, 1, 0)]
    assert [note.text for note in figure.layout.annotations] == ["longest source: 4", "longest target: 3"]
    for longest, first in ((29, "0"), (30, "0–1"), (60, "0–4"), (336, "0–19")):  # as people count
        (bars,) = lengths_figure({"source": [longest]})["data"]
        assert (bars["customdata"][0], bars["y"][-1]) == (first, 1)


def test_a_soft_lookup_has_a_bar_for_each_key_and_the_chosen_width_is_marked() -> None:
    figure = drawn(fuzzy_dictionary_figure(72, [0.0, 0.1, 0.4, 0.5]))
    assert (figure.data[0].x, figure.data[0].y) == ((5, 32, 58, 84), (0.0, 0.1, 0.4, 0.5))
    assert figure.data[0].text[1] == "<b>hen</b><br>10% × 2"
    assert figure.layout.shapes[0].x0 == 72
    chosen = score_scale(16)
    figure = drawn(score_scale_figure(chosen))
    assert figure.data[0].y == tuple(score_scale(width).raw_entropy for width in WIDTHS)
    assert (figure.data[1].x, figure.data[1].y) == ((16,), (chosen.raw_entropy,))
    assert figure.data[5].y == pytest.approx(sorted(chosen.scaled_weights, reverse=True))


def test_a_qr_code_is_dark_on_white_and_fills_its_place() -> None:
    svg = qr_svg("https://class.example/masks?masks=causal")
    assert re.findall(r'viewBox="([^"]*)"', svg) == [f"0 0 {29 + 2 * QUIET_ZONE} {29 + 2 * QUIET_ZONE}"]
    colors = {color.lower() for color in re.findall(r'(?:fill|stroke)="([^"]*)"', svg)}
    assert colors <= {"#fff", "#ffffff", "#000", "#000000"}
    assert "width=" not in svg and "https://" not in svg  # what it says does not stand in it as text
