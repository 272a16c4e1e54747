import pytest

from core.figures.score_scale import WIDTHS, score_scale_figure, score_scale_info
from core.theory.score_scale import score_scale
from tests.figures.drawn import drawn


def test_figure_marks_the_chosen_width() -> None:
    chosen = score_scale(16)
    figure = drawn(score_scale_figure(score_scale_info(16)))
    assert figure.data[0].x == WIDTHS
    assert figure.data[0].y == tuple(score_scale(width).raw_entropy for width in WIDTHS)
    assert figure.data[1].x == (16,)
    assert figure.data[1].y == (chosen.raw_entropy,)
    assert figure.data[5].y == pytest.approx(sorted(chosen.scaled_weights, reverse=True))
