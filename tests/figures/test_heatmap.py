import math
from typing import Any

import numpy as np
import pytest

from core.figures import theme
from core.figures.heatmap import color_axis, heatmap, number_texts, signed_axis
from tests.figures.drawn import drawn


def blank(rows: list[str], columns: list[str], **options: Any) -> Any:
    return drawn(heatmap(np.zeros((len(rows), len(columns))), rows, columns, **options))


def test_known_values_at_known_cells_and_row_0_on_top() -> None:
    """A word that is there twice keeps its own rows: positions, not categories."""
    figure = drawn(
        heatmap(
            [[0.5, math.nan], [0.25, 1.0]],
            ["je", "je"],
            ["a", "b"],
            row_title="rows",
            column_title="columns",
            hover="{row} to {column}: {value:.1f}",
            texts=".2f",
            colors=color_axis((0.0, 2.0)),
        )
    )
    (cells,) = figure.data
    assert [list(row) for row in cells.z] == [[0.5, None], [0.25, 1.0]]
    assert [list(row) for row in cells.customdata] == [["je to a: 0.5", ""], ["je to a: 0.2", "je to b: 1.0"]]
    assert ">1.00<" in cells.text[1][1] and cells.text[0][1] == ""
    assert (figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext) == ((0, 1), ("je", "je"))
    assert (figure.layout.yaxis.range, figure.layout.xaxis.range) == ((1.5, -0.5), (-0.5, 1.5))
    assert (figure.layout.yaxis.title.text, figure.layout.xaxis.title.text) == ("rows", "columns")
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 2)


def test_numbers_can_be_read_on_both_scales_and_zero_has_no_minus() -> None:
    plain = number_texts([[0.1, 0.9]], ".1f", color_axis((0.0, 1.0)))[0]
    assert [theme.WHITE in plain[0], theme.BLACK in plain[1]] == [True, True]
    signed = number_texts([[-1.0, -0.001]], ".1f", signed_axis(1.0))[0]
    assert theme.WHITE in signed[0] and theme.BLACK in signed[1]
    assert ">0.0<" in signed[1]


def test_labels_with_braces_are_data() -> None:
    assert blank(["{value}"], ["{0}"]).data[0].customdata[0][0] == "{value}, {0}: 0.00"


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(2, 1\), as there are labels\. Received: \(1, 2\)"):
        heatmap([[1, 2]], ["a", "b"], ["c"])


def test_tokens_are_text_and_not_markup() -> None:
    figure = blank(["<" * 20], ["&amp;"], row_title="<i>", column_title="a<b", title="x<y")
    assert figure.layout.yaxis.ticktext == ("&lt;" * 13 + "…",)  # shortened before it is escaped
    assert figure.layout.xaxis.ticktext == ("&amp;amp;",)
    assert figure.data[0].customdata[0][0] == "&lt;" * 20 + ", &amp;amp;: 0.00"  # whole in hover
    assert figure.layout.title.text == "x&lt;y"
    assert figure.layout.yaxis.title.text == "&lt;i&gt;"
    assert figure.layout.xaxis.title.text == "a&lt;b"


def test_a_hundred_by_a_hundred_writes_every_second_label() -> None:
    labels = [f"token{index}" for index in range(100)]
    figure = blank(labels, labels)
    assert figure.layout.xaxis.tickvals[:3] == (0, 2, 4)
    assert figure.layout.xaxis.ticktext[1] == "token2"
    assert 50 * 18 <= figure.layout.height <= 1400  # pixels: each written label has room, no more
    assert figure.data[0].customdata[99][99] == "token99, token99: 0.00"


def test_column_labels_above_leave_the_title_its_own_line_and_the_figure_its_height() -> None:
    """Plotly makes room for a title only where the margin has none, so the margin must be less than a line."""
    below, above = (
        blank(["je"] * 12, ["a", "b"], title="t", columns_above=up).layout for up in (False, True)
    )
    assert (below.xaxis.side, above.xaxis.side) == (None, "top")
    assert above.height == below.height
    assert above.title.automargin and above.title.yref == "container"
    assert above.margin.t < theme.FONT_SIZE


def test_nothing_to_show() -> None:
    figure = blank([], [])
    assert not figure.data
    assert figure.layout.annotations[0].text == "Nothing to show yet"
