"""The figures of the page that shows what a model computes."""

from __future__ import annotations

import numpy as np
import pytest

from core.figures import theme
from core.figures.model_inside import (
    contributions_figure,
    erasure_figure,
    head_colors,
    head_costs_figures,
    head_map_figure,
    lens_figure,
    padding_shares_figures,
    patching_figures,
)
from core.records import PaddingEffect
from tests.figures.drawn import drawn


def test_lens_writes_words_into_cells_and_escapes_them() -> None:
    figure = drawn(
        lens_figure(
            ["the", "<b>"],
            [["a", "b"], ["the", "x"], ["the", "<b>"]],
            np.array([[0.5, 0.4], [0.6, 0.3], [0.9, 0.8]]),
            np.array([[0.1, 0.05], [0.6, 0.1], [0.9, 0.8]]),
            np.array([[7, 1200], [1, 2], [1, 1]]),
            "decoder layer",
        )
    )
    (cells,) = figure.data
    assert figure.layout.yaxis.ticktext == ("1. the", "2. &lt;b&gt;")
    assert [list(row) for row in cells.z] == [[0.1, 0.6, 0.9], [0.05, 0.1, 0.8]]
    assert "<b>the</b> 60%" in cells.text[0][1]  # bold: it was written
    assert "<b>&lt;b&gt;</b> 80%" in cells.text[1][2]
    assert cells.customdata[1][0].endswith("“&lt;b&gt;”, which was written: 5.0%, rank 1,200")


def test_head_costs_have_the_colors_of_the_switches() -> None:
    costs = np.zeros((3, 1, 2), np.float32)
    costs[2, 0] = [0.5, -0.25]
    encoder, _, cross = map(drawn, head_costs_figures(costs, off={("cross", 0, 1)}))
    assert cross.data[0].customdata[0][0].endswith("without it log P falls by 0.500 nats per token")
    assert cross.data[0].text[0][1].startswith("✕ ")
    assert ">0.00<" in encoder.data[0].text[0][0]
    colors = head_colors(costs)
    assert colors[2][0].background == "rgb(213, 94, 0)"  # the end of the scale
    assert colors[0][0] == ("rgb(237, 237, 237)", theme.BLACK)
    (trace,) = head_map_figure(np.array([[1.0, 2.0]]), "entropy", "Entropy", (0.0, 3.0))["data"]
    assert theme.WHITE in trace["text"][0][0] and theme.BLACK in trace["text"][0][1]


def test_contributions() -> None:
    values = np.array([[0.7, 0.3, np.nan], [0.2, 0.4, 0.4]], np.float32)
    share = np.array([0.7, 0.2], np.float32)
    figure = drawn(contributions_figure(["a", "b"], ["x"], ["[START]", "a"], values, share, {1}))
    source, _, cells = figure.data
    assert cells.z[0][2] is None
    assert cells.customdata[1][2] == "“b” from “a”: 40.0%"
    assert list(figure.layout.yaxis.ticktext) == ["a", "⚠ b"]
    assert source.x == pytest.approx((0.7, 0.2))
    assert source.marker.color == (theme.BLUE, theme.VERMILLION)
    empty = contributions_figure([], [], [], np.zeros((0, 0), np.float32), np.zeros(0, np.float32))
    assert drawn(empty).layout.annotations[0].text == "Nothing to show yet"


def test_patching() -> None:
    encoder = np.array([[1.0, 0.0], [0.5, -0.001]], np.float32)
    figures = patching_figures(encoder, encoder[:, :1], ["ele", "diz"], ["ela", "diz"], ["[START]"])
    first, _ = map(drawn, figures)
    assert first.layout.yaxis.ticktext == ("layer 1", "embedding")  # the output on top
    assert first.layout.xaxis.ticktext == ("ele→ela", "diz")
    assert ">50<" in first.data[0].text[0][0] and ">0<" in first.data[0].text[0][1]  # not -0


def test_padding_shares_and_erasure() -> None:
    shares = np.array([[0.25, 0.75], [0.0, 1.0], [0.5, 0.5]], np.float32)
    effect = PaddingEffect(change=1.5, encoder_share=shares, cross_share=shares / np.float32(2), ids=(7, 3))
    encoder, cross = map(drawn, padding_shares_figures(effect))
    assert ">100<" in encoder.data[0].text[1][1]
    assert cross.data[0].customdata[0][0] == "layer 1, head 1: 12.5% of the attention goes to padding"
    erased = drawn(erasure_figure([0, 1], {"Raw": [0.0, -1.0], "By chance": [0.0, -0.5]}, "By chance"))
    assert [(trace.name, trace.line.dash) for trace in erased.data] == [
        ("Raw", "solid"),
        ("By chance", "dash"),
    ]
    assert erased.data[0].y == (0.0, -1.0)
