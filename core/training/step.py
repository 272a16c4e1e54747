"""One training step as one compiled, pure function: state in, state out."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Self

import numpy as np
import tensorflow as tf

from core.config import ModelConfig
from core.model.stateless import bound, shared_model
from core.model.tensor import Tensor
from core.model.weight_shapes import Weights, flatten, parameter_count, unflatten, weight_shapes
from core.training.adam import AdamRates, Moments, adam, clip_by_norm
from core.training.loss import TokenSums, cross_entropy_of_hidden


@dataclass(frozen=True)
class TrainingState:
    """Everything a next step depends on. Its tensors never change, so keeping one is a free snapshot."""

    parameters: Tensor  # (P,), all weights
    moments: Moments
    step: int = 0  # steps done

    @classmethod
    def new(cls, weights: Weights) -> Self:
        parameters = tf.constant(flatten(weights))
        zeros = tf.zeros_like(parameters)
        return cls(parameters, Moments(zeros, zeros))

    def weights(self, config: ModelConfig) -> Weights:
        """The weights as NumPy arrays by name."""
        return unflatten(self.parameters.numpy(), config)


class StepSettings(NamedTuple):
    """The numbers of a training step that may change without compiling anew."""

    rates: AdamRates
    label_smoothing: Tensor
    clip_norm: Tensor  # infinity for none
    randomness: Tensor  # (2,) int64, what this step's dropout is drawn from


class StepResult(NamedTuple):
    """What the compiled step returns."""

    parameters: Tensor  # (P,)
    moments: Moments
    loss: Tensor  # scalar
    accuracy: Tensor  # scalar
    healthy: Tensor  # scalar, whether the loss and every new weight is a finite number


_compiling = threading.Lock()


def compiled_step(
    config: ModelConfig, batch_size: int | None, source_length: int | None, target_length: int | None
) -> Callable[..., StepResult]:
    """The training step for batches of one shape (None: any), traced at its first call and kept for all runs."""
    with _compiling:  # two runs that start together share one function
        return _compiled_step(config, batch_size, source_length, target_length)


@lru_cache(maxsize=16)
def _compiled_step(
    config: ModelConfig, batch_size: int | None, source_length: int | None, target_length: int | None
) -> Callable[..., StepResult]:
    model = shared_model(config)
    vector = tf.TensorSpec((parameter_count(config),), tf.float32)
    scalar = tf.TensorSpec((), tf.float32)

    def step(
        parameters: Tensor,
        moments: Moments,
        number: Tensor,
        settings: StepSettings,
        source: Tensor,
        decoder_input: Tensor,
        labels: Tensor,
    ) -> StepResult:
        with tf.GradientTape() as tape:
            tape.watch(parameters)
            weights = _split(parameters, config)
            with bound(model, weights, settings.randomness):
                hidden, _ = model.hidden(source, decoder_input, training=True)
                matrix, bias = model.output_projection()
            sums = cross_entropy_of_hidden(hidden, matrix, bias, labels, settings.label_smoothing)
            tokens = tf.maximum(sums.tokens, 1.0)
            loss = sums.loss / tokens
        gradient = clip_by_norm(tape.gradient(loss, parameters), settings.clip_norm)
        parameters, moments = adam(parameters, gradient, moments, number, settings.rates)
        healthy = tf.math.is_finite(loss) & tf.reduce_all(tf.math.is_finite(parameters))
        return StepResult(parameters, moments, loss, sums.hits / tokens, healthy)

    signature = (
        vector,
        Moments(vector, vector),
        scalar,
        StepSettings(
            AdamRates(scalar, scalar, scalar, scalar), scalar, scalar, tf.TensorSpec((2,), tf.int64)
        ),
        tf.TensorSpec((batch_size, source_length), tf.int32),
        tf.TensorSpec((batch_size, target_length), tf.int32),
        tf.TensorSpec((batch_size, target_length), tf.int32),
    )
    return tf.function(step, input_signature=signature, autograph=False)


def compiled_evaluation(
    config: ModelConfig, batch_size: int | None, source_length: int | None, target_length: int | None
) -> Callable[..., TokenSums]:
    """(parameters, source, decoder input, labels) -> sums without dropout and label smoothing; kept likewise."""
    with _compiling:
        return _compiled_evaluation(config, batch_size, source_length, target_length)


@lru_cache(maxsize=16)
def _compiled_evaluation(
    config: ModelConfig, batch_size: int | None, source_length: int | None, target_length: int | None
) -> Callable[..., TokenSums]:
    model = shared_model(config)

    def evaluate(parameters: Tensor, source: Tensor, decoder_input: Tensor, labels: Tensor) -> TokenSums:
        with bound(model, _split(parameters, config)):
            hidden, _ = model.hidden(source, decoder_input)
            matrix, bias = model.output_projection()
        return cross_entropy_of_hidden(hidden, matrix, bias, labels, 0.0)

    signature = (
        tf.TensorSpec((parameter_count(config),), tf.float32),
        tf.TensorSpec((batch_size, source_length), tf.int32),
        tf.TensorSpec((batch_size, target_length), tf.int32),
        tf.TensorSpec((batch_size, target_length), tf.int32),
    )
    return tf.function(evaluate, input_signature=signature, autograph=False)


def _split(parameters: Tensor, config: ModelConfig) -> list[Tensor]:
    """The vector (P,) as the weights it is made of, in the order of `weight_shapes`."""
    shapes = list(weight_shapes(config).values())
    parts = tf.split(parameters, [math.prod(shape) for shape in shapes])
    return [tf.reshape(part, shape) for part, shape in zip(parts, shapes, strict=True)]


def dropout_randomness(seed: int, step: int) -> np.ndarray:
    """What a step's dropout is drawn from: the run's seed and a counter far from every other step's."""
    return np.array([seed, step << 16], np.int64)
