from __future__ import annotations

from core.figures.heatmap import heatmap_info
from core.figures.panels import label_panel, panels_figure, room_for_columns

INFO = heatmap_info([[1.0, 2.0]], ["r"], ["<a>", "b"], row_title="looks", column_title="is looked at")


def test_places_go_row_by_row_and_the_height_is_what_all_need() -> None:
    """By hand: 34 for the first line of titles, 100 a panel, 62 below it and 34 for the next title, 60 at the foot."""
    figure, places = panels_figure(["a", "b", "<c>"], across=2, panel=100, below=62)
    assert places == ({"row": 1, "col": 1}, {"row": 1, "col": 2}, {"row": 2, "col": 1})
    assert figure.layout.height == 34 + 100 + (62 + 34) + 100 + 62 + 60
    assert [title.text for title in figure.layout.annotations] == ["a", "b", "&lt;c&gt;"]
    # Of the 296 pixels of panels and gap, each panel has its 100.
    low, high = figure.layout.yaxis.domain
    assert abs((high - low) * 296 - 100) < 0.01


def test_one_panel_without_a_title() -> None:
    figure, places = panels_figure([""], across=1, panel=100, below=62)
    assert places == ({"row": 1, "col": 1},)
    assert figure.layout.height == 12 + 100 + 62 + 60


def test_rows_are_labelled_in_the_first_of_a_line_alone() -> None:
    figure, places = panels_figure(["a", "b"], across=2, panel=100, below=62)
    for place in places:
        label_panel(figure, INFO, place, upright=place["col"] == 2)
    assert [axis.showticklabels for axis in (figure.layout.yaxis, figure.layout.yaxis2)] == [True, False]
    assert [axis.title.text for axis in (figure.layout.yaxis, figure.layout.yaxis2)] == ["looks", ""]
    assert [axis.title.text for axis in (figure.layout.xaxis, figure.layout.xaxis2)] == ["is looked at"] * 2
    assert [axis.tickangle for axis in (figure.layout.xaxis, figure.layout.xaxis2)] == [0, -90]
    assert figure.layout.xaxis.ticktext == ("&lt;a&gt;", "b")


def test_room_for_columns() -> None:
    assert room_for_columns(["ab"]) == 46 + 16
    assert room_for_columns(["a" * 99], upright=True) == 46 + 119  # fourteen letters of 8.5 pixels
