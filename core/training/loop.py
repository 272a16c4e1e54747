"""The training loop, as a generator of reports: closing it stops the run, and calling `steps` again continues it."""

import math
import time
from collections.abc import Callable, Generator
from functools import cached_property
from itertools import islice

import numpy as np
import tensorflow as tf

from core.config import ModelConfig, TrainingConfig
from core.records.training import EpochReport, SavedRun, StepReport, TrainingDivergedError, ValidationReport
from core.tokens.vocabulary import PAD_ID
from core.training.batches import Batch, TrainingPairs
from core.training.optimizer import Moments
from core.training.pairs import MIN_VALIDATION_PAIRS
from core.training.step import StepResult, StepSettings, TrainingState, compiled_evaluation, compiled_step
from core.training.step_log import StepLog
from core.weights import Weights, fingerprint, initial_weights


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
        first = weights or initial_weights(model_config, training_config.seed)
        self.state = TrainingState.new(first)
        self.log = StepLog()  # of this process; a resumed run lacks the earlier steps
        self.epochs: list[EpochReport] = []  # all epochs, also those before a resumption
        self.epoch_sums = np.zeros(3)  # loss, hits and tokens of the current epoch
        self.seconds = 0.0  # of training so far
        self.best_epoch = 0  # 0 before the end of the first epoch
        self.best_loss = math.inf  # mean loss of the best epoch
        self.best_parameters = self.state.parameters
        self._patience_start = 0  # the epoch from which patience counts

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
    def out_of_patience(self) -> bool:
        patience = self.training_config.patience
        since = max(self.best_epoch, self._patience_start)
        return patience is not None and self.epochs_done - since >= patience

    def last_weights(self) -> Weights:
        """Return the weights after the last step."""
        return self.state.weights(self.model_config)

    def saved(self) -> SavedRun:
        """Return the state after the last step."""
        return SavedRun(
            step=self.state.step,
            parameters=self.state.parameters.numpy(),
            first_moment=self.state.moments.first.numpy(),
            second_moment=self.state.moments.second.numpy(),
            best_parameters=self.best_parameters.numpy(),
            best_epoch=self.best_epoch,
            best_loss=self.best_loss,
            epochs=tuple(self.epochs),
            epoch_sums=tuple(self.epoch_sums.tolist()),
            seconds=self.seconds,
            patience_start=self._patience_start,
            last=self.log.last,
        )

    def restore(self, saved: SavedRun) -> None:
        """Continue from a state of a run with the same settings and pairs."""
        moments = Moments(tf.constant(saved.first_moment), tf.constant(saved.second_moment))
        self.state = TrainingState(tf.constant(saved.parameters), moments, saved.step)
        self.best_parameters = tf.constant(saved.best_parameters)
        self.best_epoch = saved.best_epoch
        self.best_loss = saved.best_loss
        self.epochs = list(saved.epochs)
        self.epoch_sums = np.array(saved.epoch_sums)
        self.seconds = saved.seconds
        self._patience_start = saved.patience_start
        if saved.last is not None:
            self.log.add(saved.last)

    def steps(self) -> Generator[StepReport, None, None]:
        """Train until the run is finished, and yield a report after each step.

        Raises:
            TrainingDivergedError: the loss or a weight became infinite or NaN. The best weights are kept.
        """
        shape = self.pairs.batch_shape(self.training_config)
        step = compiled_step(self.model_config, *shape, self.strategy, self.training_config.r_drop > 0)
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
        rate = float(settings.adam.learning_rate)
        result = step(
            self.state.parameters,
            self.state.moments,
            float(number),
            settings,
            batch.source,
            batch.decoder_input,
            batch.labels,
        )
        if not result.is_finite:
            raise TrainingDivergedError(number, rate)
        state = TrainingState(result.parameters, result.moments, number)
        ends_epoch = number % self.steps_per_epoch == 0
        report = StepReport(
            step=number,
            epoch=epoch,
            loss=float(result.loss),
            accuracy=float(result.accuracy),
            learning_rate=rate,
            ends_epoch=ends_epoch,
            tokens=int(np.count_nonzero(batch.labels != PAD_ID)),
            validation=self.validate(state) if ends_epoch and self.validation is not None else None,
        )
        # Only now, so that Ctrl-C during a long validation leaves the run between two steps.
        self.state = state
        self.log.add(report)
        self.epoch_sums += np.array([report.loss, report.accuracy, 1.0]) * report.tokens
        self.seconds += time.monotonic() - started
        if report.ends_epoch:
            self._end_epoch(report)
        return report

    def validate(self, state: TrainingState | None = None) -> ValidationReport:
        """Evaluate a state, by default that after the last step, on the validation pairs."""
        assert self.validation is not None
        parameters = (state or self.state).parameters
        evaluate = compiled_evaluation(self.model_config, *self.validation.batch_shape(self.training_config))
        sums = np.zeros(3)
        for batch in self.validation.batches(self.training_config, epoch=0):
            sums += [
                float(value)
                for value in evaluate(parameters, batch.source, batch.decoder_input, batch.labels)
            ]
        loss, hits, tokens = sums
        return ValidationReport(loss / tokens, hits / tokens)

    def _end_epoch(self, report: StepReport) -> None:
        loss, hits, tokens = (float(total) for total in self.epoch_sums)
        self.epoch_sums = np.zeros(3)
        validation = report.validation
        epoch = EpochReport(
            epoch=report.epoch,
            step=report.step,
            loss=loss / tokens,
            accuracy=hits / tokens,
            learning_rate=report.learning_rate,
            seconds=self.seconds,
            validation_loss=validation.loss if validation else None,
            validation_accuracy=validation.accuracy if validation else None,
        )
        self.epochs.append(epoch)
        is_validated = self.validation is not None and len(self.validation) >= MIN_VALIDATION_PAIRS
        monitored = validation.loss if validation and is_validated else epoch.loss
        if monitored < self.best_loss:
            self.best_loss = monitored
            self.best_epoch = epoch.epoch
            self.best_parameters = self.state.parameters
