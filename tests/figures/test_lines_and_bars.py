"""The theme, lines and bars: a training's lengths, schedules and curves, what softmax makes of scores; a QR code."""

import pytest

from core.figures import theme
from core.figures.html.number_tables import HEAD_COLORS
from core.figures.plotly.softmax import WIDTHS, fuzzy_dictionary_figure, score_scale_figure
from core.figures.plotly.training import MAX_POINTS, lengths_figure, schedule_figure, training_curves_figure
from core.figures.svg.architecture import PART_COLORS
from core.records.training import StepReport
from core.theory.schedule import Schedule
from core.theory.score_scale import score_scale
from tests.figures.drawn import PAGES, READABLE, contrast, drawn, mixed

PAPER = Schedule("warmup", d_model=512, warmup_steps=4000)


def reports(count: int) -> list[StepReport]:
    """Return the reports of a training with two steps per epoch."""
    steps = range(1, count + 1)
    return [StepReport(step, (step + 1) // 2, 4.0 / step, step / count, 0.001, False) for step in steps]


def test_each_measure_has_a_panel_over_one_axis_of_steps() -> None:
    figure = drawn(training_curves_figure(reports(40)))
    assert figure.data[0].y == tuple(4.0 / step for step in range(1, 41))
    assert figure.data[0].customdata[:4] == (1, 1, 2, 2)  # epochs
    for trace in training_curves_figure(reports(2_000))["data"]:
        assert len(trace["x"]) == MAX_POINTS
        assert trace["x"][0] == 1 and trace["x"][-1] == 2_000


def test_a_schedule_has_its_peak_marked() -> None:
    figure = drawn(schedule_figure([PAPER], total_steps=20_000))
    curve, peak = figure.data
    assert (peak.x, peak.y) == ((4000,), (pytest.approx((512 * 4000) ** -0.5),))
    assert max(curve.y) == peak.y[0]
    endless = Schedule("linear", d_model=1, warmup_steps=0, rate=1.0)
    curve, peak = drawn(schedule_figure([endless], 10**7)).data
    assert max(curve.y) == peak.y[0] and len(curve.x) <= 303


def test_each_length_is_counted_and_the_longest_marked() -> None:
    figure = drawn(lengths_figure({"source": [1, 2, 2, 4], "target": [3]}, "words"))
    assert [trace.y for trace in figure.data] == [(0, 1, 2, 0, 1), (0, 0, 0, 1, 0)]
    for longest, first in ((29, "0"), (30, "0–1"), (60, "0–4"), (336, "0–19")):  # as people count
        (bars,) = lengths_figure({"source": [longest]})["data"]
        assert (bars["customdata"][0], bars["y"][-1]) == (first, 1)


def test_a_soft_lookup_has_a_bar_for_each_key_and_the_chosen_width_is_marked() -> None:
    figure = drawn(fuzzy_dictionary_figure(72, [0.0, 0.1, 0.4, 0.5]))
    assert (figure.data[0].x, figure.data[0].y) == ((5, 32, 58, 84), (0.0, 0.1, 0.4, 0.5))
    chosen = score_scale(16)
    figure = drawn(score_scale_figure(chosen))
    assert figure.data[0].y == tuple(score_scale(width).raw.entropy for width in WIDTHS)
    assert (figure.data[1].x, figure.data[1].y) == ((16,), (chosen.raw.entropy,))
    assert figure.data[5].y == pytest.approx(sorted(chosen.scaled.first, reverse=True))


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_what_is_said_on_a_color_can_be_read(mode: theme.Mode) -> None:
    """On the boxes of a drawing, pressed or not, and in the cells of tables, which let the page shine through."""
    drawn_on = theme.themed(theme.plain_figure([]), mode)["layout"]["template"]["layout"]
    text, page = drawn_on["font"]["color"], PAGES[mode]
    for color in (*PART_COLORS.values(), *HEAD_COLORS):
        for opacity in (0.14, 0x2E / 255, 0.2, 0x44 / 255, 0.5):
            assert contrast(text, mixed(color, page, opacity)) >= READABLE
    assert contrast(mixed(text, page, 0.7), page) >= READABLE  # a pale cell's
    assert contrast(theme.WHITE, theme.DARK_VERMILLION) >= READABLE
