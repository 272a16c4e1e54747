from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.theory.attention import masked_softmax
from core.theory.masks import causal_mask
from core.theory.untrained_head import (
    D_MODEL,
    read_words,
    shuffled_order,
    untrained_kernels,
    untrained_scores,
    word_vectors,
)

SENTENCE = ["the", "dog", "bites", "the", "man"]
sentences = st.lists(st.sampled_from(["je", "ne", "comprends", "pas", "pas"]), min_size=1, max_size=8)


def test_word_vectors_are_the_words_own() -> None:
    vectors = word_vectors(["dog", "man", "dog", ""])
    assert vectors.shape == (4, D_MODEL)
    assert np.array_equal(vectors[0], vectors[2])
    assert not np.allclose(vectors[0], vectors[1])


def test_kernels_keep_the_variance() -> None:
    kernels = untrained_kernels(seed=0)
    many = np.random.default_rng(5).standard_normal((2000, D_MODEL))
    assert (many @ kernels[0]).var() == pytest.approx(1.0, abs=0.2)


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
    for one, other in zip(written, shuffled, strict=True):
        assert np.allclose(one, other, atol=1e-12)


def test_with_positions_it_does() -> None:
    order = shuffled_order(5, 1)
    assert [SENTENCE[place] for place in order] == ["the", "man", "bites", "the", "dog"]
    (written, _), (shuffled, weights) = (
        read_words(SENTENCE, places, with_positions=True) for places in (range(5), order)
    )
    assert np.abs(written - shuffled).max() > 0.1
    assert np.allclose(weights.sum(axis=-1), 1.0)


def test_only_positions_tell_a_repeated_word_apart() -> None:
    for with_positions in (False, True):
        outputs, _ = read_words(SENTENCE, range(5), with_positions)
        assert np.allclose(outputs[0], outputs[3]) != with_positions  # both "the"


def test_rows_do_not_change_when_a_word_is_added() -> None:
    words = ["[START]", "i", "like", "tensorflow"]
    scores = untrained_scores(words)
    assert np.array_equal(scores, scores.round(1))
    whole = masked_softmax(scores, causal_mask(4))
    for length in range(1, 5):
        begun = masked_softmax(untrained_scores(words[:length]), causal_mask(length))
        assert whole[:length, :length] == pytest.approx(begun)
