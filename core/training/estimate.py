"""Estimates of how long a training run will take, before it starts."""

from __future__ import annotations

from core.config import ModelConfig
from core.weights import parameter_count

# Measured on two cores of an AMD EPYC with TensorFlow 2.21: classroom-sized steps are bound by the number of operations,
# larger ones by arithmetic.
_SECONDS_PER_LAYER = 2.5e-3  # one encoder and one decoder layer: forward, backward and dispatch
_SECONDS_PER_STEP = 2e-3  # embeddings, loss, Adam, Python
_FLOPS_PER_SECOND = 8e10
_COMPILE_SECONDS_PER_LAYER = 1.0
_COMPILE_SECONDS = 2.0


def step_seconds(config: ModelConfig, tokens: int) -> float:
    """Estimate the seconds that one training step takes.

    Args:
        config: the model's configuration.
        tokens: positions of a batch, B * (S + T).
    """
    # Two operations per weight and token forward, twice that backward; a token passes half the weights.
    arithmetic = 3 * parameter_count(config) * tokens / _FLOPS_PER_SECOND
    return _SECONDS_PER_STEP + config.num_layers * _SECONDS_PER_LAYER + arithmetic


def compile_seconds(config: ModelConfig) -> float:
    """Estimate the additional seconds that the first step of a shape takes, because it is compiled."""
    return _COMPILE_SECONDS + config.num_layers * _COMPILE_SECONDS_PER_LAYER
