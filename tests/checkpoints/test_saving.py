"""A checkpoint is written whole or not at all, and never over other files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core import atomic_file
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.limits import CheckpointError
from core.checkpoints.model_file import check_writable
from tests.conftest import subword_checkpoint


def named(name: str) -> Checkpoint:
    return subword_checkpoint(name=name)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    named("old").save(tmp_path / "m.safetensors")
    return tmp_path / "m.safetensors"


def test_saving_again_replaces_the_file_also_through_a_link(tmp_path: Path, file: Path) -> None:
    named("new").save(file)
    assert Checkpoint.load(file).name == "new"
    (tmp_path / "link").symlink_to(file)
    named("newer").save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert Checkpoint.load(file).name == "newer"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "m.safetensors"]


@pytest.mark.parametrize("owner, call", [(os, "fsync"), (Path, "replace")])
@pytest.mark.parametrize("before", [["m.safetensors"], []], ids=["older one there", "nothing there"])
def test_a_write_that_fails_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, call: str, before: list[str]
) -> None:
    for name in before:
        named("old").save(tmp_path / name)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(owner, call, fail)
    with pytest.raises(CheckpointError, match=r"^Cannot write .*: No space left on device\.$"):
        named("new").save(tmp_path / "m.safetensors")
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == before
    assert [Checkpoint.load(tmp_path / name).name for name in before] == ["old"] * len(before)


def open_elsewhere(monkeypatch: pytest.MonkeyPatch, tries: int) -> None:
    """Let a file be open in another program while it is to be replaced, as Windows has it."""
    left, replace = [tries], Path.replace

    def refuse(self: Path, target: Path) -> None:
        left[0] -= 1
        if left[0] >= 0:
            raise PermissionError(13, "Access is denied")
        replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    monkeypatch.setattr(atomic_file, "_PAUSE_SECONDS", 0.0)


def test_a_file_that_is_open_is_tried_again_and_then_said(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_elsewhere(monkeypatch, 3)
    named("new").save(file)
    assert Checkpoint.load(file).name == "new"
    open_elsewhere(monkeypatch, 10_000)
    with pytest.raises(CheckpointError, match="another program has it open"):
        named("newer").save(file)
    assert Checkpoint.load(file).name == "new"
    assert [path.name for path in file.parent.iterdir()] == ["m.safetensors"]


def test_where_a_checkpoint_may_be_written(tmp_path: Path, file: Path) -> None:
    (tmp_path / "file").write_text("years of work")
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "new" / "deeper", tmp_path / "new", file):
        check_writable(place)
    assert not (tmp_path / "new").exists()
    for place in (tmp_path / "file", tmp_path / "folder", tmp_path / "file" / "below"):
        with pytest.raises(CheckpointError):
            check_writable(place)
    assert (tmp_path / "file").read_text() == "years of work"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be forked there")
def test_a_process_killed_while_it_saves_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    for name in ("old", "new"):
        named(name).save(tmp_path / f"{name}.safetensors")
    arguments = [
        str(tmp_path / name) for name in ("old.safetensors", "new.safetensors", "here/m.safetensors")
    ]
    command = [sys.executable, "-m", "tests.checkpoints.killed_saving", *arguments]
    found = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300
    )
    names = found.stdout.split()
    assert found.returncode == 0, found.stderr[-2000:]
    assert set(names) == {"old", "new"}
    assert names == sorted(names, reverse=True)  # once it is the new one, it stays
    assert len(names) > 4  # points at which it died
