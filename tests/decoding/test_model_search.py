from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from core.decoding.model_search import search_translations
from core.model.stateless import bound, shared_model
from core.model.tensor import Tensor
from tests.conftest import TINY, random_weights

TIED = TINY.replace(tie_embeddings=True)
SOURCE = tf.constant([[3, 4, 5, 0], [6, 7, 8, 9]])


@pytest.mark.parametrize("max_length", [6, tf.constant(6)], ids=["known", "sentences leave"])
def test_the_output_is_the_transposed_matrix_that_the_search_is_given(max_length: Tensor | int) -> None:
    model = shared_model(TIED)
    weights = [tf.constant(each) for each in random_weights(TIED).values()]

    def found(transposed: Tensor | None) -> list[list[int]]:
        with bound(model, weights):
            result = search_translations(
                model,
                SOURCE,
                beam_size=1,
                max_length=max_length,
                special=(1, 2),
                alpha=0.0,
                transposed=transposed,
            )
        return np.asarray(result.ids[:, 0]).tolist()

    matrix = tf.transpose(random_weights(TIED)["target_embedding/tokens/embeddings"])
    assert found(matrix) == found(None)
    assert found(-matrix) != found(None)
