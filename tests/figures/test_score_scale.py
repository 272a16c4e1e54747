from core.figures.score_scale import WIDTHS, score_scale_figure, score_scale_info
from core.theory.score_scale import score_scale
from tests.figures.drawn import drawn


def test_info() -> None:
    info = score_scale_info(64)
    chosen = score_scale(64)
    assert (info.raw_entropy, info.scaled_entropy) == (chosen.raw_entropy, chosen.scaled_entropy)
    assert info.raw_entropies[WIDTHS.index(64)] == info.raw_entropy
    assert info.scaled_entropies[0] == info.raw_entropies[0]
    assert info.raw_weights == tuple(sorted(chosen.raw_weights.tolist(), reverse=True))
    assert info.raw_weights[0] > info.scaled_weights[0]


def test_figure_marks_the_chosen_width() -> None:
    info = score_scale_info(16)
    figure = drawn(score_scale_figure(info))
    assert figure.data[0].y == info.raw_entropies
    assert (figure.data[1].x, figure.data[1].y) == ((16,), (info.raw_entropy,))
    assert figure.data[5].y == info.scaled_weights
    assert drawn(score_scale_figure(score_scale_info(1))).data
