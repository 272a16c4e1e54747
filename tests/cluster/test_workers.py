"""Two processes on this machine train one model. Needs no Ray."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.__main__ import main
from core.checkpoints.checkpoint import Checkpoint
from tests.pages.conftest import ROOT

pytestmark = pytest.mark.slow


def training(out: Path) -> list[str]:
    """On the fifteen pairs in batches of two: the last one of an epoch has one row, none for a second worker."""
    sizes = ["--batch-size", "2", "--dropout-rate", "0", "--num-layers", "1", "--seed", "3", "--epochs", "5"]
    loss = ["--clip-norm", "0.5", "--label-smoothing", "0.1"]  # of the whole batch, not of each worker's rows
    return ["train", "toy", "--out", str(out), *sizes, *loss, "--preview", "0"]


def train(out: Path, *flags: str) -> tuple[Checkpoint, str]:
    """In a process of its own.

    Returns:
        The checkpoint, and what was said.
    """
    command = [sys.executable, "-m", "core", *training(out), *flags]
    environment = {**os.environ, "TF_NUM_INTRAOP_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Checkpoint.load(out), done.stderr


def test_two_workers_reach_the_loss_of_one(tmp_path: Path) -> None:
    assert main(training(tmp_path / "one")) == 0
    alone, (together, said) = Checkpoint.load(tmp_path / "one"), train(tmp_path / "two", "--workers", "2")
    assert "2 workers share each batch." in said
    assert len(alone.epochs) == len(together.epochs) == 5
    for one, two in zip(alone.epochs, together.epochs, strict=True):
        assert two.loss == pytest.approx(one.loss, rel=1e-4)
        assert two.accuracy == pytest.approx(one.accuracy, abs=0.02)
    assert alone.epochs[-1].loss < 0.8 * alone.epochs[0].loss
