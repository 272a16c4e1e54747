"""Long training runs that save their state in a file, and resume there after a kill."""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import safetensors
import safetensors.numpy
from safetensors import safe_open

from core.arrays import Floats
from core.atomic_file import replaced
from core.config import ModelConfig, TrainingConfig
from core.errors import InputError
from core.records.training import EpochReport, StepReport, TrainingState

if TYPE_CHECKING:
    from core.training.loop import TrainingRun

_OPTIMIZER = "optimizer/"  # before the names of the optimizer's arrays


_LARGEST_SHARE = 0.02  # of the time that saving may take


def resumable_steps(run: TrainingRun, file: Path, save_every: float) -> Generator[StepReport, None, None]:
    """Run the training steps, and save the full state every `save_every` seconds.

    Saving takes at most 2 % of the time: where it takes long, it is done less often.

    A step depends only on the saved state, the seed and its number. So a run that was killed and resumed gives the same
    numbers as an uninterrupted one.

    Args:
        run: a new run; before this returns, it gets the state that `file` has of an earlier one.
        file: where to save.
        save_every: seconds between two saves, which a kill can lose; 0 saves after every step.

    Raises:
        InputError: the file holds another training run.
    """
    if file.is_file():
        restore(run, file)
    return _saving_steps(run, file, save_every)


def _saving_steps(run: TrainingRun, file: Path, save_every: float) -> Generator[StepReport, None, None]:
    due = time.monotonic() + save_every
    for report in run.steps():
        begun = time.monotonic()
        if begun >= due:
            save_state(run, file)
            ended = time.monotonic()
            due = ended + max(save_every, (ended - begun) / _LARGEST_SHARE) if save_every else ended
        yield report


def save_state(run: TrainingRun, file: Path) -> None:
    """Write the state whole or not at all: a kill leaves either the old one or the new one."""
    state = run.saved()
    # The last step's report is not in it: the next step brings another.
    about = asdict(state.with_arrays(lambda _: None)) | {"last": None, **_settings(run)}
    with replaced(file) as fresh:
        safetensors.numpy.save_file(dict(_arrays(state)), fresh, metadata={"run": json.dumps(about)})


def _arrays(state: TrainingState) -> Iterator[tuple[str, Floats]]:
    yield "parameters", state.parameters
    yield "best_parameters", state.best_parameters
    for name, array in state.optimizer.items():
        yield f"{_OPTIMIZER}{name}", array


def _settings(run: TrainingRun) -> dict[str, Any]:
    """Return what must be equal for a run to be resumed."""
    return {
        "model": run.model_config.to_dict(),
        "training": run.training_config.to_dict(),
        "pairs": len(run.pairs),
        "data": run.data,
        "start": run.start,
    }


def restore(run: TrainingRun, file: Path) -> None:
    """Restore the state that `save_state` wrote.

    Raises:
        InputError: the file is damaged, or belongs to another training run.
    """
    wanted = _settings(run)
    try:
        with safe_open(file, framework="numpy") as opened:
            about = json.loads(opened.metadata()["run"])
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        settings = {name: about.pop(name) for name in wanted}
        # Settings that are newer than the file have their defaults.
        settings["model"] = ModelConfig.from_dict(settings["model"]).to_dict()
        settings["training"] = TrainingConfig.from_dict(settings["training"]).to_dict()
        state = _state(about, arrays)
    except (safetensors.SafetensorError, OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{file} is damaged. Delete it to start over.") from error
    if settings != wanted:
        raise InputError(
            f"{file} holds a training with other settings or pairs, or from other weights. Give the ones it had, or "
            "delete it."
        )
    expected = dict(_arrays(run.saved()))
    if {name: (array.shape, array.dtype) for name, array in arrays.items()} != {
        name: (array.shape, array.dtype) for name, array in expected.items()
    }:
        raise InputError(f"{file} does not fit its own model. Delete it to start over.")
    run.restore(state)


def _state(about: dict[str, Any], arrays: dict[str, Floats]) -> TrainingState:
    """Return the state that a file has: its arrays by name, and everything else."""
    return TrainingState(
        **about
        | {
            "parameters": arrays["parameters"],
            "best_parameters": arrays["best_parameters"],
            "optimizer": {name: arrays[f"{_OPTIMIZER}{name}"] for name in about["optimizer"]},
            "epochs": tuple(EpochReport(**epoch) for epoch in about["epochs"]),
            "epoch_sums": tuple(about["epoch_sums"]),
        }
    )
