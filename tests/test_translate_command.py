"""`translate`: a text, a pipe and a file, always one output line per input line."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.__main__ import main
from core.checkpoints.checkpoint import Checkpoint
from core.commands.terminal import pipe
from core.commands.terminal.pipe import line_windows
from core.corpora.toy import PAIRS
from core.inference.texts import MAX_CHARACTERS
from core.server.trained_model import TrainedModel
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from tests.conftest import numbers
from tests.test_command_line import ROOT, refuse

Feed = Callable[[bytes], None]


@pytest.fixture
def feed(monkeypatch: pytest.MonkeyPatch) -> Feed:
    """Put bytes on standard input."""
    return lambda data: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


# Texts


def test_a_sentence_from_what_was_trained_or_downloaded(
    saved: Path, checkpoint: Checkpoint, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.safetensors").write_bytes(TrainedModel("Mine", checkpoint).to_bytes())
    for path, flags in ((saved, ["--beam-size", "4", "--length-penalty", "1"]), (tmp_path / "mine", [])):
        assert main(["translate", str(path), "Où est la gare ?", *flags]) == 0
        assert capfd.readouterr() == ("where is the station\n", "")


def test_json_of_a_text_is_that_of_a_line(saved: Path, feed: Feed, capfd: pytest.CaptureFixture[str]) -> None:
    text = "Je suis fatigué. Merci !"
    assert main(["translate", str(saved), text, "--json"]) == 0
    output = capfd.readouterr().out
    feed(text.encode())
    assert main(["translate", str(saved), "-", "--json"]) == 0
    assert capfd.readouterr().out == output
    assert output.count("\n") == 1 and "fatigué" in output  # readable, not escaped
    answer = json.loads(output)
    assert answer.keys() == {"line", "text", "sentences"}
    assert (answer["line"], answer["text"]) == (1, "i am tired thank you")
    assert [sentence["source"] for sentence in answer["sentences"]] == ["Je suis fatigué.", "Merci !"]


@pytest.mark.parametrize(
    ("text", "flags", "named"),
    [
        ("", [], ""),
        ("🙂", [], ""),
        ("README.md", [], "--out"),
        ("merci", ["--beam-size", "0"], "beam_size"),
        ("merci", ["--attention"], "--json"),
        ("-", ["--out", "out.txt"], "--out"),
        ("none.txt", ["--out", "out.txt"], "none.txt"),
        ("README.md", ["--out", "README.md"], "--out"),
        ("README.md", ["--out", "README.md/below"], "README.md/below.parts"),
    ],
)
def test_what_cannot_be_translated(
    saved: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    text: str, flags: list[str], named: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(ROOT)
    said = refuse(capfd, "translate", str(saved), text, *flags)
    assert said.startswith("translate: ") and named in said
    assert not Path("out.txt").exists() and not Path("out.txt.parts").exists()


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
    assert [numbers(line)[0] for line in captured.err.splitlines()] == ["3", "7"]
    feed(b"\xef\xbb\xbf" + MIXED.replace(b"\n", b"\r\n"))  # as Windows writes them
    assert main(["translate", str(saved), "-", "--json"]) == 1
    answers = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [(answer["line"], answer["text"]) for answer in answers] == list(enumerate(TRANSLATED, start=1))
    assert [answer["line"] for answer in answers if "error" in answer] == [3, 7]


def test_windows_are_bounded_and_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    windows = line_windows(io.BytesIO(b"merci\n" * 5000))
    assert [len(window) for window in windows] == [100, 200, 400, 800, 1600, 1900]  # the first ones come soon
    monkeypatch.setattr(pipe, "MAX_LINES", 7)
    monkeypatch.setattr(pipe, "MAX_BYTES", 90)
    lines = [f"line {n}" * (n % 5) for n in range(100)]
    windows = line_windows(io.BytesIO("\n".join(lines).encode()))
    assert [line.text for window in windows for line in window] == lines


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
    assert line.text == "" and f"{MAX_CHARACTERS:,}" in line.problem


def test_a_slow_program_gets_its_answer_at_once() -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as source, os.fdopen(write, "wb", buffering=0) as sink:
        windows = line_windows(source)
        for text in ("one", "two"):
            sink.write(f"{text}\n".encode())
            assert [line.text for line in next(windows)] == [text]


@pytest.mark.slow
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


DIES_AT_THE_THIRD_PART = """
import os, signal, sys
from core.__main__ import main
from core.resumable_file import FileTask
read = FileTask.read
FileTask.read = lambda task, part: os.kill(os.getpid(), signal.SIGKILL) if part.number == 2 else read(task, part)
main(sys.argv[1:])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows kills in another way")
def test_a_killed_process_loses_no_line_and_repeats_none(
    saved: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """And counts the lines without a translation that were found before."""
    lines = ["?!", *(PAIRS[n % 15].source for n in range(3_000)), "?!"]  # four parts
    source, out = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("\n".join(lines), encoding="utf-8")
    command = ["translate", str(saved), str(source), "--out", str(out)]
    dying = [sys.executable, "-c", DIES_AT_THE_THIRD_PART, *command]
    killed = subprocess.run(dying, cwd=ROOT, stderr=subprocess.DEVNULL, check=False)
    assert killed.returncode == -signal.SIGKILL and not out.exists()
    for other in (["--beam-size", "2"], ["--json"]):
        refuse(capfd, *command, *other)
    assert main(command) == 1
    assert out.read_text().splitlines() == ["", *(PAIRS[n % 15].target for n in range(3_000)), ""]
    assert set(tmp_path.iterdir()) == {source, out}
    said = capfd.readouterr().err
    assert ["3002"] in [numbers(line) for line in said.splitlines()]
    assert ["2", "3,002"] in [numbers(line) for line in said.splitlines()]


def test_a_model_with_the_same_weights_may_be_another_and_one_of_another_name_is_the_same(
    checkpoint: Checkpoint,
) -> None:
    tokens = [*checkpoint.target_tokenizer.vocabulary.tokens[:-1], "anew"]
    others = (
        replace(checkpoint, needs_full_stop=not checkpoint.needs_full_stop),
        replace(checkpoint, target_tokenizer=WordTokenizer(Vocabulary(tokens))),
    )
    assert len({each.fingerprint() for each in (checkpoint, *others)}) == 3
    renamed = replace(checkpoint, name="Another", metrics={"loss": 1.0}, training=None, card="# Mine")
    assert renamed.fingerprint() == checkpoint.fingerprint()
