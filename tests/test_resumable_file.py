from pathlib import Path

import pytest

from core import resumable_file
from core.errors import InputError
from core.resumable_file import FileTask


def begin(folder: Path, data: bytes = b"a\nb\nc\n", **settings: object) -> FileTask:
    (folder / "lines.txt").write_bytes(data)
    return FileTask.begin(folder / "lines.txt", folder / "out.txt", settings)


@pytest.mark.parametrize("in_part", [1, 2, 100])
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"a", ["a"]),
        (b"\n\n", ["", ""]),
        (b"a\nb\r\n\nd\n", ["a", "b", "", "d"]),
        ("\ufeffé\u2028x\x0by\rz\né".encode(), ["é\u2028x\x0by\rz", "é"]),
    ],
)
def test_the_parts_have_every_line_once_and_in_order(
    tmp_path: Path, data: bytes, expected: list[str], in_part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resumable_file, "LINES_IN_PART", in_part)
    task = begin(tmp_path, data)
    assert [line for part in task.parts for line in task.read(part)] == expected
    assert all(part.lines <= in_part for part in task.parts)
    assert [part.number for part in task.parts] == list(range(len(task.parts)))


def test_a_folder_of_parts_belongs_to_one_task(tmp_path: Path) -> None:
    for _ in range(2):
        begin(tmp_path, model="a")
    for changed in ({"model": "b"}, {"model": "a", "data": b"a\n"}):
        with pytest.raises(InputError):
            begin(tmp_path, **changed)
    with pytest.raises(InputError, match=r"2.*lines\.txt"):
        begin(tmp_path, b"a\n\xff\n")


def test_a_file_that_changes_is_not_translated_further(tmp_path: Path) -> None:
    task = begin(tmp_path)
    task.source.write_bytes(b"a\nb\n")
    with pytest.raises(InputError):
        task.read(task.parts[0])
    task.source.unlink()
    with pytest.raises(InputError):
        task.read(task.parts[0])


def test_parts_are_joined_in_their_order_and_the_folder_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resumable_file, "LINES_IN_PART", 2)
    task = begin(tmp_path)
    first, second = task.parts
    task.write(second, ["c"])
    assert task.missing() == [first]
    with pytest.raises(InputError):
        task.finish()
    assert not task.out.exists()
    task.write(first, ["x"] * 2)
    (task.folder / "part-000000.txt").write_bytes(b"x\n")
    with pytest.raises(InputError):
        task.finish()
    task.write(first, ["a", ""], problems=1)
    assert task.finish() == 1
    assert task.out.read_bytes() == b"a\n\nc\n"
    assert not task.folder.exists()


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    task = begin(tmp_path)
    (task.folder / "task.json").unlink()
    (task.folder / ".task.json.7").touch()  # a killed task's
    begin(tmp_path)
    (task.folder / "task.json").unlink()
    (task.folder / "notes.txt").touch()
    with pytest.raises(InputError):
        begin(tmp_path)
    assert not (task.folder / "task.json").exists()
