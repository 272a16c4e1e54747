"""Two processes on this machine train one model. Needs no Ray."""

from pathlib import Path

import pytest

from core.__main__ import main
from core.checkpoints.checkpoint import Checkpoint
from tests.conftest import numbers, run_core

pytestmark = pytest.mark.slow


def training(out: Path) -> list[str]:
    """On the fifteen pairs in batches of two: the last one of an epoch has one row, none for a second worker."""
    sizes = ["--batch-size", "2", "--dropout-rate", "0", "--num-layers", "1", "--seed", "3", "--epochs", "5"]
    loss = ["--clip-norm", "0.5", "--label-smoothing", "0.1"]  # of the whole batch, not of each worker's rows
    return ["train", "toy", "--out", str(out), *sizes, *loss, "--preview", "0"]


@pytest.mark.long
def test_two_workers_reach_the_loss_of_one(tmp_path: Path) -> None:
    assert main(training(tmp_path / "one")) == 0
    done = run_core(*training(tmp_path / "two"), "--workers", 2, TF_NUM_INTRAOP_THREADS="1")
    assert ["2"] in map(numbers, done.stderr.splitlines()) and done.returncode == 0, done.stderr
    alone, together = (Checkpoint.load(tmp_path / name) for name in ("one.safetensors", "two.safetensors"))
    assert len(alone.epochs) == len(together.epochs) == 5
    for one, two in zip(alone.epochs, together.epochs, strict=True):
        assert two.loss == pytest.approx(one.loss, rel=1e-4)
        assert two.accuracy == pytest.approx(one.accuracy, abs=0.02)
    assert alone.epochs[-1].loss < 0.8 * alone.epochs[0].loss
