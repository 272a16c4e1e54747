import keras
import numpy as np
import pytest

from core.config import ModelConfig
from core.model.embedding import Embedding, token_embedding
from core.theory.embedding import embed
from core.theory.positional_encoding import sinusoidal_encoding
from tests.conftest import TINY

LEARNED = TINY.replace(positional_encoding="learned")
IDS = np.array([[4, 5, 4], [1, 0, 10]], np.int32)


def build(config: ModelConfig) -> Embedding:
    layer = Embedding(
        token_embedding(11, config), 8, config, keras.random.SeedGenerator(0), name="source_embedding"
    )
    layer.build((None, None))
    for variable in layer.trainable_variables:
        variable.assign(np.random.default_rng(1).standard_normal(variable.shape))
    return layer


def test_sinusoidal_positions_equal_theory_and_tokens_are_scaled() -> None:
    layer = build(TINY)
    tokens = layer.tokens.embeddings.numpy()
    expected = tokens[IDS] * 8**0.5 + sinusoidal_encoding(8, 8)[:3]  # times sqrt(d_model), section 3.4
    assert np.allclose(layer(IDS), expected, atol=1e-5)


def test_learned_positions_are_scaled_like_the_tokens() -> None:
    layer = build(LEARNED)
    tokens, positions = layer.tokens.embeddings.numpy(), layer.positions.embeddings.numpy()
    assert np.allclose(layer(IDS), (tokens[IDS] + positions[:3]) * 8**0.5, atol=1e-5)


@pytest.mark.parametrize("config", [TINY, LEARNED], ids=["sinusoidal", "learned"])
def test_a_later_first_position(config: ModelConfig) -> None:
    layer = build(config)
    whole = layer(np.array([[4, 5, 6, 7, 8, 9, 10, 1]], np.int32)).numpy()
    assert np.allclose(layer(np.array([[9, 10]], np.int32), first_position=5), whole[:, 5:7], atol=1e-6)


def test_tied_logits_are_products_with_the_embeddings() -> None:
    layer = build(TINY)
    hidden = np.random.default_rng(2).standard_normal((2, 3, 8)).astype(np.float32)
    assert np.allclose(layer.logits(hidden), hidden @ layer.tokens.embeddings.numpy().T, atol=1e-5)


def test_what_positions_are_added_to_is_what_theory_embeds() -> None:
    layer = build(TINY)
    without_positions = layer(IDS).numpy() - sinusoidal_encoding(8, 8)[:3]
    assert np.allclose(without_positions, embed(IDS, layer.tokens.embeddings.numpy()), atol=1e-5)
