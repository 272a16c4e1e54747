"""One training step as a compiled, pure function: state in, state out. Axis letters: see `core.config`."""

import math
import threading
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import NamedTuple, ParamSpec, Self, TypeVar

import keras
import numpy as np
import tensorflow as tf

from core.config import ModelConfig, TrainingConfig
from core.errors import InputError
from core.model import keras_ops
from core.model.forward import ForwardPass, Hook, padding_mask, unchanged
from core.model.keras_ops import Tensor
from core.training.dropout import dropout
from core.training.loss import LogitFactors, TokenSums, logit_factors, summed_cross_entropy, twice
from core.training.optimizer import (
    OptimizerSettings,
    OptimizerState,
    clip_by_norm,
    initial_state,
    learning_rate,
    update,
)
from core.weights import parameter_count, weight_shapes

_SEEDS_PER_DEVICE = 1 << 12  # more than a model has results with dropout; enough for 16 devices
_MAX_KEPT = 4  # compiled configurations; each takes some 20 MB

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_lock = threading.RLock()


def _kept(make: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Keep a function's latest results, each computed once even if two threads ask for it at once."""
    cached = lru_cache(maxsize=_MAX_KEPT)(make)

    @wraps(make)
    def locked(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        with _lock:
            return cached(*args, **kwargs)  # type: ignore[arg-type]

    return locked


class StepSettings(NamedTuple):
    """The settings of a training step that can change without retracing it."""

    optimizer: OptimizerSettings
    label_smoothing: Tensor
    r_drop: Tensor  # alpha; a step without R-Drop ignores it
    clip_norm: Tensor  # infinity for no clipping
    dropout_seed: Tensor  # (2,) int64

    @classmethod
    def of(cls, config: TrainingConfig, d_model: int, step: int, total_steps: int) -> Self:
        """Return the settings of one step, counted from 1, of a run with `total_steps`."""
        rate = learning_rate(config, d_model, step, total_steps)
        return cls(
            optimizer=OptimizerSettings.of(config, rate),
            label_smoothing=config.label_smoothing,
            r_drop=config.r_drop,
            clip_norm=math.inf if config.clip_norm is None else config.clip_norm,
            dropout_seed=dropout_seed(config.seed, step),
        )


_SCALAR = tf.TensorSpec((), tf.float32)


class StepResult(NamedTuple):
    """The result of a compiled step."""

    parameters: Tensor  # (P,)
    optimizer: OptimizerState
    loss: Tensor  # scalar
    accuracy: Tensor  # scalar
    is_finite: Tensor  # scalar, whether the loss and all new weights are finite


@_kept
def compiled_step(
    config: ModelConfig,
    training: TrainingConfig,
    batch_size: int | None,
    source_length: int | None,
    target_length: int | None,
    strategy: tf.distribute.Strategy | None = None,
) -> Callable[..., StepResult]:
    """Return the training step for batches of one shape (None: any), traced once and cached for all runs.

    With a strategy, each of its devices computes the gradient of some rows of the batch. With R-Drop, every row is
    computed twice. `training` comes from `traced_settings`: what else is set is an argument of the step.
    """
    differentiate = _gradient_function(config, training.r_drop > 0)
    if strategy is not None:
        differentiate = _on_each_device(differentiate, strategy)

    def step(
        parameters: Tensor, optimizer: OptimizerState, number: Tensor, settings: StepSettings, *batch: Tensor
    ) -> StepResult:
        sums, gradient = differentiate(parameters, settings, *batch)
        tokens = tf.maximum(sums.tokens, 1.0)
        loss = sums.loss / tokens
        gradient = clip_by_norm(gradient / tokens, settings.clip_norm)
        parameters, optimizer = update(parameters, gradient, optimizer, number, settings.optimizer, training)
        is_finite = tf.math.is_finite(loss) & tf.reduce_all(tf.math.is_finite(parameters))
        return StepResult(parameters, optimizer, loss, sums.num_correct / tokens, is_finite)

    vector = tf.TensorSpec((parameter_count(config),), tf.float32)
    batch = _batch_signature(batch_size, source_length, target_length)
    optimizer = tf.nest.map_structure(
        tf.TensorSpec.from_tensor, initial_state(tf.zeros(vector.shape), training)
    )
    settings = tf.nest.map_structure(
        tf.TensorSpec.from_tensor,
        tf.nest.map_structure(tf.constant, StepSettings.of(training, 1, 1, 1)),
    )
    signature = (vector, optimizer, _SCALAR, settings, *batch)
    return tf.function(step, input_signature=signature, autograph=False)


@_kept
def compiled_evaluation(
    config: ModelConfig, batch_size: int | None, source_length: int | None, target_length: int | None
) -> Callable[..., TokenSums]:
    """Return the evaluation of a batch, without dropout and label smoothing, traced once and cached for all runs."""

    def evaluate(parameters: Tensor, *batch: Tensor) -> TokenSums:
        return summed_cross_entropy(_output(parameters, config, unchanged, *batch), 0.0)[0]

    vector = tf.TensorSpec((parameter_count(config),), tf.float32)
    signature = (vector, *_batch_signature(batch_size, source_length, target_length))
    return tf.function(evaluate, input_signature=signature, autograph=False)


def _batch_signature(
    batch_size: int | None, source_length: int | None, target_length: int | None
) -> tuple[tf.TensorSpec, ...]:
    """Return the specs of source (B, S), decoder input (B, T) and labels (B, T)."""
    lengths = (source_length, target_length, target_length)
    return tuple(tf.TensorSpec((batch_size, length), tf.int32) for length in lengths)


def _output(
    parameters: Tensor, config: ModelConfig, hook: Hook, source: Tensor, decoder_input: Tensor, labels: Tensor
) -> LogitFactors:
    """Run the forward pass with parameters (P,) over a batch; return the factors of the logits."""
    model = ForwardPass(config, _split_parameters(parameters, config), keras_ops, hook)
    memory = model.encode(source, padding_mask(source)) if config.has_encoder else None
    hidden = model.decode(decoder_input, memory)
    matrix = tf.transpose(model.weights["output/kernel"])
    return logit_factors(hidden, matrix, model.weights.get("output/bias"), labels)


def _gradient_function(config: ModelConfig, has_r_drop: bool) -> Callable[..., tuple[TokenSums, Tensor]]:
    """Return a function from parameters (P,), settings and batch to the sums and the gradient (P,) of the loss."""

    def differentiate(parameters: Tensor, settings: StepSettings, *batch: Tensor) -> tuple[TokenSums, Tensor]:
        if has_r_drop:
            batch = tuple(twice(*batch))
        with tf.GradientTape() as tape:
            tape.watch(parameters)
            output = _output(parameters, config, dropout(config, settings.dropout_seed), *batch)
        r_drop = settings.r_drop if has_r_drop else None
        sums, output_gradients = summed_cross_entropy(output, settings.label_smoothing, r_drop)
        return sums, tape.gradient(
            (output.states, output.matrix), parameters, output_gradients=output_gradients
        )

    return differentiate


def _on_each_device(
    differentiate: Callable[..., tuple[TokenSums, Tensor]], strategy: tf.distribute.Strategy
) -> Callable[..., tuple[TokenSums, Tensor]]:
    """Return `differentiate` for n devices: each takes every n-th row, and the results are summed."""
    devices = strategy.num_replicas_in_sync

    def on_this_device(
        parameters: Tensor, settings: StepSettings, *batch: Tensor
    ) -> tuple[TokenSums, Tensor]:
        context = tf.distribute.get_replica_context()
        number = context.replica_id_in_sync_group
        dropout = settings.dropout_seed + tf.cast([0, number * _SEEDS_PER_DEVICE], tf.int64)
        rows = [ids[number::devices] for ids in batch]
        found = differentiate(parameters, settings._replace(dropout_seed=dropout), *rows)
        return context.all_reduce(tf.distribute.ReduceOp.SUM, found)

    def on_all(*arguments: Tensor) -> tuple[TokenSums, Tensor]:
        sums, gradient = strategy.run(on_this_device, arguments)
        first = [strategy.experimental_local_results(each)[0] for each in (*sums, gradient)]
        return TokenSums(*first[:-1]), first[-1]

    return on_all


def _split_parameters(parameters: Tensor, config: ModelConfig) -> dict[str, Tensor]:
    """Split the vector (P,) into the weights by name."""
    shapes = weight_shapes(config)
    parts = tf.split(parameters, [math.prod(shape) for shape in shapes.values()])
    return {name: tf.reshape(part, shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}


def dropout_seed(seed: int, step: int) -> np.ndarray:
    """Return the seed of one step's dropout, distinct for every step."""
    return np.array([seed, step << 16], np.int64)


def use_mixed_precision() -> None:
    """Compute in bfloat16 from now on, except for weights, norms, softmax and loss in float32.

    Raises:
        InputError: there is no GPU.
    """
    if not tf.config.list_physical_devices("GPU"):
        raise InputError("--mixed-precision needs a GPU.")
    keras.config.set_dtype_policy("mixed_bfloat16")
