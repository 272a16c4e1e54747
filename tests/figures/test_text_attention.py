"""The maps of a translator and of a decoder alone side by side."""

import numpy as np

from core.figures.plotly.attention import small_maps_figure
from core.figures.plotly.text_attention import head_figure
from core.interpretability.attention_view import AttentionOptions, read_attention
from tests.figures.drawn import drawn
from tests.figures.records import small_record

CROSS = read_attention(small_record(3), AttentionOptions())["cross"]
OWN = read_attention(small_record(2), AttentionOptions())["decoder"]


def test_every_head_of_both_models_can_be_clicked_and_the_chosen_ones_are_framed() -> None:
    figure = drawn(small_maps_figure({"theirs": (CROSS, "3.mean"), "own": (OWN, "1.1")}, 400))
    clicks = [click for trace in figure.data if trace.type == "scatter" for click in trace.customdata]
    assert clicks == [f"theirs {head}" for head in CROSS.ids] + [f"own {head}" for head in OWN.ids]
    framed = [(shape.xref, int(shape.x0), int(shape.y0)) for shape in figure.layout.shapes]
    assert framed == [("x", CROSS.place("3.mean")[1], 2), ("x2", 0, 0)]


def test_small_maps_of_two_models_have_rows_of_one_height_and_do_not_overlap() -> None:
    layout = drawn(small_maps_figure({"theirs": (CROSS, "1.1"), "own": (OWN, "1.1")}, 400)).layout
    theirs, own = layout.yaxis.domain, layout.yaxis2.domain
    assert theirs[1] == 1 and own[0] < own[1] < theirs[0]
    np.testing.assert_allclose((theirs[1] - theirs[0]) / 3, (own[1] - own[0]) / 2)


def test_the_block_left_of_and_below_the_separator_is_framed() -> None:
    figure = drawn(head_figure(OWN, "2.1", border=1))
    np.testing.assert_allclose(
        np.array(figure.data[0].z, np.float64), OWN.weights[OWN.place("2.1")], atol=1e-6
    )
    (block,) = (shape for shape in figure.layout.shapes if shape.type == "rect")
    assert (block.x0, block.x1, block.y0, block.y1) == (0.5, 0.5, 0.5, len(OWN.rows) - 0.5)
    assert not drawn(head_figure(CROSS, "1.1")).layout.shapes
