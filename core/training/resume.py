"""Long training runs that save their state in a folder, and resume there after a kill."""

import json
from collections.abc import Generator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from safetensors import safe_open

from core.config import TrainingConfig
from core.records.training import EpochReport, SavedRun, StepReport
from core.training.loop import TrainingRun
from core.weights import parameter_count

STATE_FILE = "training_state.safetensors"
_FRESH_FILE = f".{STATE_FILE}.new"  # while it is written
_ARRAYS = ("parameters", "first_moment", "second_moment", "best_parameters")


class ResumeError(ValueError):
    """A training run cannot be resumed; the message says why."""


def resumable_steps(run: TrainingRun, folder: Path, save_every: int) -> Generator[StepReport, None, None]:
    """Run the training steps, and save the full state every `save_every` steps.

    A step depends only on the saved state, the seed and its number. So a run that was killed and resumed gives the same
    numbers as an uninterrupted one.

    Args:
        run: a new run; before this returns, it gets the state that `folder` has of an earlier one.
        folder: where to save.
        save_every: steps between two saves, which a kill can lose; 1 or more.

    Raises:
        ResumeError: the folder holds another training run.
    """
    if (folder / STATE_FILE).is_file():
        restore(run, folder)
    return _saving_steps(run, folder, save_every)


def _saving_steps(run: TrainingRun, folder: Path, save_every: int) -> Generator[StepReport, None, None]:
    for report in run.steps():
        if report.step % save_every == 0:
            save_state(run, folder)
        yield report


def save_state(run: TrainingRun, folder: Path) -> None:
    """Write the state atomically: a kill leaves either the old one or the new one."""
    folder.mkdir(parents=True, exist_ok=True)
    saved = run.saved()
    arrays = {name: getattr(saved, name) for name in _ARRAYS}
    about = {
        "step": saved.step,
        "best_epoch": saved.best_epoch,
        "best_loss": saved.best_loss,
        "seconds": saved.seconds,
        "epochs": [asdict(epoch) for epoch in saved.epochs],
        "epoch_sums": saved.epoch_sums,
        **_settings(run),
    }
    fresh = folder / _FRESH_FILE
    safetensors.numpy.save_file(arrays, fresh, metadata={"run": json.dumps(about)})
    fresh.replace(folder / STATE_FILE)


def state_files(folder: Path) -> list[Path]:
    """Return the files that `save_state` writes, also those that a kill leaves behind."""
    return [folder / STATE_FILE, folder / _FRESH_FILE]


def _settings(run: TrainingRun) -> dict[str, Any]:
    """Return what must be equal for a run to be resumed."""
    return {
        "model": run.model_config.to_dict(),
        "training": run.training_config.to_dict(),
        "pairs": len(run.pairs),
        "data": run.data,
        "start": run.start,
    }


def restore(run: TrainingRun, folder: Path) -> None:
    """Restore the state that `save_state` wrote.

    Raises:
        ResumeError: the file is damaged, or belongs to another training run.
    """
    try:
        with safe_open(folder / STATE_FILE, framework="numpy") as file:
            about = json.loads(file.metadata()["run"])
            # Settings that are newer than the file have their defaults.
            about["training"] = TrainingConfig.from_dict(about["training"]).to_dict()
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (safetensors.SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise ResumeError(f"{folder / STATE_FILE} is damaged. Delete it to start over.") from error
    if {name: about.get(name) for name in _settings(run)} != _settings(run):
        raise ResumeError(
            f"{folder} holds a training with other settings or pairs, or from other weights. Give the ones it had, or "
            "delete it."
        )
    expected = (parameter_count(run.model_config),)
    if any(array.shape != expected or array.dtype != np.float32 for array in arrays.values()):
        raise ResumeError(f"{folder / STATE_FILE} does not fit its own model. Delete it to start over.")
    run.restore(
        SavedRun(
            step=about["step"],
            **arrays,
            best_epoch=about["best_epoch"],
            best_loss=about["best_loss"],
            epochs=tuple(EpochReport(**epoch) for epoch in about["epochs"]),
            epoch_sums=tuple(about["epoch_sums"]),
            seconds=about["seconds"],
        )
    )
