import dataclasses

import numpy as np

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.snapshot import snapshot
from core.config import TrainingConfig
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.records import Pair
from core.training.loop import TrainingRun
from core.training.recipe import PreparedTraining
from core.weights import parameter_count
from tests.conftest import Trained, subword_checkpoint

SMALL = CLASSROOM.model.replace(num_layers=1, d_model=8, num_heads=2, d_ff=16)


def new_run(toy: PreparedTraining) -> TrainingRun:
    return TrainingRun(SMALL, TrainingConfig(batch_size=4), toy.encoded)


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
        "seconds": round(trained.run.seconds, 3),
        "last_loss": trained.run.log.reports[-1].loss,
        "last_accuracy": trained.run.log.reports[-1].accuracy,
        "best_epoch": trained.run.best_epoch,
        "best_epoch_loss": trained.run.best_loss,
    }


def test_before_the_first_epoch_has_ended_it_has_the_latest_weights(toy: PreparedTraining) -> None:
    run = new_run(toy)
    next(run.steps())
    run.seconds = 0.1234567
    taken, last = snapshot(run, toy), run.last_weights()
    assert all(np.array_equal(taken.weights[name], last[name]) for name in last)
    assert (taken.metrics["epochs"], taken.metrics["seconds"]) == (0, 0.123)
    assert "best_epoch" not in taken.metrics


def test_long_pairs_are_no_examples(toy: PreparedTraining) -> None:
    """A page that opens the checkpoint again would refuse them."""
    longest, longer = Pair("a" * 300, "b"), Pair("a", "b" * 301)
    prepared = dataclasses.replace(toy, pairs=(longer, longest, *PAIRS))
    assert snapshot(new_run(toy), prepared).examples == (longest, *PAIRS[:14])


def test_its_pairs_say_whether_it_needs_a_full_stop(toy: PreparedTraining) -> None:
    pairs, tokenizer = (Pair("a casa.", "x"),), subword_checkpoint().source_tokenizer
    prepared = dataclasses.replace(toy, pairs=pairs, source_tokenizer=tokenizer)
    assert snapshot(new_run(toy), prepared).needs_stop


def test_the_card_of_what_it_went_on_from_stands_below_one_step_down(toy: PreparedTraining) -> None:
    older = subword_checkpoint(card="# Old\n\n## Data\n\nCC BY 2.0\n")
    card = snapshot(new_run(toy), toy, name="New", start=older).card
    assert card.startswith("# New\n\n") and f"with {parameter_count(SMALL):,} parameters" in card
    assert card.endswith("\n## Continued from: Old\n\n### Data\n\nCC BY 2.0\n")
