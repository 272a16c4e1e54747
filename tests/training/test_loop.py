from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from core.config import TrainingConfig
from core.corpora.toy import PAIRS
from core.inference.model import InferenceModel
from core.inference.search import log_softmax
from core.presets import CLASSROOM
from core.records.training import StepReport, TrainingDivergedError
from core.tokens.vocabulary import PAD_ID
from core.training.batches import EncodedPairs
from core.training.pairs import encode_pairs
from core.training.recipe import PreparedTraining
from core.training.step_log import StepLog
from core.weights import Weights, flatten, initial_weights

if TYPE_CHECKING:
    from core.training.loop import TrainingRun

MODEL = CLASSROOM.model.replace(num_layers=1, d_model=8, num_heads=2, d_ff=16)  # with dropout
TRAINING = TrainingConfig(epochs=3, batch_size=4, learning_rate=0.01)
MOMENTS = ("first", "second")
STEPS = 12  # three epochs of four batches: 15 pairs, 4 at a time


def new_run(toy: PreparedTraining, weights: Weights | None = None, **changes: Any) -> TrainingRun:
    from core.training.loop import TrainingRun

    return TrainingRun(MODEL, TRAINING.replace(**changes), toy.encoded, weights)


def finish(run: TrainingRun) -> TrainingRun:
    for _ in run.steps():
        pass
    return run


def same(one: TrainingRun, other: TrainingRun) -> bool:
    return (
        one.log.reports == other.log.reports
        and np.array_equal(flatten(one.last_weights()), flatten(other.last_weights()))
        and np.array_equal(one.saved().model_parameters, other.saved().model_parameters)
        and (one.state.best_epoch, one.state.best_loss) == (other.state.best_epoch, other.state.best_loss)
        and all(
            np.array_equal(array, other.state.optimizer[name]) for name, array in one.state.optimizer.items()
        )
    )


@pytest.mark.slow
def test_reports_count_steps_and_epochs(toy: PreparedTraining) -> None:
    from core.training.optimizer import learning_rate

    run = new_run(toy, schedule="warmup", warmup_steps=5)
    reports = list(run.steps())
    assert reports == list(run.log.reports)
    assert [report.step for report in reports] == list(range(1, STEPS + 1))
    assert [report.epoch for report in reports] == [1] * 4 + [2] * 4 + [3] * 4
    assert [report.ends_epoch for report in reports] == [False, False, False, True] * 3
    rates = [learning_rate(run.training_config, 8, step, STEPS) for step in range(1, STEPS + 1)]
    assert [report.learning_rate for report in reports] == rates
    assert all(0 <= report.accuracy <= 1 for report in reports)
    assert (run.total_steps, run.steps_per_epoch, run.epochs_done, run.finished) == (STEPS, 4, 3, True)
    assert list(run.steps()) == []


@pytest.mark.slow
def test_r_drop_changes_what_is_learned(toy: PreparedTraining) -> None:
    without, with_it = (finish(new_run(toy, epochs=1, r_drop=alpha)) for alpha in (0.0, 5.0))
    assert not np.array_equal(flatten(with_it.last_weights()), flatten(without.last_weights()))


@pytest.mark.parametrize("stop", [0, 1, 4, 5, STEPS])
def test_stopped_anywhere_and_gone_on_equals_uninterrupted(toy: PreparedTraining, stop: int) -> None:
    whole = finish(new_run(toy))
    run = new_run(toy)
    with closing(run.steps()) as steps:
        for _ in range(stop):
            next(steps)
    assert run.state.step == len(run.log.reports) == stop
    assert same(finish(run), whole)


def test_the_seed_decides_weights_order_and_dropout(toy: PreparedTraining) -> None:
    first, again, other = (finish(new_run(toy, seed=seed)) for seed in (1, 1, 2))
    assert same(again, first)
    assert not np.array_equal(flatten(other.last_weights()), flatten(first.last_weights()))
    weights = initial_weights(MODEL, 5)
    one, another = (finish(new_run(toy, weights, seed=seed)).log.reports for seed in (1, 2))
    assert [report.loss for report in one] != [report.loss for report in another]


def test_two_runs_in_two_threads_change_nothing(toy: PreparedTraining) -> None:
    alone = [finish(new_run(toy, seed=seed)) for seed in (1, 2)]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda seed: finish(new_run(toy, seed=seed)), (1, 2)))
    assert all(same(a, b) for a, b in zip(alone, together, strict=True))


def mean_loss(reports: Sequence[StepReport]) -> float:
    """Mean over all target tokens of the steps, nats a token."""
    return sum(report.loss * report.tokens for report in reports) / sum(report.tokens for report in reports)


def epoch_losses(history: Sequence[StepReport]) -> list[float]:
    return [mean_loss(history[first : first + 4]) for first in range(0, len(history), 4)]


def test_best_and_last_weights(toy: PreparedTraining) -> None:
    run = new_run(toy, learning_rate=0.5, epochs=6)  # so high that the last epoch is not the best
    after: dict[int, Weights] = {}
    for report in run.steps():
        if report.ends_epoch:
            after[report.epoch] = run.last_weights()
    losses = epoch_losses(run.log.reports)
    best = 1 + losses.index(min(losses))
    assert best < 6, "choose a case in which the last epoch is not the best"
    assert (run.state.best_epoch, run.state.best_loss) == (best, min(losses))
    assert np.array_equal(run.saved().model_parameters, flatten(after[best]))
    assert run.evaluate(toy.encoded) == run.evaluate(toy.encoded, flatten(after[best]))
    assert not np.array_equal(run.saved().model_parameters, flatten(run.last_weights()))


@pytest.mark.slow
def test_held_out_pairs_choose_the_best_epoch(toy: PreparedTraining) -> None:
    """Held out are wrong translations, which it does worse at while it learns the right ones."""
    from core.training.loop import TrainingRun

    assert isinstance(toy.encoded, EncodedPairs)
    wrong = EncodedPairs(toy.encoded.source, np.roll(toy.encoded.target, 1, axis=0))
    run = finish(TrainingRun(MODEL, TRAINING.replace(learning_rate=0.5), toy.encoded, validation=wrong))
    losses = [epoch.validation_loss or 0.0 for epoch in run.state.epochs]
    best = 1 + losses.index(min(losses))
    lowest = min(run.state.epochs, key=lambda epoch: epoch.loss).epoch
    assert best != lowest, "choose a case in which they differ"
    assert (run.state.best_epoch, run.state.best_loss) == (best, min(losses))
    few = EncodedPairs(wrong.source[:2], wrong.target[:2])
    run = finish(TrainingRun(MODEL, TRAINING.replace(learning_rate=0.5), toy.encoded, validation=few))
    assert run.state.best_epoch == lowest, "two sentences say too little"
    three = EncodedPairs(wrong.source[:3], wrong.target[:3])
    assert TrainingRun(MODEL, TRAINING, toy.encoded, validation=three).is_validated


def test_the_validation_loss_is_that_of_the_translator(toy: PreparedTraining) -> None:
    """Neither dropout nor label smoothing is in it: the engine that translates has none."""
    from core.training.loop import TrainingRun

    training = TRAINING.replace(label_smoothing=0.3)
    found = TrainingRun(MODEL, training, toy.encoded, validation=toy.encoded).validate()
    assert isinstance(toy.encoded, EncodedPairs)
    read, labels = toy.encoded.target[:, :-1], toy.encoded.target[:, 1:]
    engine = InferenceModel(MODEL, initial_weights(MODEL, TRAINING.seed))
    log_p = log_softmax(engine.logits(toy.encoded.source, read))
    of_labels = np.take_along_axis(log_p, labels[..., None], axis=-1)[..., 0]
    assert found.loss == pytest.approx(-of_labels[labels != PAD_ID].mean(), abs=1e-5)


def test_patience_ends_a_run_that_gets_no_better_unless_it_is_told_to_go_on(toy: PreparedTraining) -> None:
    run = finish(new_run(toy, learning_rate=0.5, epochs=100, patience=2))
    ended = run.epochs_done
    assert (run.out_of_patience, run.finished) == (True, True)
    assert ended == run.state.best_epoch + 2 < 100
    losses = epoch_losses(run.log.reports)
    assert min(losses[: run.state.best_epoch]) <= min(losses[run.state.best_epoch :])
    longer = new_run(toy, learning_rate=0.5, epochs=ended + 5, patience=2)
    longer.restore(replace(run.saved(), patience_start=ended))
    assert (longer.out_of_patience, longer.finished) == (False, False)
    assert ended + 2 <= finish(longer).epochs_done <= ended + 5


def test_divergence_is_told_and_keeps_the_best_weights(toy: PreparedTraining) -> None:
    huge = {name: array * np.float32(1e25) for name, array in initial_weights(MODEL, 1).items()}
    run = new_run(toy, huge)
    with pytest.raises(TrainingDivergedError, match="1"):
        finish(run)
    assert run.log.reports == () and run.state.step == 0
    assert np.array_equal(run.saved().model_parameters, flatten(huge))


@pytest.mark.slow
def test_weights_that_are_no_numbers_are_never_kept(toy: PreparedTraining) -> None:
    """The loss of the last good step is a number while its step already ruined the weights."""
    from core.training.loop import TrainingRun

    training = TRAINING.replace(batch_size=16)
    object.__setattr__(training, "epsilon", 0.0)  # past the config's own check: Adam divides by 0
    run = TrainingRun(MODEL, training, toy.encoded)
    with pytest.raises(TrainingDivergedError):
        finish(run)
    assert np.isfinite(run.saved().model_parameters).all()
    assert np.isfinite(flatten(run.last_weights())).all()


@pytest.mark.long
def test_every_step_drops_something_else(toy: PreparedTraining) -> None:
    """One pair and a rate that moves no weight: only the dropout changes from step to step."""
    from core.training.loop import TrainingRun

    one = encode_pairs(PAIRS[:1], toy.source_tokenizer, toy.target_tokenizer)
    training = TRAINING.replace(batch_size=1, epochs=10, learning_rate=1e-30)
    losses = [report.loss for report in TrainingRun(MODEL, training, one).steps()]
    assert len(set(losses)) == 10
    still = [report.loss for report in TrainingRun(MODEL.replace(dropout_rate=0.0), training, one).steps()]
    assert len(set(still)) == 1


def logged(steps: int, steps_per_epoch: int, max_reports: int) -> StepLog:
    log = StepLog(max_reports)
    for step in range(1, steps + 1):
        epoch = (step - 1) // steps_per_epoch + 1
        log.add(StepReport(step, epoch, 1.0, 0.5, 0.001, ends_epoch=step % steps_per_epoch == 0))
    return log


@pytest.mark.parametrize("steps_per_epoch", [1, 30, 10**9])
def test_the_log_of_a_long_training_takes_no_more_memory_than_a_short_one(steps_per_epoch: int) -> None:
    log = logged(10_003, steps_per_epoch, max_reports=200)
    steps = [report.step for report in log.reports]
    assert 50 <= len(steps) <= 200
    assert steps == sorted(set(steps))
    assert (steps[0], steps[-1]) == (1, 10_003)
    assert max(np.diff(steps)) <= 10_003 / 50  # no stretch is left out


def test_the_log_keeps_all_steps_while_there_is_room() -> None:
    assert [report.step for report in logged(190, 2, max_reports=200).reports] == list(range(1, 191))
