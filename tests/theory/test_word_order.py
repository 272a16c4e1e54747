import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.theory.word_order import read_words, shuffled_order

SENTENCE = ["the", "dog", "bites", "the", "man"]
sentences = st.lists(st.sampled_from(["je", "ne", "comprends", "pas", "pas"]), min_size=1, max_size=8)


@given(st.integers(0, 12), st.integers(0, 40))
def test_a_shuffle_is_a_permutation_and_moves_something(count: int, shuffle: int) -> None:
    order = shuffled_order(count, shuffle)
    assert sorted(order) == list(range(count))
    assert shuffled_order(count, shuffle) == order
    assert (order == tuple(range(count))) == (shuffle == 0 or count < 2)


@given(sentences, st.integers(1, 30))
def test_without_positions_the_order_changes_nothing(words: list[str], shuffle: int) -> None:
    written = read_words(words, range(len(words)), with_positions=False)
    shuffled = read_words(words, shuffled_order(len(words), shuffle), with_positions=False)
    assert written.change(shuffled) < 1e-12
    assert np.allclose(written.weights, shuffled.weights)


def test_with_positions_it_does() -> None:
    order = shuffled_order(5, 1)
    assert [SENTENCE[place] for place in order] == ["the", "man", "bites", "the", "dog"]
    written, shuffled = (read_words(SENTENCE, places, with_positions=True) for places in (range(5), order))
    assert written.change(shuffled) > 0.1
    assert np.allclose(shuffled.weights.sum(axis=-1), 1.0)


def test_without_positions_a_repeated_word_is_one_and_the_same() -> None:
    plain = read_words(SENTENCE, range(5), with_positions=False)
    assert np.allclose(plain.outputs[0], plain.outputs[3])  # both "the"
    placed = read_words(SENTENCE, range(5), with_positions=True)
    assert not np.allclose(placed.outputs[0], placed.outputs[3])


def test_no_words() -> None:
    nothing = read_words([], [], with_positions=True)
    assert nothing.weights.shape == (0, 0)
    assert nothing.change(nothing) == 0.0
