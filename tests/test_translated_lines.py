"""`translate -` and `translate FILE --out FILE`: one line for each line, whatever comes."""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.__main__ import main
from core.checkpoints.checkpoint import Checkpoint
from core.commands import translated_lines
from core.commands.terminal import pipe
from core.commands.terminal.pipe import line_windows
from core.commands.translated_lines import Translators, begin_file
from core.config import DecodingConfig
from core.corpora.toy import PAIRS
from core.decoding.text import line_parts
from core.decoding.text.long_text import MAX_CHARACTERS
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from tests.test_command_line import ROOT, refuse

Feed = Callable[[bytes], None]


@pytest.fixture(scope="module")
def saved(checkpoint: Checkpoint, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoint") / "model"
    checkpoint.save(folder)
    return folder


@pytest.fixture
def feed(monkeypatch: pytest.MonkeyPatch) -> Feed:
    """Put bytes on standard input."""
    return lambda data: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


KILLED_LINES = 30_000  # thirty parts: some are done and some are not when it is killed

MIXED = "merci\n\n!?\nJe suis fatigué. Merci !\n  \nmerci".encode() + b"\n\xff\xfe\nbonjour"
TRANSLATED = ["thank you", "", "", "i am tired thank you", "", "thank you", "", "hello"]


def test_every_line_has_one_line_and_problems_come_with_their_numbers(
    saved: Path, feed: Feed, capfd: pytest.CaptureFixture[str]
) -> None:
    feed(MIXED)
    assert main(["translate", str(saved), "-"]) == 1
    captured = capfd.readouterr()
    assert captured.out.split("\n") == [*TRANSLATED, ""]
    first, second = captured.err.splitlines()
    assert first.startswith("translate: Line 3: There are no words to translate")
    assert second == "translate: Line 7: It is not UTF-8 text."


def test_json_aligns_with_the_input(saved: Path, feed: Feed, capfd: pytest.CaptureFixture[str]) -> None:
    feed(b"\xef\xbb\xbf" + MIXED.replace(b"\n", b"\r\n"))  # as Windows writes them
    assert main(["translate", str(saved), "-", "--json"]) == 1
    answers = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [answer["line"] for answer in answers] == list(range(1, 9))
    assert [answer["text"] for answer in answers] == TRANSLATED
    assert [each["source"] for each in answers[3]["sentences"]] == ["Je suis fatigué.", "Merci !"]
    assert [answer["line"] for answer in answers if "error" in answer] == [3, 7]


def test_a_pipe_of_nothing_gives_nothing(saved: Path, feed: Feed, capfd: pytest.CaptureFixture[str]) -> None:
    feed(b"")
    assert main(["translate", str(saved), "-"]) == 0
    assert capfd.readouterr().out == ""


@pytest.mark.slow
def test_many_windows_and_repeated_lines_stay_in_order(
    saved: Path, feed: Feed, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With beams, so that TensorFlow searches; each sentence once a window."""
    from core.decoding.translator import Translator

    monkeypatch.setattr(pipe, "MAX_LINES", 40)
    asked: list[int] = []
    typed = Translator.translate_typed

    def count(self: Translator, sentences: list[str], *rest: object) -> object:
        asked.append(len(sentences))
        return typed(self, sentences, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Translator, "translate_typed", count)
    feed("".join(f"{PAIRS[n % 15].source}\n" for n in range(100)).encode())
    assert main(["translate", str(saved), "-", "--beam-size", "2"]) == 0
    assert capfd.readouterr().out.splitlines() == [PAIRS[n % 15].target for n in range(100)]
    assert asked == [15, 15, 15]


def test_windows_are_bounded_and_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe, "MAX_LINES", 7)
    monkeypatch.setattr(pipe, "MAX_BYTES", 90)
    lines = [f"line {n}" * (n % 5) for n in range(100)]
    windows = list(line_windows(io.BytesIO("\n".join(lines).encode())))
    assert [line.text for window in windows for line in window] == lines
    assert max(map(len, windows)) == 7


def test_the_first_windows_of_a_file_are_small() -> None:
    windows = line_windows(io.BytesIO(b"merci\n" * 5000))
    assert [len(window) for window in windows] == [100, 200, 400, 800, 1600, 1900]


def test_a_pipe_that_comes_line_by_line_gets_tensorflow_too(checkpoint: Checkpoint) -> None:
    translators = Translators(checkpoint, DecodingConfig(), attention=False)
    kinds = [type(translators.for_texts(["a" * 900])).__name__ for _ in range(3)]
    assert kinds == ["FirstTranslator", "FirstTranslator", "Translator"]


def test_a_line_without_end_takes_no_memory() -> None:
    class Endless(io.RawIOBase):
        left = 64

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            self.left -= 1
            buffer[:] = b"a" * len(buffer)
            return len(buffer) if self.left else 0

    ((line,),) = line_windows(io.BufferedReader(Endless(), 1 << 16))
    assert line == ("", f"It has more than {MAX_CHARACTERS:,} characters.")


def test_a_slow_program_gets_its_answer_at_once() -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as source, os.fdopen(write, "wb", buffering=0) as sink:
        windows = line_windows(source)
        for text in ("one", "two"):
            sink.write(f"{text}\n".encode())
            assert [line.text for line in next(windows)] == [text]


# Files


def test_a_file_goes_on_where_it_was_killed(
    saved: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_parts, "LINES_IN_PART", 4)
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(b"".join(f"{PAIRS[n % 15].source}\n".encode() for n in range(18)) + b"?!\n")
    command = ["translate", str(saved), str(source), "--out", str(out)]
    printed, calls = translated_lines._printed, 0

    def killed(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return printed(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(translated_lines, "_printed", killed)
    assert main(command) == 130
    assert not out.exists() and len(list(out.with_name("out.txt.parts").glob("part-*"))) == 2
    assert "Run the same command again to continue" in capfd.readouterr().err

    for other in (["--beam-size", "2"], ["--json"]):
        assert "parts of another file, model or search" in refuse(capfd, *command, *other)
    changed = source.read_bytes()
    source.write_bytes(changed + b"merci\n")
    assert "parts of another file, model or search" in refuse(capfd, *command)
    source.write_bytes(changed)

    calls = 3
    assert main(command) == 1  # of the last line
    assert calls == 3 + 3
    assert out.read_text().splitlines() == [*(PAIRS[n % 15].target for n in range(18)), ""]
    assert list(tmp_path.iterdir()) in ([source, out], [out, source])
    said = capfd.readouterr().err
    assert (
        "translate: Line 19: There are no words" in said and "1 of 19 lines could not be translated" in said
    )


def test_problems_found_before_a_kill_count_too(
    saved: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_parts, "LINES_IN_PART", 1)
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text("?!\nmerci\n")
    command = ["translate", str(saved), str(source), "--out", str(out), "--json"]
    printed = translated_lines._printed
    monkeypatch.setattr(
        translated_lines, "_printed", lambda *rest: printed(*rest) if rest[1] == 1 else sys.exit(9)
    )
    with pytest.raises(SystemExit):
        main(command)
    monkeypatch.setattr(translated_lines, "_printed", printed)
    assert main(command) == 1
    assert [json.loads(line)["text"] for line in out.read_text().splitlines()] == ["", "thank you"]
    assert "1 of 2 lines could not be translated" in capfd.readouterr().err


def test_a_model_with_the_same_weights_may_be_another(checkpoint: Checkpoint, tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("merci\n")
    options = argparse.Namespace(text=str(source), out=tmp_path / "out.txt", json=False, attention=False)
    for _ in range(2):
        begin_file(checkpoint, DecodingConfig(), options)
    tokens = [*checkpoint.target_tokenizer.vocabulary.tokens[:-1], "anew"]
    for other in (
        replace(checkpoint, needs_stop=not checkpoint.needs_stop),
        replace(checkpoint, target_tokenizer=WordTokenizer(Vocabulary(tuple(tokens)))),
    ):
        with pytest.raises(line_parts.PartsError, match="parts of another file, model or search"):
            begin_file(other, DecodingConfig(), options)


def test_a_cluster_says_what_it_could_not_translate(
    saved: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever translates the parts; Ray itself has tests of its own."""

    def translate_missing(checkpoint: Path, task: line_parts.FileTask, *rest: object) -> Iterator[int]:
        for part in task.missing():
            task.folder.write(part, ["", "thank you"], problems=1)
            yield part.lines

    here = SimpleNamespace(translate_missing=translate_missing)
    monkeypatch.setitem(sys.modules, "core.cluster.file_translation", here)
    monkeypatch.setattr("core.commands.translate.require_ray", lambda what: None)
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("?!\nmerci\n")
    assert main(["translate", str(saved), str(source), "--out", str(out), "--cluster"]) == 1
    assert out.read_text() == "\nthank you\n"
    assert "translate: 1 of 2 lines could not be translated and are empty." in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "flags", "message"),
    [
        ("-", [], "translate: --out goes with the name of a file"),
        ("none.txt", [], "translate: Cannot read none.txt: No such file"),
        ("in.txt", ["--out", "in.txt"], "translate: --out must be a file of its own."),
        ("in.txt", ["--out", "."], "translate: --out must be a file of its own."),
        ("in.txt", ["--out", "in.txt/below"], "translate: Cannot write in.txt/below.parts"),
    ],
)
def test_files_that_cannot_be_translated(
    saved: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    text: str, flags: list[str], message: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_text("merci\n")
    assert refuse(capfd, "translate", str(saved), text, "--out", "out.txt", *flags).startswith(message)
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


@pytest.mark.slow
def test_a_killed_process_loses_no_line_and_repeats_none(saved: Path, tmp_path: Path) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("".join(f"{PAIRS[n % 15].source}\n" for n in range(KILLED_LINES)))
    command = [sys.executable, "-m", "core", "translate", str(saved), str(source), "--out", str(out)]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        while len(list(tmp_path.glob("out.txt.parts/part-*"))) < 3:
            assert process.poll() is None
            time.sleep(0.02)
    finally:
        process.kill()  # kill -9
        process.wait()
    assert not out.exists()
    subprocess.run(command, cwd=ROOT, check=True)
    assert out.read_text().splitlines() == [PAIRS[n % 15].target for n in range(KILLED_LINES)]


def test_a_closed_pipe_ends_it_quietly(saved: Path) -> None:
    command = f"yes merci | {sys.executable} -m core translate {saved} - | head -n 1"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("thank you\n", "")
