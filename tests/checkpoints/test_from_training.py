import dataclasses
from pathlib import Path

import numpy as np
import pytest

from core.checkpoints.card import default_card
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.description import MAX_CARD_CHARACTERS, MAX_EPOCHS
from core.checkpoints.from_training import checkpoint_of
from core.config import TrainingConfig
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.records.text import Pair
from core.records.training import EpochReport
from core.training.recipe import PreparedTraining
from core.weights import flatten, parameter_count
from tests.conftest import subword_checkpoint

SMALL = CLASSROOM.model.replace(num_layers=1, d_model=8, num_heads=2, d_ff=16)


@pytest.fixture(scope="module")
def small(toy: PreparedTraining) -> PreparedTraining:
    return dataclasses.replace(toy, model=SMALL, training=TrainingConfig(batch_size=4, epochs=3))


@pytest.mark.long
def test_holds_the_best_weights_and_where_they_came_from(small: PreparedTraining) -> None:
    run = small.new_run()
    steps = len(list(run.steps()))
    taken = checkpoint_of(run.saved(), small)
    assert (taken.config, taken.training, taken.examples) == (SMALL, small.training, PAIRS)
    assert np.array_equal(flatten(taken.weights), run.state.best_parameters)
    assert taken.metrics == {
        "pairs": 15,
        "steps": steps,
        "steps_per_epoch": 4,
        "epochs": 3,
        "seconds": round(run.state.seconds, 3),
        "last_loss": run.log.reports[-1].loss,
        "last_accuracy": run.log.reports[-1].accuracy,
        "best_epoch": run.state.best_epoch,
        "best_epoch_loss": run.state.best_loss,
    }


def test_before_the_first_epoch_has_ended_it_has_the_latest_weights(small: PreparedTraining) -> None:
    run = small.new_run()
    next(run.steps())
    run.state = dataclasses.replace(run.state, seconds=0.1234567)
    taken, last = checkpoint_of(run.saved(), small), run.last_weights()
    assert all(np.array_equal(taken.weights[name], last[name]) for name in last)
    assert (taken.metrics["epochs"], taken.metrics["seconds"]) == (0, 0.123)
    assert "best_epoch" not in taken.metrics


def test_it_has_the_weights_of_the_best_epoch(small: PreparedTraining) -> None:
    saved = small.new_run().saved()
    best = dataclasses.replace(saved, best_epoch=2, best_loss=1.0, best_parameters=saved.parameters + 1)
    assert np.array_equal(flatten(checkpoint_of(best, small).weights), saved.parameters + 1)


def test_a_long_training_is_saved_with_its_first_and_last_epoch(small: PreparedTraining) -> None:
    saved = small.new_run().saved()
    epochs = tuple(EpochReport(number, 4 * number, 2.5, 0.125, 1e-3, 0.1) for number in range(1, 2002))
    kept = checkpoint_of(dataclasses.replace(saved, epochs=epochs), small).epochs
    assert (kept[0], kept[-1], len(kept)) == (epochs[0], epochs[-1], MAX_EPOCHS)


def test_long_pairs_are_no_examples(small: PreparedTraining) -> None:
    """A page that opens the checkpoint again would refuse them."""
    longest, longer = Pair("a" * 300, "b"), Pair("a", "b" * 301)
    prepared = dataclasses.replace(small, pairs=(longer, longest, *PAIRS))
    assert checkpoint_of(small.new_run().saved(), prepared).examples == (longest, *PAIRS[:14])


def test_its_pairs_say_whether_it_needs_a_full_stop(small: PreparedTraining) -> None:
    pairs, tokenizer = (Pair("a casa.", "x"),), subword_checkpoint().source_tokenizer
    model = small.model.replace(source_vocab_size=len(tokenizer.vocabulary))
    prepared = dataclasses.replace(small, model=model, pairs=pairs, source_tokenizer=tokenizer)
    assert checkpoint_of(prepared.new_run().saved(), prepared).needs_full_stop


def test_the_card_of_what_it_went_on_from_stands_below_one_step_down(small: PreparedTraining) -> None:
    older = subword_checkpoint(card="# Old\n\n## Data\n\nCC BY 2.0\n")
    card = checkpoint_of(small.new_run().saved(), small, name="New", start=older).full_card()
    assert card.startswith("# New\n\n") and f"with {parameter_count(SMALL):,} parameters" in card
    assert card.endswith("\n## Continued from: Old\n\n### Data\n\nCC BY 2.0\n")
    without_card = subword_checkpoint()
    card = checkpoint_of(small.new_run().saved(), small, name="New", start=without_card).full_card()
    assert f"\n## Continued from: {without_card.name}\n" in card


def test_the_long_card_of_what_it_went_on_from_is_cut_so_that_the_file_opens_again(
    small: PreparedTraining, tmp_path: Path
) -> None:
    older = subword_checkpoint(origin="# Old\n\n" + "a" * (MAX_CARD_CHARACTERS - 10))
    taken = checkpoint_of(small.new_run().saved(), small, start=older)
    taken.save(tmp_path / "new.safetensors")
    assert Checkpoint.load(tmp_path / "new.safetensors").origin == taken.origin


def test_a_card_has_the_shape_of_the_model_and_settings_and_numbers_of_its_training(
    small: PreparedTraining,
) -> None:
    trained = checkpoint_of(small.new_run().saved(), small, name="Mine")
    card = trained.full_card()
    settings = {name: value for name, value in small.training.to_dict().items() if value is not None}
    for name, value in (*trained.config.to_dict().items(), *settings.items(), *trained.metrics.items()):
        shown = f"{value:g}" if isinstance(value, float) else str(value)
        assert f"| {name} | {shown} |" in card


def test_a_card_has_every_labelled_field() -> None:
    texts, table = {"author": "Ada", "unknown": ""}, {"loss": 0.5}
    card = default_card("Mine", SMALL, {**texts, "result": table})
    assert "| author | Ada |" in card and "| loss | 0.5 |" in card and "unknown" not in card
