"""The best next tokens, against a sort of the whole vocabulary."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from core.decoding.continuations import CHUNK, IMPOSSIBLE, likeliest

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

    found = likeliest(tf.constant(logits), tf.constant(before), number, START)
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
    found = likeliest(tf.fill((1, 1, 40), np.nan), tf.zeros((1, 1)), 1, START)
    assert not found.log_probability[0, 0] > IMPOSSIBLE / 2
