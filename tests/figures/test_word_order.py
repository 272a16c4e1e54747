import numpy as np

from core.figures.word_order import word_order_figures, word_order_info
from core.theory.untrained_head import read_words
from tests.figures.drawn import drawn

WORDS = ["the", "dog", "bites", "the", "man"]
ORDER = (3, 4, 2, 0, 1)


def test_info() -> None:
    info = word_order_info(WORDS, ORDER)
    assert info.shuffled == ("the", "man", "bites", "the", "dog")
    assert info.titles == (
        "Without positions, as written",
        "Without positions, shuffled",
        "With positions, as written",
        "With positions, shuffled",
    )
    assert np.array_equal(np.array(info.weights[3]), read_words(WORDS, ORDER, True)[1])
    assert np.allclose(np.array(info.weights[0]), np.array(info.weights[1]))
    assert info.change_without < 1e-12
    written, shuffled = (read_words(WORDS, order, True)[0] for order in (range(5), ORDER))
    assert info.change_with == np.abs(written - shuffled).max() > 0.1


def test_figures() -> None:
    figures = list(map(drawn, word_order_figures(word_order_info(WORDS, ORDER))))
    assert [figure.layout.annotations[0].text for figure in figures][3] == "With positions, shuffled"
    assert len({figure.layout.coloraxis.cmax for figure in figures}) == 1  # colors can be compared
    assert {figure.layout.xaxis.ticktext for figure in figures} == {tuple(WORDS)}


def test_one_word() -> None:
    assert word_order_info(["<b>"], (0,)).change_with == 0.0
