"""How long a training will take, estimated before it starts."""

from __future__ import annotations

from core.config import ModelConfig
from core.weights import parameter_count

# Measured on two cores of an AMD EPYC (Zen 5) with TensorFlow 2.21: classroom-sized steps are bound by
# the number of operations, larger ones by their arithmetic.
_SECONDS_A_LAYER = 2.5e-3  # one encoder and one decoder layer, forward, backward and dispatch
_SECONDS_A_STEP = 2e-3  # embeddings, loss, Adam, Python
_FLOPS_A_SECOND = 2e10
_COMPILE_SECONDS_A_LAYER = 1.0
_COMPILE_SECONDS = 2.0


def step_seconds(config: ModelConfig, tokens: int) -> float:
    """About how many seconds one training step takes.

    Args:
        config: shape of the model.
        tokens: positions of a batch, batch size * (source length + target length).
    """
    # Two operations a weight and token forward, twice that backward; a token passes half the weights.
    arithmetic = 3 * parameter_count(config) * tokens / _FLOPS_A_SECOND
    return _SECONDS_A_STEP + config.num_layers * _SECONDS_A_LAYER + arithmetic


def compile_seconds(config: ModelConfig) -> float:
    """About how many seconds longer the first step of a shape takes."""
    return _COMPILE_SECONDS + config.num_layers * _COMPILE_SECONDS_A_LAYER
