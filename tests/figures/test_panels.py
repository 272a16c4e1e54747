from __future__ import annotations

from core.figures.heatmap import color_axis, heatmap, side_by_side
from core.figures.label_fit import SCREEN
from tests.figures.drawn import drawn

COLORS = color_axis((0.0, 1.0), "below")
FIGURE = heatmap(
    [[1.0, 2.0]], ["r"], ["<a>", "b"], row_title="looks", column_title="is looked at", colors=COLORS
)


def test_the_height_is_what_a_panel_needs_and_the_last_has_room_for_the_bar() -> None:
    """By hand: 34 for the title, 100 for the cells, 62 below them, 60 for the bar."""
    first, last = map(drawn, side_by_side(("a", "<b>"), [FIGURE] * 2, 100))
    assert (first.layout.height, last.layout.height) == (34 + 100 + 62, 34 + 100 + 62 + 60)
    assert [figure.layout.annotations[0].text for figure in (first, last)] == ["a", "&lt;b&gt;"]
    assert [figure.layout.coloraxis.showscale for figure in (first, last)] == [False, True]
    for layout in (first.layout, last.layout):  # each may stand alone in its line
        assert (layout.yaxis.title.text, layout.xaxis.title.text) == ("looks", "is looked at")
        assert layout.xaxis.ticktext == ("&lt;a&gt;", "b")


def test_the_least_width_has_room_for_labels_and_columns_and_never_exceeds_a_screen() -> None:
    def width(column: float) -> int:
        (figure,) = side_by_side([""], [FIGURE], 100, column)
        return figure["layout"]["meta"]["min_width"]

    assert width(60) == 9 + 40 + 2 * 60  # a letter of 8.5 pixels, the title of the rows, two columns
    assert width(5000) == SCREEN
    assert width(1) == 160  # two of the smallest fit a phone


def test_labels_above_push_all_cells_and_titles_by_the_longest() -> None:
    """By hand: a title of 34, an edge of 24 and a label of 4 · 8.5."""
    figures = [heatmap([[1.0]], ["r"], [name], columns_above=True) for name in ("a", "long")]
    for figure in map(drawn, side_by_side(("t", "t"), figures, 100, upright=True)):
        assert figure.layout.xaxis.side == "top"
        assert figure.layout.xaxis.tickangle == -90
        assert figure.layout.margin.t == 34 + 24 + 34
        assert figure.layout.annotations[0].yshift == 24 + 34
