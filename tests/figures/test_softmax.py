import pytest

from core.figures.softmax import WIDTHS, fuzzy_dictionary_figure, score_scale_figure
from core.theory.score_scale import score_scale
from tests.figures.drawn import drawn


def test_a_soft_lookup_has_a_bar_for_each_key() -> None:
    figure = drawn(fuzzy_dictionary_figure(72, [0.0, 0.1, 0.4, 0.5]))
    assert figure.data[0].x == (5, 32, 58, 84)
    assert figure.data[0].y == (0.0, 0.1, 0.4, 0.5)
    assert figure.data[0].text[1] == "<b>hen</b><br>10% × 2"
    assert figure.layout.shapes[0].x0 == 72


def test_the_chosen_width_is_marked() -> None:
    chosen = score_scale(16)
    figure = drawn(score_scale_figure(chosen))
    assert figure.data[0].x == WIDTHS
    assert figure.data[0].y == tuple(score_scale(width).raw_entropy for width in WIDTHS)
    assert (figure.data[1].x, figure.data[1].y) == ((16,), (chosen.raw_entropy,))
    assert figure.data[5].y == pytest.approx(sorted(chosen.scaled_weights, reverse=True))
