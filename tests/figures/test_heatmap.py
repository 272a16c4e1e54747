import math
from typing import Any

import numpy as np
import pytest

from core.figures import theme
from core.figures.heatmap import HeatmapInfo, heatmap_figure, heatmap_info
from tests.figures.drawn import drawn


def info_of(rows: list[str], columns: list[str], **options: Any) -> HeatmapInfo:
    return heatmap_info(np.zeros((len(rows), len(columns))), rows, columns, **options)


def test_info() -> None:
    assert heatmap_info(
        [[0.5, math.nan], [0.25, 1.0]],
        ["je", "je"],
        ["a", "b"],
        row_title="rows",
        column_title="columns",
        hover_format="{row} to {column}: {value:.1f}",
        color_range=(0.0, 2.0),
    ) == HeatmapInfo(
        values=((0.5, None), (0.25, 1.0)),
        row_labels=("je", "je"),
        column_labels=("a", "b"),
        hover=(("je to a: 0.5", ""), ("je to a: 0.2", "je to b: 1.0")),
        row_title="rows",
        column_title="columns",
        color_range=(0.0, 2.0),
    )


def test_labels_with_braces_are_data() -> None:
    assert info_of(["{value}"], ["{0}"]).hover == (("{value}, {0}: 0.00",),)


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(2, 1\), as there are labels\. Received: \(1, 2\)"):
        heatmap_info([[1, 2]], ["a", "b"], ["c"])


def test_repeated_words_keep_their_own_rows_and_row_0_is_on_top() -> None:
    figure = drawn(heatmap_figure(info_of(["je", "je", "je"], ["a", "a"])))
    assert figure.layout.yaxis.tickvals == (0, 1, 2)
    assert figure.layout.yaxis.ticktext == ("je", "je", "je")
    assert figure.layout.yaxis.range == (2.5, -0.5)
    assert figure.layout.xaxis.range == (-0.5, 1.5)
    assert figure.data[0].x is None  # positions, not categories


def test_tokens_are_text_and_not_markup() -> None:
    figure = drawn(
        heatmap_figure(info_of(["<b>"], ["&amp;"], row_title="<i>", column_title="a<b"), title="x<y")
    )
    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;",)
    assert figure.layout.xaxis.ticktext == ("&amp;amp;",)
    assert figure.data[0].customdata[0][0] == "&lt;b&gt;, &amp;amp;: 0.00"
    assert figure.layout.title.text == "x&lt;y"
    assert figure.layout.yaxis.title.text == "&lt;i&gt;"
    assert figure.layout.xaxis.title.text == "a&lt;b"


def test_long_labels_are_shortened_on_the_axis_and_whole_in_hover() -> None:
    long = "internationalisation"
    figure = drawn(heatmap_figure(info_of([long], ["a"])))
    assert figure.layout.yaxis.ticktext == ("international…",)
    assert long in figure.data[0].customdata[0][0]


def test_shortening_comes_before_escaping() -> None:
    # The other way round would cut "&lt;" in two.
    assert drawn(heatmap_figure(info_of(["<" * 20], ["a"]))).layout.yaxis.ticktext == ("&lt;" * 13 + "…",)


def test_a_hundred_by_a_hundred_writes_every_second_label() -> None:
    labels = [f"token{index}" for index in range(100)]
    figure = drawn(heatmap_figure(info_of(labels, labels)))
    assert figure.layout.xaxis.tickvals[:3] == (0, 2, 4)
    assert figure.layout.xaxis.ticktext[1] == "token2"
    assert 50 * 18 <= figure.layout.height <= 1400  # pixels: each written label has room, no more
    assert figure.data[0].customdata[99][99] == "token99, token99: 0.00"


def test_column_labels_above_leave_the_title_its_own_line_and_the_figure_its_height() -> None:
    """Plotly makes room for a title only where the margin has none, so the margin must be less than a line."""
    info = info_of(["je"] * 12, ["a", "b"], column_title="key")
    below, above = (drawn(heatmap_figure(info, "t", columns_above=up)).layout for up in (False, True))
    assert (below.xaxis.side, above.xaxis.side) == (None, "top")
    assert above.height == below.height
    assert above.title.automargin and above.title.yref == "container"
    assert above.margin.t < theme.FONT_SIZE


def test_nothing_to_show() -> None:
    figure = drawn(heatmap_figure(info_of([], [])))
    assert not figure.data
    assert figure.layout.annotations[0].text == "Nothing to show yet"
