"""The training loop, as a generator of reports: closing it stops the run, and calling `steps` again continues it."""

import time
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import cached_property
from itertools import islice

import numpy as np
import tensorflow as tf

from core.config import ModelConfig, TrainingConfig
from core.model.keras_ops import Tensor
from core.records.training import (
    EpochReport,
    StepReport,
    TrainingDivergedError,
    TrainingState,
    ValidationReport,
)
from core.tokens.vocabulary import PAD_ID
from core.training.batches import Batch, TrainingPairs
from core.training.optimizer import initial_state, traced_settings
from core.training.pairs import MIN_VALIDATION_PAIRS
from core.training.step import StepResult, StepSettings, compiled_evaluation, compiled_step
from core.training.step_log import StepLog
from core.weights import Weights, fingerprint, flatten, initial_weights, unflatten


class TrainingRun:
    """One model in training: its data, its settings, and its state after the last step.

    `steps()` continues from any step, also in the middle of an epoch. An interrupted run gives the same numbers as an
    uninterrupted one: the order of the pairs depends on seed and epoch alone, dropout on seed and step.

    Args:
        model_config: the model's configuration.
        training_config: how to train it.
        pairs: pairs to train on.
        weights: initial weights; None draws new ones from the seed.
        validation: pairs whose loss is measured after each epoch. Of `MIN_VALIDATION_PAIRS` or more, it selects the best
            epoch; else the training loss does.
        strategy: devices that share each batch, from `tf.distribute`; None uses one device.
        data: fingerprint of pairs and vocabularies, checked when a run is resumed.
    """

    def __init__(
        self,
        model_config: ModelConfig,
        training_config: TrainingConfig,
        pairs: TrainingPairs,
        weights: Weights | None = None,
        validation: TrainingPairs | None = None,
        strategy: tf.distribute.Strategy | None = None,
        data: str = "",
    ) -> None:
        self.model_config = model_config
        self.training_config = training_config
        self.pairs = pairs
        self.validation = validation
        self.strategy = strategy
        self.data = data
        self.start = fingerprint(weights) if weights else ""  # of given initial weights
        first = tf.constant(flatten(weights or initial_weights(model_config, training_config.seed)))
        self.state = TrainingState(first, initial_state(first, training_config), first)
        self.log = StepLog()  # of this process; a resumed run lacks the earlier steps

    @cached_property
    def steps_per_epoch(self) -> int:
        return self.pairs.steps_per_epoch(self.training_config)

    @property
    def total_steps(self) -> int:
        """The number of steps from the first to the last epoch."""
        return self.training_config.epochs * self.steps_per_epoch

    @property
    def epochs_done(self) -> int:
        return self.state.step // self.steps_per_epoch

    @property
    def finished(self) -> bool:
        """Whether the last epoch is done, or patience is over."""
        return self.state.step >= self.total_steps or self.out_of_patience

    @property
    def is_validated(self) -> bool:
        """Whether the validation loss selects the best epoch; else the training loss does."""
        return self.validation is not None and len(self.validation) >= MIN_VALIDATION_PAIRS

    @property
    def out_of_patience(self) -> bool:
        patience = self.training_config.patience
        since = max(self.state.best_epoch, self.state.patience_start)
        return patience is not None and self.epochs_done - since >= patience

    def last_weights(self) -> Weights:
        """Return the weights after the last step."""
        return unflatten(np.array(self.state.parameters), self.model_config)

    def saved(self) -> TrainingState:
        """Return the state after the last step, in NumPy."""
        return self.state.with_arrays(lambda tensor: tensor.numpy())

    def restore(self, saved: TrainingState) -> None:
        """Continue from a state of a run with the same settings and pairs."""
        self.state = saved.with_arrays(tf.constant)
        if saved.last is not None:
            self.log.add(saved.last)

    def steps(self) -> Generator[StepReport, None, None]:
        """Train until the run is finished, and yield a report after each step.

        Raises:
            TrainingDivergedError: the loss or a weight became infinite or NaN. The best weights are kept.
        """
        shape = self.pairs.batch_shape(self.training_config)
        traced = traced_settings(self.training_config)
        step = compiled_step(self.model_config, traced, *shape, self.strategy)
        while not self.finished:
            epoch = self.epochs_done + 1
            done = self.state.step % self.steps_per_epoch
            config = self.training_config
            batches = self.pairs.batches(config, epoch)
            for batch in islice(batches, done, None):
                yield self._step(step, batch, epoch)

    def _step(self, step: Callable[..., StepResult], batch: Batch, epoch: int) -> StepReport:
        started = time.monotonic()
        config = self.training_config
        number = self.state.step + 1
        settings = StepSettings.of(config, self.model_config.d_model, number, self.total_steps)
        rate = float(settings.optimizer.learning_rate)
        result = step(
            self.state.parameters,
            self.state.optimizer,
            float(number),
            settings,
            batch.source,
            batch.decoder_input,
            batch.labels,
        )
        if not result.is_finite:
            raise TrainingDivergedError(number, rate)
        ends_epoch = number % self.steps_per_epoch == 0
        report = StepReport(
            step=number,
            epoch=epoch,
            loss=float(result.loss),
            accuracy=float(result.accuracy),
            learning_rate=rate,
            ends_epoch=ends_epoch,
            tokens=int(np.count_nonzero(batch.labels != PAD_ID)),
            validation=self.validate(result.parameters) if ends_epoch and self.validation else None,
        )
        sums = np.array([report.loss, report.accuracy, 1.0]) * report.tokens
        state = replace(
            self.state,
            parameters=result.parameters,
            optimizer=result.optimizer,
            step=number,
            epoch_sums=tuple((self.state.epoch_sums + sums).tolist()),
            seconds=self.state.seconds + time.monotonic() - started,
            last=report,
        )
        # In one assignment, so that Ctrl-C leaves the run between two steps.
        self.state = self._after_epoch(state, report) if ends_epoch else state
        self.log.add(report)
        return report

    def validate(self, parameters: Tensor | None = None) -> ValidationReport:
        """Evaluate weights (P,), by default those after the last step, on the validation pairs."""
        assert self.validation is not None
        return self.evaluate(self.validation, self.state.parameters if parameters is None else parameters)

    def evaluate(self, pairs: TrainingPairs, parameters: Tensor | None = None) -> ValidationReport:
        """Evaluate weights (P,), by default those of the best epoch, on pairs: without dropout and smoothing."""
        parameters = self.state.model_parameters if parameters is None else parameters
        evaluate = compiled_evaluation(self.model_config, *pairs.batch_shape(self.training_config))
        sums = np.zeros(3)
        for batch in pairs.batches(self.training_config, epoch=0):
            sums += [
                float(value)
                for value in evaluate(parameters, batch.source, batch.decoder_input, batch.labels)
            ]
        loss, hits, tokens = sums
        return ValidationReport(loss / tokens, hits / tokens)

    def _after_epoch(self, state: TrainingState, report: StepReport) -> TrainingState:
        """Return the state after the last step of an epoch, with the epoch's report, and its weights if they are best."""
        loss, hits, tokens = state.epoch_sums
        validation = report.validation
        epoch = EpochReport(
            epoch=report.epoch,
            step=report.step,
            loss=loss / tokens,
            accuracy=hits / tokens,
            learning_rate=report.learning_rate,
            seconds=state.seconds,
            validation_loss=validation.loss if validation else None,
            validation_accuracy=validation.accuracy if validation else None,
        )
        state = replace(state, epochs=(*state.epochs, epoch), epoch_sums=(0.0, 0.0, 0.0))
        monitored = validation.loss if validation and self.is_validated else epoch.loss
        if monitored < state.best_loss:
            return replace(
                state, best_loss=monitored, best_epoch=epoch.epoch, best_parameters=state.parameters
            )
        return state
