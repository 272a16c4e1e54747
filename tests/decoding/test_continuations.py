"""The best next tokens, against a sort of the whole vocabulary."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.decoding.continuations import CHUNK, IMPOSSIBLE, Continuations, likeliest

PAD, START = 0, 2


@pytest.mark.slow
@given(
    seed=st.integers(0, 2**32 - 1),
    beams=st.integers(1, 4),
    vocab_size=st.sampled_from([5, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK, 7 * CHUNK + 3]),
    specials=st.sampled_from([-50.0, 0.0, 50.0]),
)
def test_the_best_of_all_beams_and_tokens(seed: int, beams: int, vocab_size: int, specials: float) -> None:
    random = np.random.default_rng(seed)
    logits = (3 * random.standard_normal((2, beams, vocab_size))).astype(np.float32)
    logits[..., [PAD, START]] += specials  # they take their share of the probability, and are never chosen
    before = -10 * random.random((2, beams)).astype(np.float32)
    log_probabilities = tf.nn.log_softmax(tf.constant(logits, tf.float64)).numpy() + before[..., None]
    log_probabilities[..., [PAD, START]] = -np.inf
    number = min(2 * beams, beams * (vocab_size - 2))

    for search in (likeliest, in_plain_graph):
        found = search(tf.constant(logits), tf.constant(before), number, START)
        assert_found(found, log_probabilities, number)


def in_plain_graph(logits: tf.Tensor, before: tf.Tensor, number: int, start_id: int) -> Continuations:
    """As `likeliest` where the number of sentences is not known, and a softmax stands for the sum of exponentials."""

    def search(logits: tf.Tensor, before: tf.Tensor) -> Continuations:
        return likeliest(logits, before, number, start_id)

    known = [tf.TensorSpec((None, *values.shape[1:])) for values in (logits, before)]
    graph = tf.function(search, input_signature=known, autograph=False)
    return graph(logits, before)


def assert_found(found: Continuations, log_probabilities: NDArray[np.float64], number: int) -> None:
    _, beams, vocab_size = log_probabilities.shape
    for row in range(2):
        best = np.argsort(-log_probabilities[row], axis=None)[:number]
        parent, token = np.unravel_index(best, (beams, vocab_size))
        assert np.array_equal(found.parent[row], parent)
        assert np.array_equal(found.token[row], token)
        assert np.allclose(found.log_probability[row], log_probabilities[row].ravel()[best], atol=1e-4)


@pytest.mark.parametrize("vocab_size", [5, CHUNK + 1])
def test_more_than_there_are(vocab_size: int) -> None:
    """What fills the rest is impossible, and still a token of the vocabulary."""
    found = likeliest(tf.zeros((1, 1, vocab_size)), tf.zeros((1, 1)), vocab_size + 1, START)
    possible = found.log_probability[0].numpy() > IMPOSSIBLE / 2
    assert possible.tolist() == [True] * (vocab_size - 2) + [False] * 3
    assert set(found.token[0].numpy()[possible]) == set(range(vocab_size)) - {PAD, START}
    assert (found.token[0].numpy() < vocab_size).all()


def test_no_number_stays_no_number() -> None:
    """So that whoever reads the result sees that the weights overflowed."""
    logits = np.zeros((1, 1, CHUNK + 8), np.float32)
    logits[..., -1] = np.nan
    for search in (likeliest, in_plain_graph):
        for some in (logits, np.full_like(logits, np.nan)):
            found = search(tf.constant(some), tf.zeros((1, 1)), 1, START)
            assert not found.log_probability[0, 0] > IMPOSSIBLE / 2
