"""Minimum risk training: what a model thinks likely of its own translations, moved to those near the reference.

Cross-entropy asks for the reference, token by token, and knows nothing of BLEU. Here the cost of a source is what is
expected of its hypotheses: the mean of their costs, each weighted by the model's probability of it among them. Its
gradient raises the probability of those that cost less than that mean, and lowers the others'.

Shen et al. 2016, "Minimum Risk Training for Neural Machine Translation", section 3. As in Edunov et al. 2018,
"Classical Structured Prediction Losses for Sequence to Sequence Learning", section 4, a hypothesis is judged by its
mean log-probability a token, and cross-entropy stays a part of the loss.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

from core.config import ModelConfig
from core.model.programs.kept_graphs import keeps_graphs
from core.model.stateless import bound, shared_model
from core.model.tensor import Tensor
from core.model.weight_shapes import parameter_count
from core.training.adam import Moments
from core.training.loss import TokenSums, output_layer
from core.training.step import SETTINGS_SIGNATURE, StepSettings, compiled_update, split_parameters

_SHARPNESS = 5.0  # of the probabilities among a source's hypotheses
_NO_HYPOTHESIS = -1e9


class RiskBatch(NamedTuple):
    """B sources with N hypotheses each, and below them, as row N, a target for cross-entropy."""

    source: Tensor  # ids (B, S)
    decoder_input: Tensor  # ids (B * (N + 1), T)
    labels: Tensor  # ids (B * (N + 1), T); pads alone where there is no hypothesis
    costs: Tensor  # (B, N), 0 to 1; not a number where there is no hypothesis


class RiskResult(NamedTuple):
    """What the compiled step returns."""

    parameters: Tensor  # (P,)
    moments: Moments
    risk: Tensor  # scalar, the mean expected cost
    loss: Tensor  # scalar, the mean cross-entropy of the targets, nats
    healthy: Tensor  # scalar, whether both and every new weight are finite numbers


def expected_costs(log_probabilities: Tensor, costs: Tensor) -> Tensor:
    """The expected cost of each of B sources, (B,).

    Args:
        log_probabilities: (B, N), mean nats a token of each hypothesis.
        costs: (B, N), as in `RiskBatch`.
    """
    exists = ~tf.math.is_nan(costs)
    among = tf.nn.softmax(tf.where(exists, _SHARPNESS * log_probabilities, _NO_HYPOTHESIS), axis=1)
    return tf.reduce_sum(among * tf.where(exists, costs, 0.0), axis=1)


def compiled_risk_step(config: ModelConfig, hypotheses: int, weight: float) -> Callable[..., RiskResult]:
    """(parameters, moments, number, settings, batch) -> a step that lowers cross-entropy plus `weight` times the risk.

    Args:
        config: of the model.
        hypotheses: N
        weight: of the expected cost.
    """
    return _compiled_risk_step(config, hypotheses, weight)


@keeps_graphs(most=1)
def _compiled_risk_step(config: ModelConfig, hypotheses: int, weight: float) -> Callable[..., RiskResult]:
    differentiate = _gradient_function(config, hypotheses, weight)
    update = compiled_update(parameter_count(config))

    def step(
        parameters: Tensor, moments: Moments, number: Tensor, settings: StepSettings, batch: RiskBatch
    ) -> RiskResult:
        risk, loss, gradient = differentiate(parameters, settings, batch)
        sums = TokenSums(loss + risk, hits=tf.zeros_like(loss), tokens=tf.ones_like(loss))  # means already
        done = update(parameters, moments, number, settings, sums, gradient)
        return RiskResult(done.parameters, done.moments, risk, loss, done.healthy)

    vector = tf.TensorSpec((parameter_count(config),), tf.float32)
    ids = tf.TensorSpec((None, None), tf.int32)
    signature = (
        vector,
        Moments(vector, vector),
        tf.TensorSpec((), tf.float32),
        SETTINGS_SIGNATURE,
        RiskBatch(ids, ids, ids, tf.TensorSpec((None, hypotheses), tf.float32)),
    )
    return tf.function(step, input_signature=signature, autograph=False)


def _gradient_function(
    config: ModelConfig, hypotheses: int, weight: float
) -> Callable[..., tuple[Tensor, Tensor, Tensor]]:
    """(parameters, settings, batch) -> the mean expected cost, the cross-entropy, the gradient (P,) of the loss."""
    model = shared_model(config)
    rows = hypotheses + 1

    def differentiate(
        parameters: Tensor, settings: StepSettings, batch: RiskBatch
    ) -> tuple[Tensor, Tensor, Tensor]:
        with tf.GradientTape() as tape:
            tape.watch(parameters)
            with bound(model, split_parameters(parameters, config), settings.dropout_seed):
                hidden, _ = model.hidden(
                    batch.source, batch.decoder_input, training=True, targets_per_source=rows
                )
                output = output_layer(hidden, *model.output_projection(), batch.labels)
            logits = tf.matmul(output.states, output.matrix, transpose_b=True)
            total = tf.reduce_logsumexp(logits, axis=1)  # of each real token
            found = tf.gather(logits, output.labels, batch_dims=1)
            means = _row_means(found - total, batch.labels)
            risk = tf.reduce_mean(expected_costs(tf.reshape(means, (-1, rows))[:, :hypotheses], batch.costs))
            mean_logit = tf.linalg.matvec(output.states, tf.reduce_mean(output.matrix, axis=0))
            smoothed = (1.0 - settings.label_smoothing) * found + settings.label_smoothing * mean_logit
            loss = _mean_of_targets(total - smoothed, batch.labels, rows)
            objective = loss + weight * risk
        return risk, loss, tape.gradient(objective, parameters)

    return differentiate


def _row_of_each_token(labels: Tensor) -> Tensor:
    """The row of each real token, (number of them,)."""
    return tf.cast(tf.where(labels != 0)[:, 0], tf.int32)


def _row_means(values: Tensor, labels: Tensor) -> Tensor:
    """The mean of each row's real tokens, (rows,); 0 for a row without any."""
    rows = tf.shape(labels)[0]
    sums = tf.math.unsorted_segment_sum(values, _row_of_each_token(labels), rows)
    counts = tf.math.count_nonzero(labels, axis=1, dtype=tf.float32)
    return sums / tf.maximum(counts, 1.0)


def _mean_of_targets(values: Tensor, labels: Tensor, rows: int) -> Tensor:
    """The mean over the real tokens of the last of each source's rows, ()."""
    is_target = tf.cast(_row_of_each_token(labels) % rows == rows - 1, tf.float32)
    return tf.reduce_sum(values * is_target) / tf.maximum(tf.reduce_sum(is_target), 1.0)
