"""The figures of the page that shows what a model computes."""

from __future__ import annotations

import numpy as np
import pytest

from core.figures import theme
from core.figures.contributions import contributions_figure, contributions_info
from core.figures.head_costs import head_colors, head_costs_figures, head_costs_info
from core.figures.head_map import head_map_figure, head_map_info
from core.figures.lens import LensInfo, lens_figure, lens_info
from core.figures.patching import patching_figures, patching_info
from tests.figures.drawn import drawn


def lens(tokens: int = 2) -> LensInfo:
    return lens_info(
        ["the", "<b>"][:tokens],
        [["a", "b"][:tokens], ["the", "x"][:tokens], ["the", "<b>"][:tokens]],
        np.array([[0.5, 0.4], [0.6, 0.3], [0.9, 0.8]])[:, :tokens],
        np.array([[0.1, 0.05], [0.6, 0.1], [0.9, 0.8]])[:, :tokens],
        np.array([[7, 1200], [1, 2], [1, 1]])[:, :tokens],
        "decoder layer",
    )


def test_lens_info() -> None:
    info = lens()
    assert info.heatmap.row_labels == ("1. the", "2. <b>")
    assert info.heatmap.column_labels == ("0", "1", "2 = output")
    assert info.heatmap.values == ((0.1, 0.6, 0.9), (0.05, 0.1, 0.8))
    assert info.is_final == ((False, True, True), (False, False, True))
    assert info.heatmap.hover[1][0] == "after layer 0: “b” 40.0%; “<b>”, which was written: 5.0%, rank 1,200"


def test_lens_figure_writes_words_into_cells_and_escapes_them() -> None:
    figure = drawn(lens_figure(lens()))
    assert "<b>the</b> 60%" in figure.data[0].text[0][1]
    assert "a 50%" in figure.data[0].text[0][0]
    assert "<b>&lt;b&gt;</b> 80%" in figure.data[0].text[1][2]
    assert drawn(lens_figure(lens(0))).layout.annotations[0].text == "Nothing to show yet"


def test_head_costs() -> None:
    costs = np.zeros((3, 1, 2), np.float32)
    costs[2, 0] = [0.5, -0.25]
    info = head_costs_info(costs, off={("cross", 0, 1)})
    assert info.highest == 0.5
    assert info.panels["cross"].hover[0][0].endswith("without it log P falls by 0.500 nats per token")
    encoder, _, cross = map(drawn, head_costs_figures(info))
    assert cross.data[0].text[0][1].startswith("✕ ")
    assert ">0.00<" in encoder.data[0].text[0][0]
    assert cross.layout.coloraxis.cmin == -0.5
    colors = head_colors(costs)
    assert colors[2][0].background == "rgb(213, 94, 0)"  # the end of the scale
    assert colors[0][0].background == "rgb(237, 237, 237)"
    assert colors[0][0].text == theme.BLACK


def test_contributions() -> None:
    values = np.array([[0.7, 0.3, np.nan], [0.2, 0.4, 0.4]], np.float32)
    info = contributions_info(
        ["a", "b"],
        ["x"],
        ["[START]", "a"],
        values,
        np.array([0.7, 0.2], np.float32),
        {1},
    )
    assert info.values[0][2] is None
    assert info.hover[1][2] == "“b” from “a”: 40.0%"
    assert info.source_share == pytest.approx((0.7, 0.2))
    figure = drawn(contributions_figure(info))
    assert list(figure.layout.yaxis.ticktext) == ["a", "⚠ b"]
    assert figure.data[0].x == pytest.approx((0.7, 0.2))
    assert figure.data[1].x == pytest.approx((0.3, 0.8))
    assert figure.data[0].marker.color == (theme.BLUE, theme.VERMILLION)
    assert figure.layout.shapes[0].x0 == 0.5
    empty = contributions_info([], [], [], np.zeros((0, 0), np.float32), np.zeros(0, np.float32))
    assert drawn(contributions_figure(empty)).layout.annotations[0].text == "Nothing to show yet"


def test_patching() -> None:
    encoder = np.array([[1.0, 0.0], [0.5, -0.001]], np.float32)
    info = patching_info(encoder, encoder[:, :1], ["ele", "diz"], ["ela", "diz"], ["[START]"])
    assert info.encoder.row_labels == ("layer 1", "embedding")  # the output on top
    assert info.encoder.column_labels == ("ele→ela", "diz")
    first, second = map(drawn, patching_figures(info))
    assert ">50<" in first.data[0].text[0][0]
    assert ">0<" in first.data[0].text[0][1]  # not -0
    assert second.layout.coloraxis.showscale


def test_numbers_of_heads_are_black_on_bright_and_white_on_dark() -> None:
    info = head_map_info(np.array([[1.0, 2.0]]), "entropy", (0.0, 3.0))
    (trace,) = head_map_figure(info, "Entropy")["data"]
    dark, bright = trace["text"][0]
    assert (theme.WHITE in dark, theme.BLACK in bright) == (True, True)
