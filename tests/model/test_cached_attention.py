from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from core.model import cached_attention
from core.model.attention import KeysValues, SelfAttention, look_ahead_mask
from core.model.cached_attention import GrowingCache
from tests.model.test_attention import B, D, H, T, random, randomise


@pytest.mark.parametrize("min_prefix", [1, 3, 32])
@pytest.mark.parametrize("static", [True, False], ids=["static", "dynamic"])
def test_a_cached_row_equals_the_same_row_of_the_whole(
    monkeypatch: pytest.MonkeyPatch, min_prefix: int, static: bool
) -> None:
    """However much of the cache is attended to at once, and also where nothing is known of its size."""
    monkeypatch.setattr(cached_attention, "MIN_PREFIX", min_prefix)
    monkeypatch.setattr(cached_attention, "MAX_SMALL_CACHE", 0)
    layer = SelfAttention(D, H)
    layer.build((None, None, D))
    randomise(layer)
    x = random(B, T, D)
    whole, weights, keys_values = layer(x, look_ahead_mask(T))

    def step(row: tf.Tensor, seen: tf.Tensor, cache: KeysValues, position: tf.Tensor) -> tuple[Any, ...]:
        return layer(row, seen, cache=GrowingCache(cache, position))

    batch, heads, length = (B, B * H, T) if static else (None, None, None)
    signature = [
        tf.TensorSpec((batch, 1, D)),
        tf.TensorSpec((1, 1, 1, length), tf.bool),
        KeysValues(tf.TensorSpec((heads, D // H, length)), tf.TensorSpec((heads, length, D // H))),
        tf.TensorSpec((), tf.int32),
    ]
    compiled = tf.function(step, input_signature=signature, autograph=False)
    for position in range(T):
        behind = np.arange(T) < position  # what stands at `position` and after must not matter
        cache = KeysValues(
            tf.where(behind, keys_values.keys, random(B * H, D // H, T)),
            tf.where(behind[:, None], keys_values.values, random(B * H, T, D // H)),
        )
        seen = (np.arange(T) <= position)[None, None, None]
        row, row_weights, filled = compiled(x[:, position : position + 1], seen, cache, position)
        assert np.allclose(row[:, 0], whole[:, position], atol=1e-5)
        assert np.allclose(row_weights[:, :, 0], weights[:, :, position], atol=1e-6)
        known = slice(0, position + 1)
        assert np.allclose(filled.keys[..., known], keys_values.keys[..., known], atol=1e-5)
        assert np.allclose(filled.values[:, known], keys_values.values[:, known], atol=1e-5)
        assert np.array_equal(filled.values[:, position + 1 :], cache.values[:, position + 1 :])
