"""The theme, lines and bars: a training's lengths, schedules and curves, what softmax makes of scores; a QR code."""

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from core.figures import theme
from core.figures.plotly.heatmap import on_share
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
    for color in (*PART_COLORS.values(), *theme.SERIES):
        for opacity in (0.14, 0x2E / 255, 0.2, 0x44 / 255, 0.5):
            assert contrast(text, mixed(color, page, opacity)) >= READABLE
    assert contrast(mixed(text, page, 0.7), page) >= READABLE  # a pale cell's
    assert contrast(theme.WHITE, theme.DARK_VERMILLION) >= READABLE


# What a person with red-green blindness sees of linear red, green and blue (Machado et al. 2009, severity 1).
SEEN: dict[str, ArrayLike] = {
    "everyone": np.eye(3),
    "deuteranopia": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    "protanopia": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
}


def lightness(colors: NDArray[np.uint8], seen: ArrayLike) -> NDArray[np.float64]:
    """The L of OKLab (Ottosson 2020), from 0 to 1, of colors (N, 3) as somebody sees them."""
    shares = colors / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    cones = np.array([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]])
    return np.cbrt((linear @ np.transpose(seen)).clip(0, 1) @ cones.T) @ [0.2105, 0.7936, -0.0041]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_more_attention_is_stronger_for_every_eye_and_numbers_on_it_can_be_read(mode: theme.Mode) -> None:
    """Stronger is darker on a light page, and brighter on a dark one."""
    shares = np.linspace(0, 1, 41)
    colors = theme.colors_of(shares, theme.SHARES[mode])
    for who, seen in SEEN.items():
        steps = np.diff(lightness(colors, seen)) * (-1 if mode == "light" else 1)
        assert steps.min() > 0.004, who  # even in the faintest step
    steps = np.abs(np.diff(lightness(colors[::5], SEEN["everyone"])))
    assert steps.max() < 1.1 * steps.min()
    template = theme.themed(theme.plain_figure([]), mode)["layout"]["template"]
    own = template["data"]["heatmap"][0]["textfont"]["color"]
    for share, color in zip(shares, colors, strict=True):
        text = on_share("0.5", share)
        assert contrast(theme.WHITE if theme.WHITE in text else own, f"#{bytes(color).hex()}") >= READABLE
