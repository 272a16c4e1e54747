from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.config import TrainingConfig
from core.records import Pair
from core.training import fit
from core.training.batches import EncodedPairs
from core.training.fit import STATE_FILE, ResumeError, restore, resumable_steps, save_state
from core.training.loop import TrainingRun
from core.training.pairs import PreparedPairs
from core.training.recipe import prepare_word_training
from core.weights import flatten, initial_weights
from tests.conftest import TINY

CONFIG = TINY.replace(source_vocab_size=38, target_vocab_size=35, num_layers=1)
TRAINING = TrainingConfig(
    epochs=6, batch_size=8, seed=7, schedule="linear", warmup_steps=3, ema_decay=0.9
)  # 12 steps


def new_run(toy: PreparedPairs, **changes: object) -> TrainingRun:
    return TrainingRun(CONFIG, TRAINING.replace(**changes), toy.encoded)


@pytest.fixture(scope="module")
def uninterrupted(toy: PreparedPairs) -> TrainingRun:
    run = new_run(toy)
    for _ in run.steps():
        pass
    return run


@pytest.mark.parametrize("killed_after", [3, 5, 6, 11])
def test_a_killed_training_goes_on_to_the_same_numbers(
    toy: PreparedPairs, uninterrupted: TrainingRun, tmp_path: Path, killed_after: int
) -> None:
    list(islice(resumable_steps(new_run(toy), tmp_path, save_every=3), killed_after))  # nothing after that
    again = new_run(toy)
    reports = list(resumable_steps(again, tmp_path, save_every=3))
    saved_at = killed_after // 3 * 3
    assert reports == list(uninterrupted.log.reports[saved_at:])
    assert np.array_equal(flatten(again.last_weights()), flatten(uninterrupted.last_weights()))
    assert np.array_equal(flatten(again.best_weights()), flatten(uninterrupted.best_weights()))
    assert (again.best_epoch, again.best_loss) == (uninterrupted.best_epoch, uninterrupted.best_loss)


def test_killed_in_the_middle_of_saving_the_older_state_stays(
    toy: PreparedPairs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(islice(resumable_steps(new_run(toy), tmp_path, save_every=2), 2))
    whole = (tmp_path / STATE_FILE).read_bytes()

    class KilledError(BaseException):
        pass

    def write_half(arrays: object, path: Path, metadata: object) -> None:
        path.write_bytes(whole[: len(whole) // 2])
        raise KilledError

    monkeypatch.setattr("core.training.fit.safetensors.numpy.save_file", write_half)
    with pytest.raises(KilledError):
        list(resumable_steps(new_run(toy), tmp_path, save_every=2))
    monkeypatch.undo()
    again = new_run(toy)
    resumable_steps(again, tmp_path, save_every=2)
    assert again.state.step == 2


def test_other_settings_or_pairs_are_refused(toy: PreparedPairs, tmp_path: Path) -> None:
    list(islice(resumable_steps(new_run(toy), tmp_path, save_every=1), 2))
    fewer = TrainingRun(CONFIG, TRAINING, EncodedPairs(toy.encoded.source[:9], toy.encoded.target[:9]))
    for run in (new_run(toy, seed=8), fewer):
        with pytest.raises(ResumeError, match="holds a training with other settings or pairs"):
            resumable_steps(run, tmp_path, save_every=1)


@pytest.mark.parametrize(("new", "same_words"), [("you thank", True), ("spank you", False)])
def test_pairs_that_were_edited_are_refused(
    toy: PreparedPairs, tmp_path: Path, new: str, same_words: bool
) -> None:
    """As many as before, also where other words get the same ids."""
    tokenizers = (toy.source_tokenizer, toy.target_tokenizer) if same_words else None

    def run_of(pairs: list[Pair]) -> TrainingRun:
        return prepare_word_training(pairs, CONFIG, TRAINING, tokenizers).new_run()

    edited = [Pair(pair.source, pair.target.replace("thank you", new)) for pair in toy.pairs]
    assert edited != list(toy.pairs)
    save_state(run_of(list(toy.pairs)), tmp_path)
    restore(run_of(list(toy.pairs)), tmp_path)
    with pytest.raises(ResumeError, match="holds a training with other settings or pairs"):
        restore(run_of(edited), tmp_path)


def test_other_weights_to_start_from_are_refused(toy: PreparedPairs, tmp_path: Path) -> None:
    one, other = (initial_weights(CONFIG, seed) for seed in (1, 2))
    list(islice(resumable_steps(TrainingRun(CONFIG, TRAINING, toy.encoded, one), tmp_path, save_every=1), 2))
    again = TrainingRun(CONFIG, TRAINING, toy.encoded, initial_weights(CONFIG, 1))
    resumable_steps(again, tmp_path, save_every=1)
    assert again.state.step == 2
    for run in (TrainingRun(CONFIG, TRAINING, toy.encoded, other), new_run(toy)):
        with pytest.raises(ResumeError, match="holds a training with other settings or pairs"):
            resumable_steps(run, tmp_path, save_every=1)


def test_a_setting_that_is_newer_than_the_file_has_its_default(
    toy: PreparedPairs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = fit._settings

    def older(run: TrainingRun) -> dict[str, Any]:
        known = settings(run)
        del known["training"]["patience"]
        return known

    with monkeypatch.context() as patch:
        patch.setattr(fit, "_settings", older)
        save_state(new_run(toy), tmp_path)
    restore(new_run(toy), tmp_path)
    with pytest.raises(ResumeError, match="other settings"):
        restore(new_run(toy, patience=5), tmp_path)


@pytest.mark.parametrize("length", [0, 100])
def test_a_damaged_state_is_told(toy: PreparedPairs, tmp_path: Path, length: int) -> None:
    save_state(new_run(toy), tmp_path)
    path = tmp_path / STATE_FILE
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ResumeError, match=r"is damaged\. Delete it to start over"):
        resumable_steps(new_run(toy), tmp_path, save_every=1)


def test_ctrl_c_in_the_validation_leaves_the_run_between_two_steps(
    toy: PreparedPairs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged_run() -> TrainingRun:
        return TrainingRun(CONFIG, TRAINING, toy.encoded, validation=toy.encoded)

    def interrupted(self: TrainingRun, state: object = None) -> None:
        raise KeyboardInterrupt

    run = judged_run()
    with monkeypatch.context() as patched:
        patched.setattr(TrainingRun, "validate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            list(run.steps())
    assert run.state.step == run.steps_per_epoch - 1 == len(run.log.reports)
    save_state(run, tmp_path)
    again, whole = judged_run(), judged_run()
    list(resumable_steps(again, tmp_path, save_every=100))
    list(whole.steps())
    assert [epoch.validation_loss for epoch in again.epochs] == [
        epoch.validation_loss for epoch in whole.epochs
    ]
    assert np.array_equal(flatten(again.last_weights()), flatten(whole.last_weights()))
