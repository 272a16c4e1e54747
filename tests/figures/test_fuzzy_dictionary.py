from core.figures.fuzzy_dictionary import fuzzy_dictionary_figure, fuzzy_dictionary_info
from tests.figures.drawn import drawn


def test_info_and_figure() -> None:
    info = fuzzy_dictionary_info(72, 10)
    figure = drawn(fuzzy_dictionary_figure(info))
    assert figure.data[0].x == (5, 32, 58, 84)
    assert figure.data[0].y == info.weights
    assert figure.data[0].text[1] == "<b>hen</b><br>10% × 2"
    assert figure.layout.shapes[0].x0 == 72
