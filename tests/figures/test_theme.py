import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.figures import theme
from core.figures.architecture import PART_COLORS
from core.figures.heatmap import heatmap
from core.figures.number_tables import HEAD_COLORS
from tests.figures.drawn import PAGES, READABLE, contrast, mixed


def test_larger_letters_are_those_of_titles_and_axes_and_need_no_more_height() -> None:
    figure = theme.plain_figure([{"type": "scatter", "y": [1, 2]}])
    usual, larger = (
        go.Figure(theme.themed(figure, "light", letters=letters)).layout.template.layout
        for letters in (1.0, 1.2)
    )
    assert larger.xaxis.tickfont.size == pytest.approx(1.2 * theme.TICK_SIZE)
    assert larger.yaxis.title.font.size == pytest.approx(1.2 * theme.FONT_SIZE)
    of_labels, of_title = (1.2 - 1) * theme.TICK_SIZE, (1.2 - 1) * theme.FONT_SIZE
    assert larger.xaxis.title.standoff + of_labels + of_title <= usual.xaxis.title.standoff


@pytest.mark.parametrize(("columns", "size"), [(8, 1.2 * theme.TICK_SIZE), (9, theme.TICK_SIZE)])
def test_letters_grow_in_wide_cells_alone(columns: int, size: float) -> None:
    figure = heatmap([[0.5] * columns], [""], [""] * columns, texts=".1f")
    shown = theme.themed(figure, "light", letters=1.2)
    assert shown["data"][0]["textfont"]["size"] == pytest.approx(size)
    assert figure["data"][0]["textfont"]["size"] == theme.TICK_SIZE  # it may be drawn as usual next


@given(st.integers(0, 300), st.integers(1, 50))
def test_tick_positions_are_even_begin_at_0_and_are_not_too_many(count: int, most: int) -> None:
    positions = list(theme.tick_positions(count, most))
    assert len(positions) <= most
    assert positions[:1] == ([0] if count else [])
    assert count > most or positions == list(range(count))


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
