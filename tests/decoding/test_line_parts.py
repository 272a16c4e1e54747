from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from core.config import DecodingConfig
from core.decoding.text import lines
from core.decoding.text.line_parts import LinePart, PartFolder, PartsError, cut_file, read_part
from core.decoding.text.lines import translate_lines

if TYPE_CHECKING:
    from core.decoding.translator import Translator


def file_of(folder: Path, data: bytes) -> Path:
    path = folder / "lines.txt"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("in_part", [1, 2, 3, 100])
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"\n\n", ["", ""]),
        (b"a\nb\r\n\nd\n", ["a", "b", "", "d"]),
        ("\ufeffé\u2028x\x0by\rz\né".encode(), ["é\u2028x\x0by\rz", "é"]),
    ],
)
def test_the_parts_have_every_line_once_and_in_order(
    tmp_path: Path, data: bytes, expected: list[str], in_part: int
) -> None:
    file = cut_file(file_of(tmp_path, data), in_part)
    assert [line for part in file.parts for line in read_part(file.path, part)] == expected
    assert all(part.lines <= in_part for part in file.parts)
    assert [part.number for part in file.parts] == list(range(len(file.parts)))


def test_a_line_that_is_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(PartsError, match=r"Line 2 of .*lines\.txt is not UTF-8 text"):
        cut_file(file_of(tmp_path, b"a\n\xff\n"), 10)
    with pytest.raises(PartsError, match="Cannot read"):
        cut_file(tmp_path / "none", 10)


def test_every_line_has_exactly_one_translation(translator: Translator) -> None:
    typed = ["un livre", "", "…", "un livre\rje lis un livre", "un livre " * 20_000, "je ne comprends pas"]
    found = [each.text for each in translate_lines(translator, typed, DecodingConfig())]
    assert len(found) == len(typed)
    alone = [translator.translate_typed([typed[number]])[0].text for number in (0, 5)]
    assert [found[0], found[5]] == alone
    assert [found[1], found[2], found[4]] == ["", "", ""]
    assert not any("\n" in text for text in found)


def test_memory_goes_back_after_many_lines(translator: Translator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not after one, whose translation somebody waits for."""
    trimmed: list[int] = []
    for number in (1, 2, 60):
        monkeypatch.setattr(lines, "trim_heap", lambda number=number: trimmed.append(number))
        translate_lines(translator, ["un livre"] * number, DecodingConfig())
    assert trimmed == [2, 60]


def test_a_folder_of_parts_belongs_to_one_task(tmp_path: Path) -> None:
    folder = PartFolder.beside(tmp_path / "out.txt")
    folder.begin({"source": "a"})
    folder.begin({"source": "a"})
    with pytest.raises(PartsError, match="has parts of another file, model or search"):
        folder.begin({"source": "b"})


def test_parts_are_joined_in_their_order_and_the_folder_goes(tmp_path: Path) -> None:
    parts, out = (LinePart(0, 0, 4, 2), LinePart(1, 4, 6, 1)), tmp_path / "out.txt"
    folder = PartFolder.beside(out)
    folder.begin({})
    folder.write(parts[1], ["c"])
    assert [folder.has(part) for part in parts] == [False, True]
    with pytest.raises(PartsError, match="Cannot write"):
        folder.join(parts, out)
    assert not out.exists()
    with pytest.raises(PartsError, match=r"has 2 lines\. Received: 1"):
        folder.write(parts[0], ["a"])
    folder.write(parts[0], ["a", ""])
    folder.join(parts, out)
    assert out.read_bytes() == b"a\n\nc\n"
    assert not folder.folder.exists()


def test_a_damaged_part_is_not_joined(tmp_path: Path) -> None:
    part, folder = LinePart(0, 0, 4, 2), PartFolder.beside(tmp_path / "out.txt")
    folder.begin({})
    folder.write(part, ["a", "b"])
    (folder.folder / "part-000000.txt").write_bytes(b"a\n")
    with pytest.raises(PartsError, match="is damaged"):
        folder.join([part], tmp_path / "out.txt")


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    folder = PartFolder.beside(tmp_path / "out.txt")
    folder.folder.mkdir()
    (folder.folder / ".task.json.7").touch()  # a killed task's
    folder.begin({})
    (folder.folder / "task.json").unlink()
    (folder.folder / "notes.txt").touch()
    with pytest.raises(PartsError, match=r"has other files in it\. Move or delete them"):
        folder.begin({})
    assert not (folder.folder / "task.json").exists()
