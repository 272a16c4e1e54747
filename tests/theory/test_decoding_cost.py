"""What a step of writing costs, against the products of the pass; large models against their papers."""

from typing import Any

import numpy as np
import pytest

from core.arrays import Floats
from core.config import DecoderConfig
from core.inference.model import KeyValueCache
from core.model import numpy_ops
from core.model.forward import Array, ForwardPass
from core.theory.decoding_cost import (
    BYTES_OF_KNOWN,
    KNOWN,
    DecoderSize,
    cache_bytes,
    multiplications,
    products_of_step,
)
from core.weights import parameter_count
from tests.conftest import TINY, random_weights

KNOWN_DECODERS = {each.name: each.decoder for each in KNOWN if each.decoder is not None}
ALONE = DecoderConfig(**TINY.to_dict())


class Counted:
    """NumPy's functions, and a hook, that count the multiplications of the products that they see."""

    def __init__(self) -> None:
        self.total = 0
        self.keys = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(numpy_ops, name)

    def dense(self, x: Floats, kernel: Floats, bias: Floats | None) -> Any:
        self.total += x.size * kernel.shape[1]
        return numpy_ops.dense(x, kernel, bias)

    def hook(self, name: str, value: Array) -> Array:
        if name.endswith("/scores"):
            self.keys = value.shape[-1]
            self.total += value.size * ALONE.head_dim
        if name.endswith("/heads"):
            self.total += value.size * self.keys
        return value


@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_the_multiplications_of_a_step_are_those_of_the_pass(activation: str) -> None:
    config = ALONE.replace(activation=activation)
    counted = Counted()
    model = ForwardPass(config, random_weights(config), counted, counted.hook)
    caches = [KeyValueCache(1, 1, config) for _ in range(config.num_layers)]
    for length in range(1, config.max_target_length + 1):
        counted.total = 0
        model.logits(model.decode_step(np.array([[5]], np.int32), None, caches))
        assert counted.total == multiplications(DecoderSize.of(config), length, with_cache=True)
        counted.total = 0
        model.logits(model.decode(np.full((1, length), 5, np.int32), None)[:, -1:])
        assert counted.total == multiplications(DecoderSize.of(config), length, with_cache=False)


@pytest.mark.parametrize("name", ["GPT-3", "Llama 3 8B"])
def test_the_products_of_a_step_add_up_to_its_multiplications(name: str) -> None:
    size = KNOWN_DECODERS[name]
    for length in (1, 9):
        products = products_of_step(size, length)
        assert products.shape == (length, 3 + length + 1)
        assert products.sum() == multiplications(size, length, with_cache=False)
        assert products[-1].sum() == multiplications(size, length, with_cache=True)
        keys_and_values = products[0, 1:3].sum()
        assert keys_and_values * BYTES_OF_KNOWN == cache_bytes(size, 1) * size.width


def test_the_cache_has_the_bytes_of_its_arrays() -> None:
    shape = (1, 1, ALONE.num_heads, 1, ALONE.head_dim)
    keys, values = KeyValueCache(1, 1, ALONE).append(np.ones(shape, np.float32), np.ones(shape, np.float32))
    of_one = ALONE.num_layers * (keys.nbytes + values.nbytes)
    assert cache_bytes(DecoderSize.of(ALONE), 7) == 7 * of_one


def test_large_models_have_about_the_parameters_of_their_papers() -> None:
    """Counted by the same sizes: a token passes each weight once, but for embeddings, norms and biases."""
    for known in KNOWN:
        if known.decoder is not None:
            size = known.decoder
            passed = multiplications(size, 0, with_cache=True)
            embedding = (
                size.width * size.vocabulary if known.name.startswith("Llama") else 0
            )  # GPT's is the output's
            assert passed + embedding == pytest.approx(known.parameters, rel=0.07), known.name


def test_our_own_is_counted_alike() -> None:
    passed = multiplications(DecoderSize.of(ALONE), 0, with_cache=True)
    weights = random_weights(ALONE)
    kernels = sum(array.size for name, array in weights.items() if name.endswith("kernel"))
    assert passed == kernels < parameter_count(ALONE)


def test_the_compute_of_large_trainings_is_about_what_their_papers_say() -> None:
    """Brown et al. 2020, table D.1: 3.14e23; Grattafiori et al. 2024, section 3.2: 3.8e25."""
    found = {known.name: known.compute for known in KNOWN}
    assert found["GPT-3"] == pytest.approx(3.14e23, rel=0.01)
    assert found["Llama 3 405B"] == pytest.approx(3.8e25, rel=0.01)
