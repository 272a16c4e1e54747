from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from core.config import TrainingConfig
from core.corpora.toy import PAIRS
from core.errors import InputError
from core.records.text import Pair
from core.training import resume
from core.training.recipe import PreparedTraining, prepare_training
from core.training.resume import restore, resumable_steps, save_state
from core.weights import flatten, initial_weights
from tests.conftest import TINY

if TYPE_CHECKING:
    from core.training.loop import TrainingRun

STATE = "m.training.safetensors"
CONFIG = TINY.replace(source_vocab_size=38, target_vocab_size=35, num_layers=1)
TRAINING = TrainingConfig(epochs=6, batch_size=8, seed=7, schedule="linear", warmup_steps=3)  # 12 steps


def new_run(toy: PreparedTraining, **changes: object) -> TrainingRun:
    from core.training.loop import TrainingRun

    return TrainingRun(CONFIG, TRAINING.replace(**changes), toy.encoded)


@pytest.fixture(scope="module", params=[0.0, 2.0], ids=["", "R-Drop"])
def uninterrupted(toy: PreparedTraining, request: pytest.FixtureRequest) -> TrainingRun:
    run = new_run(toy, r_drop=request.param)
    for _ in run.steps():
        pass
    return run


@pytest.mark.slow
@pytest.mark.parametrize("killed_after", [3, 5, 11])
def test_a_killed_training_goes_on_to_the_same_numbers(
    toy: PreparedTraining, uninterrupted: TrainingRun, tmp_path: Path, killed_after: int
) -> None:
    r_drop = uninterrupted.training_config.r_drop
    killed = new_run(toy, r_drop=r_drop)
    list(islice(resumable_steps(killed, tmp_path / STATE, save_every=0), killed_after))  # nothing after that
    again = new_run(toy, r_drop=r_drop)
    reports = list(resumable_steps(again, tmp_path / STATE, save_every=0))
    saved_at = killed_after
    assert reports == list(uninterrupted.log.reports[saved_at:])
    assert np.array_equal(flatten(again.last_weights()), flatten(uninterrupted.last_weights()))
    assert np.array_equal(again.saved().model_parameters, uninterrupted.saved().model_parameters)
    assert (again.state.best_epoch, again.state.best_loss) == (
        uninterrupted.state.best_epoch,
        uninterrupted.state.best_loss,
    )


def test_killed_in_the_middle_of_saving_the_older_state_stays(
    toy: PreparedTraining, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(islice(resumable_steps(new_run(toy), tmp_path / STATE, save_every=0), 2))
    whole = (tmp_path / STATE).read_bytes()

    class KilledError(BaseException):
        pass

    def write_half(arrays: object, path: Path, metadata: object) -> None:
        path.write_bytes(whole[: len(whole) // 2])
        raise KilledError

    monkeypatch.setattr("core.training.resume.safetensors.numpy.save_file", write_half)
    with pytest.raises(KilledError):
        list(resumable_steps(new_run(toy), tmp_path / STATE, save_every=0))
    monkeypatch.undo()
    again = new_run(toy)
    resumable_steps(again, tmp_path / STATE, save_every=0)
    assert again.state.step == 2


def run_of(
    pairs: Sequence[Pair] = PAIRS, start: int | None = 1, training: TrainingConfig = TRAINING
) -> TrainingRun:
    """As people train: with vocabularies learned from the pairs, from new weights or from others."""
    weights = None if start is None else initial_weights(CONFIG, start)
    return prepare_training(pairs, CONFIG, training).new_run(weights)


OTHER_WORDS = [Pair(pair.source, pair.target.replace("thank", "spank")) for pair in PAIRS]


@pytest.mark.parametrize(
    "changes",
    [{"training": TRAINING.replace(seed=8)}, {"pairs": PAIRS[:9]}, {"pairs": PAIRS[::-1]}, {"pairs": OTHER_WORDS},
     {"start": 2}, {"start": None}],
    ids=["seed", "fewer pairs", "the same pairs in another order", "other words of the same ids", "other weights",
         "new weights"],
)  # fmt: skip
def test_another_training_is_refused(changes: dict[str, Any], tmp_path: Path) -> None:
    list(islice(resumable_steps(run_of(), tmp_path / STATE, save_every=0), 2))
    again = run_of()
    resumable_steps(again, tmp_path / STATE, save_every=0)
    assert again.state.step == 2
    with pytest.raises(InputError):
        resumable_steps(run_of(**changes), tmp_path / STATE, save_every=0)


def test_a_setting_that_is_newer_than_the_file_has_its_default(
    toy: PreparedTraining, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = resume._settings

    def older(run: TrainingRun) -> dict[str, Any]:
        known = settings(run)
        del known["training"]["patience"], known["model"]["norm_kind"]
        return known

    with monkeypatch.context() as patch:
        patch.setattr(resume, "_settings", older)
        save_state(new_run(toy), tmp_path / STATE)
    restore(new_run(toy), tmp_path / STATE)
    with pytest.raises(InputError):
        restore(new_run(toy, patience=5), tmp_path / STATE)


@pytest.mark.parametrize("length", [0, 100])
def test_a_damaged_state_is_told(toy: PreparedTraining, tmp_path: Path, length: int) -> None:
    save_state(new_run(toy), tmp_path / STATE)
    path = tmp_path / STATE
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(InputError, match=STATE):
        resumable_steps(new_run(toy), tmp_path / STATE, save_every=0)


@pytest.mark.slow
def test_ctrl_c_in_the_validation_leaves_the_run_between_two_steps(
    toy: PreparedTraining, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.training.loop import TrainingRun

    def judged_run() -> TrainingRun:
        return TrainingRun(CONFIG, TRAINING, toy.encoded, validation=toy.encoded)

    def interrupted(self: TrainingRun, state: object = None) -> None:
        raise KeyboardInterrupt

    run, whole = judged_run(), judged_run()
    with monkeypatch.context() as patched:
        patched.setattr(TrainingRun, "validate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            list(run.steps())
    assert run.state.step == run.steps_per_epoch - 1
    assert [*run.log.reports, *run.steps()] == list(whole.steps())
    assert np.array_equal(flatten(run.last_weights()), flatten(whole.last_weights()))
