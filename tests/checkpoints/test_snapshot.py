import dataclasses

import numpy as np
import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.snapshot import snapshot
from core.config import TrainingConfig
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.records import Pair
from core.training.loop import TrainingRun
from core.training.pairs import PreparedPairs
from tests.conftest import Trained, subword_checkpoint

SMALL = CLASSROOM.model.replace(num_layers=1, d_model=8, num_heads=2, d_ff=16)


def test_holds_the_best_weights_and_where_they_came_from(checkpoint: Checkpoint, trained: Trained) -> None:
    assert checkpoint.config == trained.config
    assert checkpoint.training == trained.run.training_config
    assert checkpoint.examples == PAIRS
    best = trained.run.best_weights()
    assert all(np.array_equal(checkpoint.weights[name], best[name]) for name in best)
    assert checkpoint.metrics == {
        "pairs": 15,
        "steps": 400,
        "steps_per_epoch": 2,
        "epochs": 200,
        "seconds": 5.0,
        "last_loss": trained.run.log.reports[-1].loss,
        "last_accuracy": trained.run.log.reports[-1].accuracy,
        "best_epoch": trained.run.best_epoch,
        "best_epoch_loss": trained.run.best_loss,
    }


def test_of_a_run_that_has_hardly_begun(toy: PreparedPairs) -> None:
    run = TrainingRun(SMALL, TrainingConfig(batch_size=4), toy.encoded)
    assert snapshot(run, toy, 0.0).metrics == {
        "pairs": 15,
        "steps": 0,
        "steps_per_epoch": 4,
        "epochs": 0,
        "seconds": 0.0,
    }
    next(run.steps())
    taken = snapshot(run, toy, 0.1234567)
    assert taken.metrics == {
        "pairs": 15,
        "steps": 1,
        "steps_per_epoch": 4,
        "epochs": 0,
        "seconds": 0.123,
        "last_loss": run.log.reports[0].loss,
        "last_accuracy": run.log.reports[0].accuracy,
    }
    loaded = Checkpoint.from_zip(taken.to_zip())
    last = run.last_weights()
    assert all(np.array_equal(loaded.weights[name], last[name]) for name in last)


def test_long_pairs_are_no_examples(toy: PreparedPairs) -> None:
    """A page that opens the checkpoint again would refuse them."""
    run = TrainingRun(SMALL, TrainingConfig(batch_size=4), toy.encoded)
    longest, longer = Pair("a" * 300, "b"), Pair("a", "b" * 301)
    prepared = dataclasses.replace(toy, pairs=(longer, longest, *PAIRS))
    assert snapshot(run, prepared, 0.0).examples == (longest, *PAIRS[:14])


@pytest.mark.parametrize(("last", "needs_stop"), [("azul?", True), ("azul", False)])
def test_what_it_was_trained_on_says_whether_it_needs_a_full_stop(
    toy: PreparedPairs, last: str, needs_stop: bool
) -> None:
    run = TrainingRun(SMALL, TrainingConfig(batch_size=4), toy.encoded)
    pairs, tokenizer = (Pair("a casa.", "x"), Pair(last, "y")), subword_checkpoint().source_tokenizer
    prepared = dataclasses.replace(toy, pairs=pairs, source_tokenizer=tokenizer)
    assert snapshot(run, prepared, 0.0).needs_stop is needs_stop
