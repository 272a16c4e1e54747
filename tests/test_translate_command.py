"""`translate`: a text, a pipe and a file, one line for each line, whatever comes."""

from __future__ import annotations

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

import numpy as np
import pytest

from core import file_parts
from core.__main__ import main
from core.checkpoints.checkpoint import Checkpoint
from core.commands import translate
from core.commands.terminal import pipe
from core.commands.terminal.pipe import InputLine, line_windows
from core.config import DecodingConfig
from core.corpora.toy import PAIRS
from core.file_parts import FileTask
from core.inference.texts import MAX_CHARACTERS
from core.inference.translator import Translator
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


# Texts


@pytest.mark.parametrize("flags", [[], ["--beam-size", "4", "--length-penalty", "1"]])
def test_a_sentence(saved: Path, capfd: pytest.CaptureFixture[str], flags: list[str]) -> None:
    assert main(["translate", str(saved), "Où est la gare ?", *flags]) == 0
    assert capfd.readouterr() == ("where is the station\n", "")


def test_from_a_zip(checkpoint: Checkpoint, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.zip").write_bytes(checkpoint.to_zip())
    assert main(["translate", str(tmp_path / "model.zip"), "merci"]) == 0
    assert capfd.readouterr().out == "thank you\n"


def test_json_of_a_text_is_that_of_a_line(saved: Path, feed: Feed, capfd: pytest.CaptureFixture[str]) -> None:
    text = "Je suis fatigué. Merci !"
    assert main(["translate", str(saved), text, "--json"]) == 0
    output = capfd.readouterr().out
    feed(text.encode())
    assert main(["translate", str(saved), "-", "--json"]) == 0
    assert capfd.readouterr().out == output
    assert output.count("\n") == 1 and "fatigué" in output  # readable, not escaped
    answer = json.loads(output)
    assert set(answer) == {"line", "text", "sentences"}
    assert (answer["line"], answer["text"]) == (1, "i am tired thank you")
    first, second = answer["sentences"]
    assert set(first) == {
        "source", "source_tokens", "target_tokens", "text", "stop_added", "score", "log_probability",
        "mean_probability", "finished"
    }  # fmt: skip
    assert (first["source"], second["source"]) == ("Je suis fatigué.", "Merci !")
    assert (first["source_tokens"], first["target_tokens"]) == (
        ["je", "suis", "fatigué"],
        ["i", "am", "tired"],
    )
    assert -0.5 < first["score"] <= 0


def test_json_with_attention(saved: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", str(saved), "merci", "--json", "--attention"]) == 0
    attention = json.loads(capfd.readouterr().out)["sentences"][0]["attention"]
    assert attention["source_tokens"] == ["merci"]
    assert attention["decoder_input_tokens"] == ["[START]", "thank", "you"]
    assert attention["predicted_tokens"] == ["thank", "you", "[END]"]
    assert np.shape(attention["encoder"]) == (2, 4, 1, 1)
    assert np.shape(attention["decoder"]) == (2, 4, 3, 3)
    assert np.shape(attention["cross"]) == (2, 4, 3, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "merci"], "translate: There is no checkpoint at nowhere."),
        (["MODEL", ""], "translate: There is no text to translate"),
        (["MODEL", "🙂"], "translate: There are no words to translate"),
        (["MODEL", "README.md"], "translate: 'README.md' is a file. Add --out FILE to translate its lines;"),
        (
            ["MODEL", "mot " * 30_000],
            "translate: The text has 120,000 characters; at most 100,000 are translated at once.",
        ),
        (
            ["MODEL", "merci", "--beam-size", "0"],
            "translate: beam_size must be a whole number from 1 to 16. Received: 0",
        ),
        (["MODEL", "merci", "--length-penalty", "nan"], "translate: length_penalty must be a number"),
        (["MODEL", "merci", "--attention"], "translate: --attention needs --json."),
    ],
)
def test_texts_that_cannot_be_translated(
    saved: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    arguments = [str(saved) if argument == "MODEL" else argument for argument in arguments]
    assert refuse(capfd, "translate", *arguments).startswith(message)


# Pipes

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
    assert [answer["line"] for answer in answers if "error" in answer] == [3, 7]


def test_many_windows_and_repeated_lines_stay_in_order(
    saved: Path, feed: Feed, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With each sentence once a window."""
    monkeypatch.setattr(pipe, "MAX_LINES", 40)
    asked: list[int] = []
    typed = Translator.translate_typed

    def count(self: Translator, sentences: list[str], decoding: DecodingConfig) -> object:
        asked.append(len(sentences))
        return typed(self, sentences, decoding)

    monkeypatch.setattr(Translator, "translate_typed", count)
    feed("".join(f"{PAIRS[n % 15].source}\n" for n in range(100)).encode())
    assert main(["translate", str(saved), "-"]) == 0
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


def test_a_closed_pipe_ends_it_quietly_and_accents_pass_in_a_bare_locale(saved: Path) -> None:
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))
    }
    command = f"yes Où est la gare | {sys.executable} -m core translate {saved} - --json | head -n 1"
    done = subprocess.run(
        command, shell=True, cwd=ROOT, capture_output=True, check=True, env={**environment, "LC_ALL": "C"}
    )
    assert done.stderr == b""
    assert json.loads(done.stdout)["sentences"][0]["source"] == "Où est la gare"


# Files


def test_a_file_goes_on_where_it_was_killed(
    saved: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And counts the lines without a translation that were found before."""
    monkeypatch.setattr(file_parts, "LINES_IN_PART", 4)
    monkeypatch.setattr(translate, "LINES_IN_PART", 4)
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes(b"?!\n" + b"".join(f"{PAIRS[n % 15].source}\n".encode() for n in range(17)) + b"?!\n")
    command = ["translate", str(saved), str(source), "--out", str(out)]
    printed, calls = translate._Lines.printed, 0

    def killed(self: translate._Lines, window: list[InputLine], first: int) -> object:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return printed(self, window, first)

    monkeypatch.setattr(translate._Lines, "printed", killed)
    assert main(command) == 130
    assert not out.exists() and len(list(out.with_name("out.txt.parts").glob("part-*.txt"))) == 2
    assert "Run the same command again to continue" in capfd.readouterr().err
    for other in (["--beam-size", "2"], ["--json"]):
        assert "parts of another file, model or search" in refuse(capfd, *command, *other)

    calls = 3
    assert main(command) == 1
    assert calls == 3 + 3
    assert out.read_text().splitlines() == ["", *(PAIRS[n % 15].target for n in range(17)), ""]
    assert set(tmp_path.iterdir()) == {source, out}
    said = capfd.readouterr().err
    assert "translate: Line 19: There are no words" in said
    assert "2 of 19 lines could not be translated" in said


def test_a_model_with_the_same_weights_may_be_another(checkpoint: Checkpoint) -> None:
    tokens = [*checkpoint.target_tokenizer.vocabulary.tokens[:-1], "anew"]
    others = (
        replace(checkpoint, needs_stop=not checkpoint.needs_stop),
        replace(checkpoint, target_tokenizer=WordTokenizer(Vocabulary(tuple(tokens)))),
    )
    assert len({each.fingerprint() for each in (checkpoint, *others)}) == 3


def test_a_cluster_says_what_it_could_not_translate(
    saved: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever translates the parts; Ray itself has tests of its own."""

    def translate_missing(checkpoint: Path, task: FileTask, *rest: object) -> Iterator[int]:
        for part in task.missing():
            task.write(part, ["", "thank you"], problems=1)
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
    lines = 30_000  # thirty parts: some are done and some are not when it is killed
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("".join(f"{PAIRS[n % 15].source}\n" for n in range(lines)))
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
    assert out.read_text().splitlines() == [PAIRS[n % 15].target for n in range(lines)]
