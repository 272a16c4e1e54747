"""Ray Data on this machine. Skipped where Ray is not installed (requirements-cluster.txt)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.pages.conftest import ROOT

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

pytest.importorskip("ray", reason="pip install -r requirements-cluster.txt")
pytestmark = pytest.mark.slow


def translate(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "core", "translate", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_a_file_is_translated_line_by_line_and_goes_on(tmp_path: Path, checkpoint: Checkpoint) -> None:
    from core.decoding.text.line_parts import LINES_IN_PART, PartFolder, cut_file

    sources = [pair.source for pair in checkpoint.examples]
    lines = [sources[number % len(sources)] if number % 7 else "…" for number in range(2500)]
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("\n".join(lines), encoding="utf-8")
    checkpoint.save(tmp_path / "model")

    damaged = tmp_path / "broken"
    done = translate(damaged, source, "--out", out, "--cluster")
    assert done.returncode == 2 and "There is no checkpoint" in done.stderr

    done = translate(tmp_path / "model", source, "--out", out, "--cluster")
    assert done.returncode == 1, done.stderr
    assert "358 of 2,500 lines could not be translated and are empty" in done.stderr
    found = out.read_text(encoding="utf-8").split("\n")
    assert found.pop() == "" and len(found) == len(lines)
    said = {sources[n]: each.text for n, each in enumerate(checkpoint.translator().translate_typed(sources))}
    assert found == [said.get(line, "") for line in lines]

    # As if it had been killed after the second of three parts, whose place a mark takes.
    from dataclasses import asdict

    from core.checkpoints.checkpoint import Checkpoint
    from core.config import DecodingConfig

    file = cut_file(source, LINES_IN_PART)
    folder = PartFolder.beside(out)
    folder.begin(
        {
            "source": file.digest,
            "model": Checkpoint.load(tmp_path / "model").fingerprint(),
            "decoding": asdict(DecodingConfig()),
            "lines_in_part": LINES_IN_PART,
        }
    )
    folder.write(file.parts[1], ["mark"] * file.parts[1].lines)
    done = translate(tmp_path / "model", source, "--out", out, "--cluster")
    assert done.returncode == 1, done.stderr
    again = out.read_text(encoding="utf-8").split("\n")
    assert again[1000:2000] == ["mark"] * 1000
    assert again[:1000] == found[:1000] and again[2000:-1] == found[2000:]
