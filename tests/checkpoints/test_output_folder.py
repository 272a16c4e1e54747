"""A checkpoint is written whole or not at all, and never over other files."""

import os
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from core.checkpoints import output_folder
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.limits import CheckpointError
from core.checkpoints.output_folder import check_writable
from tests.conftest import subword_checkpoint


def named(name: str) -> Checkpoint:
    return subword_checkpoint(name=name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    named("old").save(tmp_path / "model")
    return tmp_path / "model"


def test_saving_again_replaces_the_whole_folder_also_through_a_link(tmp_path: Path, folder: Path) -> None:
    named("new").save(folder)
    assert Checkpoint.load(folder).name == "new"
    (tmp_path / "link").symlink_to(folder)
    named("newer").save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert Checkpoint.load(folder).name == "newer"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "model"]


@pytest.mark.parametrize("failing", ["third file", "move"])
@pytest.mark.parametrize("before", [["model"], []], ids=["older one there", "nothing there"])
def test_a_write_that_fails_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, before: list[str]
) -> None:
    target, calls, rename = tmp_path / "model", count(1), Path.rename
    for name in before:
        named("old").save(tmp_path / name)

    def fail_late(self: int | Path, *arguments: Path) -> None:
        number = next(calls)
        if number == 3 if isinstance(self, int) else arguments == (target,) and number <= 2:
            raise OSError(28, "No space left on device")
        if isinstance(self, Path):
            rename(self, *arguments)

    owner, call = (os, "fsync") if failing == "third file" else (Path, "rename")
    monkeypatch.setattr(owner, call, fail_late)
    monkeypatch.setattr(output_folder, "_exchange", lambda one, other: False)  # as where the system cannot
    with pytest.raises(CheckpointError, match=r"^Cannot write .*model: No space left on device\.$"):
        named("new").save(target)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == before
    assert [Checkpoint.load(tmp_path / name).name for name in before] == ["old"] * len(before)


def test_where_a_checkpoint_may_be_written(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "new" / "deeper", tmp_path / "empty", folder):
        check_writable(place)
    (tmp_path / "file").write_text("x")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "config.json").write_text("{}")  # that happens to have a file of this name
    (tmp_path / "project" / "thesis.tex").write_text("years of work")
    (folder / "notes.txt").write_text("mine")
    for save in (check_writable, named("new").save):
        for place in (tmp_path / "file", tmp_path / "file" / "below"):
            with pytest.raises(CheckpointError, match=r"file is a file\."):
                save(place)
        for place in (tmp_path / "project", folder):
            with pytest.raises(CheckpointError, match=r"has other files in it\. Name a new or empty folder"):
                save(place)
    assert (tmp_path / "project" / "thesis.tex").read_text() == "years of work"
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a folder is replaced in two steps")
def test_a_process_killed_while_it_saves_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / f"{name}.zip").write_bytes(named(name).to_zip())
    arguments = [str(tmp_path / name) for name in ("old.zip", "new.zip", "here/checkpoint")]
    command = [sys.executable, "-m", "tests.checkpoints.killed_saving", *arguments]
    found = subprocess.run(
        command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300
    )
    names = found.stdout.split()
    assert found.returncode == 0, found.stderr[-2000:]
    assert set(names) == {"old", "new"}
    assert names == sorted(names, reverse=True)  # once it is the new one, it stays
    assert len(names) > 20  # points at which it died
