"""What later models changed, and a decoder alone, against PyTorch: torch_reference.py made the values."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from core.config import ModelConfig
from core.inference.model import KeyValueCache
from core.model.forward import ForwardPass, rotate, sinusoidal_encoding

TORCH = np.load(Path(__file__).with_name("torch_reference.npz"))
PAPER = ModelConfig(2, 11, num_layers=2, num_heads=2, d_model=8, d_ff=10, max_target_length=7)
MODERN = PAPER.replace(
    norm="pre", norm_kind="rms", positional_encoding="rotary", activation="swiglu", d_ff=15
)


@pytest.mark.parametrize("name", ["numpy_ops", "keras_ops"])
def test_rms_norm_and_swiglu(name: str) -> None:
    ops = import_module(f"core.model.{name}")
    x, gamma = TORCH["x"], TORCH["gamma"]
    np.testing.assert_allclose(ops.rms_norm(x, gamma), TORCH["rms_norm"], atol=1e-5)
    np.testing.assert_allclose(ops.swiglu(x), TORCH["swiglu"], atol=1e-5)
    extreme = np.array([[-1e4, 1e4, 2.0, 2.0]], np.float32)
    assert np.array(ops.swiglu(extreme)).tolist() == [[0.0, 2e4]]


@pytest.mark.parametrize(("name", "config"), [("paper", PAPER), ("modern", MODERN)], ids=["paper", "modern"])
def test_a_decoder_alone(name: str, config: ModelConfig) -> None:
    """Over whole texts, and token by token with a cache."""
    weights = {key.removeprefix(f"{name}/"): TORCH[key] for key in TORCH if key.startswith(f"{name}/")}
    model = ForwardPass(config, weights)
    ids = TORCH["ids"]
    expected = TORCH[f"logits/{name}"]
    np.testing.assert_allclose(model.logits(model.decode(ids, None)), expected, atol=1e-4)
    caches = [KeyValueCache(len(ids), 1, config) for _ in range(config.num_layers)]
    for position in range(ids.shape[1]):
        step = model.logits(model.decode_step(ids[:, [position]], None, caches))[:, 0]
        np.testing.assert_allclose(step, expected[:, position], atol=1e-4)


@pytest.mark.parametrize("width", [4, 5, 16])
def test_scores_of_rotated_vectors_depend_on_the_distance_alone(width: int) -> None:
    query, key = np.random.default_rng(1).standard_normal((2, width)).astype(np.float32)
    angles = sinusoidal_encoding(40, width)
    scores = rotate(np.tile(query, (40, 1)), angles) @ rotate(np.tile(key, (40, 1)), angles).T
    for distance in range(-39, 40):
        on_diagonal = np.diagonal(scores, distance)
        assert np.allclose(on_diagonal, on_diagonal[0], atol=1e-5)
    assert np.ptp(scores[0]) > 0.1  # and they do depend on it
