from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from core.config import TrainingConfig
from core.pipeline import PreparedPairs
from core.training.fit import resumable_steps
from core.training.loop import TrainingRun
from core.weights import flatten, initial_weights
from tests.conftest import TINY

CONFIG = TINY.replace(source_vocab_size=38, target_vocab_size=35, num_layers=1)
TRAINING = TrainingConfig(epochs=4, batch_size=8, seed=7, learning_rate=0.01)  # 8 steps


def new_run(toy: PreparedPairs, ema_decay: float) -> TrainingRun:
    return TrainingRun(
        CONFIG, TRAINING.replace(ema_decay=ema_decay), toy.encoded, validation=toy.encoded.bucketed()
    )


def weights_by_step(run: TrainingRun) -> list[np.ndarray]:
    return [run.state.parameters.numpy() for _ in run.steps()]


@pytest.mark.slow
def test_the_average_is_that_of_all_steps(toy: PreparedPairs) -> None:
    run = new_run(toy, ema_decay=0.3)
    average = flatten(initial_weights(CONFIG, TRAINING.seed)).astype(np.float64)
    for step, weights in enumerate(weights_by_step(run), start=1):
        decay = min(0.3, (1 + step) / (10 + step))
        average = decay * average + (1 - decay) * weights
    np.testing.assert_allclose(flatten(run.last_weights()), average, rtol=0, atol=1e-6)
    assert not np.allclose(run.state.parameters.numpy(), average, atol=1e-4)


@pytest.mark.slow
def test_the_average_is_what_is_judged_and_kept(toy: PreparedPairs) -> None:
    run = new_run(toy, ema_decay=0.3)
    list(run.steps())
    judged = TrainingRun(CONFIG, TRAINING, toy.encoded, run.last_weights(), toy.encoded.bucketed()).validate()
    assert run.log.reports[-1].validation == judged
    assert run.best_epoch == 4 and np.array_equal(flatten(run.best_weights()), flatten(run.last_weights()))


def test_it_changes_no_step_and_none_is_kept_unless_asked_for(toy: PreparedPairs) -> None:
    with_average, without = new_run(toy, ema_decay=0.9), new_run(toy, ema_decay=0.0)
    for one, other in zip(weights_by_step(with_average), weights_by_step(without), strict=True):
        assert np.array_equal(one, other)
    assert without.state.average is None
    assert np.array_equal(flatten(without.last_weights()), without.state.parameters.numpy())


@pytest.mark.parametrize("killed_after", [3, 7])
def test_a_killed_training_goes_on_to_the_same_average(
    toy: PreparedPairs, tmp_path: Path, killed_after: int
) -> None:
    whole, again = new_run(toy, ema_decay=0.9), new_run(toy, ema_decay=0.9)
    list(whole.steps())
    list(islice(resumable_steps(new_run(toy, ema_decay=0.9), tmp_path, save_every=3), killed_after))
    list(resumable_steps(again, tmp_path, save_every=3))
    assert len(again.log.reports) == 8 - killed_after // 3 * 3
    assert np.array_equal(flatten(again.last_weights()), flatten(whole.last_weights()))
