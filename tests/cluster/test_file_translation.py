"""Ray Data on this machine. Skipped where Ray is not installed (requirements-cluster.txt)."""

from dataclasses import asdict
from pathlib import Path

import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.config import DecodingConfig
from core.resumable_file import FileTask
from tests.conftest import numbers, run_core

pytest.importorskip("ray", reason="pip install -r requirements-cluster.txt")
pytestmark = pytest.mark.slow


def test_a_file_is_translated_line_by_line_from_where_it_was_killed(
    tmp_path: Path, checkpoint: Checkpoint
) -> None:
    sources = [pair.source for pair in checkpoint.examples]
    lines = [sources[number % len(sources)] if number % 7 else "…" for number in range(2500)]
    source, out, model = tmp_path / "in.txt", tmp_path / "out.txt", tmp_path / "model.safetensors"
    source.write_text("\n".join(lines), encoding="utf-8")
    checkpoint.save(model)
    settings = {"model": Checkpoint.load(model).fingerprint(), "decoding": asdict(DecodingConfig())}
    task = FileTask.begin(source, out, settings)
    task.write(task.parts[1], ["mark"] * 1000)  # as if an earlier command had been killed after it

    done = run_core("translate", model, source, "--out", out, "--cluster")
    assert done.returncode == 1, done.stderr
    assert ["215", "2,500"] in map(numbers, done.stderr.splitlines())
    translations = checkpoint.translator().translate(sources, typed=True)
    said = {each.source: each.text for each in translations}
    expected = [said.get(line, "") for line in lines]
    found = out.read_text(encoding="utf-8").splitlines()
    assert found == [*expected[:1000], *["mark"] * 1000, *expected[2000:]]
