import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from core.model.forward import causal_mask, decoder_mask, padding_mask
from core.model.numpy_ops import additive
from core.theory.masks import count_visible_labels
from core.tokens.vocabulary import PAD_ID

some_ids = arrays(np.int32, st.tuples(st.integers(1, 4), st.integers(1, 8)), elements=st.integers(0, 3))


@given(some_ids)
def test_a_mask_shows_real_tokens_and_the_decoder_s_only_the_past(ids: NDArray[np.int32]) -> None:
    padding, both = padding_mask(ids), decoder_mask(ids)
    sentences, length = ids.shape
    assert (padding.shape, padding.dtype) == ((sentences, 1, 1, length), np.bool_)
    assert np.array_equal(padding[:, 0, 0], ids != PAD_ID)
    assert both.shape == (sentences, 1, length, length)
    for sentence, query, key in np.ndindex(sentences, length, length):
        assert causal_mask(length)[query, key] == (key <= query)
        assert both[sentence, 0, query, key] == (ids[sentence, key] != 0 and key <= query)


def test_a_blocked_score_has_no_weight_in_float32() -> None:
    numbers = additive([[True, False]])
    assert numbers.dtype == np.float32
    assert numbers.tolist() == [[0.0, -1e9]]
    assert np.exp(numbers + np.float32(80.0))[0, 1] == 0.0


def test_answers_in_sight() -> None:
    # Of four positions the first three have their answer one place further on; the last one's is the end.
    assert count_visible_labels(np.ones((4, 4), np.bool_)) == 3
    assert count_visible_labels(causal_mask(4)) == 0
    assert count_visible_labels([[True, True, False], [True, True, False], [True, True, True]]) == 1
