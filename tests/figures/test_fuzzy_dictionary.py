from core.figures.fuzzy_dictionary import FuzzyDictionaryInfo, fuzzy_dictionary_figure, fuzzy_dictionary_info
from core.theory.fuzzy_dictionary import fuzzy_look_up
from tests.figures.drawn import drawn


def test_info_and_figure() -> None:
    weights, answer = fuzzy_look_up(72, 10)
    info = fuzzy_dictionary_info(72, 10)
    assert info == FuzzyDictionaryInfo(
        names=("fish", "hen", "dog", "cat"),
        degrees=(5, 32, 58, 84),
        values=(0, 2, 4, 4),
        weights=tuple(weights.tolist()),
        answer=answer,
        query=72,
    )
    figure = drawn(fuzzy_dictionary_figure(info))
    assert figure.data[0].y == info.weights
    assert figure.data[0].text[1] == "<b>hen</b><br>10% × 2"
    assert figure.layout.shapes[0].x0 == 72
