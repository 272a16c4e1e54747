from __future__ import annotations

from core.figures.color_bar import color_axis
from core.figures.heatmap import heatmap_info, heatmap_trace
from core.figures.label_fit import SCREEN
from core.figures.panels import Panel, panel_figures
from tests.figures.drawn import drawn

INFO = heatmap_info([[1.0, 2.0]], ["r"], ["<a>", "b"], row_title="looks", column_title="is looked at")
TRACE = heatmap_trace(INFO.values, INFO.hover)
COLORS = color_axis((0.0, 1.0), "below")


def test_the_height_is_what_a_panel_needs_and_the_last_has_room_for_the_bar() -> None:
    """By hand: 34 for the title, 100 for the cells, 62 below them, 60 for the bar."""
    panels = [Panel(title, TRACE, INFO) for title in ("a", "<b>")]
    first, last = map(drawn, panel_figures(panels, 100, 20, COLORS, upright=False))
    assert (first.layout.height, last.layout.height) == (34 + 100 + 62, 34 + 100 + 62 + 60)
    assert [figure.layout.annotations[0].text for figure in (first, last)] == ["a", "&lt;b&gt;"]
    assert [figure.layout.coloraxis.showscale for figure in (first, last)] == [False, True]


def test_one_panel_without_a_title() -> None:
    (figure,) = panel_figures([Panel("", TRACE, INFO)], 100, 20, COLORS, upright=False)
    assert figure["layout"]["height"] == 12 + 100 + 62 + 60
    assert figure["layout"]["annotations"] == []


def test_every_panel_has_its_labels_for_it_may_stand_alone_in_its_line() -> None:
    for figure in panel_figures([Panel("a", TRACE, INFO)] * 2, 100, 20, COLORS, upright=True):
        axes = drawn(figure).layout
        assert (axes.yaxis.title.text, axes.xaxis.title.text) == ("looks", "is looked at")
        assert axes.xaxis.ticktext == ("&lt;a&gt;", "b")
        assert axes.yaxis.range == (0.5, -0.5)  # row 0 on top
        assert axes.xaxis.tickangle == -90


def test_the_least_width_has_room_for_labels_and_columns_and_never_exceeds_a_screen() -> None:
    def width(column: float) -> int:
        (figure,) = panel_figures([Panel("", TRACE, INFO)], 100, column, COLORS, upright=False)
        return figure["layout"]["meta"]["min_width"]

    assert width(60) == 9 + 40 + 2 * 60  # a letter of 8.5 pixels, the title of the rows, two columns
    assert width(5000) == SCREEN
    assert width(1) == 160  # two of the smallest fit a phone


def test_labels_above_push_all_cells_and_titles_by_the_longest() -> None:
    """By hand: a title of 34, an edge of 24 and a label of 4 · 8.5."""
    short, long = (heatmap_info([[1.0]], ["r"], [name]) for name in ("a", "long"))
    panels = [Panel("t", heatmap_trace(info.values, info.hover), info) for info in (short, long)]
    for figure in map(drawn, panel_figures(panels, 100, 20, COLORS, upright=True, columns_above=True)):
        assert figure.layout.xaxis.side == "top"
        assert figure.layout.margin.t == 34 + 24 + 34
        assert figure.layout.annotations[0].yshift == 24 + 34
