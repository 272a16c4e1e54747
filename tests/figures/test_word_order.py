import numpy as np

from core.figures.word_order import word_order_figure, word_order_info
from core.theory.word_order import read_words

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
    assert np.array_equal(np.array(info.panels[3].values), read_words(WORDS, ORDER, True).weights)
    assert np.allclose(np.array(info.panels[0].values), np.array(info.panels[1].values))
    assert info.change_without < 1e-12
    written, shuffled = read_words(WORDS, range(5), True), read_words(WORDS, ORDER, True)
    assert info.change_with == written.change(shuffled) > 0.1
    assert len({panel.color_range for panel in info.panels}) == 1  # colours can be compared


def test_figure() -> None:
    info = word_order_info(WORDS, ORDER)
    wide, narrow = word_order_figure(info), word_order_figure(info, stacked=True)
    assert len(wide.data) == len(narrow.data) == 4
    assert narrow.layout.height > wide.layout.height
    assert wide.layout.xaxis4.ticktext == tuple(WORDS)


def test_no_words_and_one() -> None:
    assert "no words" in word_order_figure(word_order_info([], ())).layout.annotations[0].text
    assert word_order_info(["<b>"], (0,)).change_with == 0.0
