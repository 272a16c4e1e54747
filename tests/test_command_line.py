from __future__ import annotations

import dataclasses
import io
import json
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu

from core.__main__ import main
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from core.commands.evaluate import _warn_of_other_languages
from core.commands.terminal.interrupts import Interrupts
from core.config import ModelConfig, TrainingConfig
from core.corpora.catalogue import CORPORA
from core.corpora.toy import PAIRS
from core.presets import PRESETS
from core.tokens.subword import SubwordTokenizer
from core.training.fit import STATE_FILE
from tests.conftest import subword_checkpoint

ROOT = Path(__file__).parent.parent
QUICK = ["--epochs", "2", "--num-layers", "1", "--d-model", "8", "--num-heads", "2", "--d-ff", "8"]
LONGER = [*QUICK, "--epochs", "4"]  # 8 steps


def refuse(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line on standard error of a command that cannot be done."""
    assert main(arguments) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.endswith("\n") and captured.err.count("\n") == 1
    return captured.err.rstrip("\n")


@pytest.fixture(scope="module")
def saved(checkpoint: Checkpoint, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoint") / "model"
    checkpoint.save(folder)
    return folder


# Training


def test_train_and_translate_as_a_person_does(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "toy", "--out", str(tmp_path / "model"), *QUICK]) == 0
    trained = capfd.readouterr()
    assert trained.err == ""
    assert trained.out.startswith("Trained after 2 epochs, best loss ")
    assert trained.out.endswith(f"Saved to {tmp_path / 'model'}.\n")
    loaded = Checkpoint.load(tmp_path / "model")
    assert (loaded.config.d_model, loaded.config.num_layers, loaded.config.d_ff) == (8, 1, 8)
    assert loaded.training == TrainingConfig(epochs=2)
    assert loaded.metrics["epochs"] == 2 and loaded.examples == PAIRS

    assert main(["translate", str(tmp_path / "model"), "bonjour"]) == 0
    translated = capfd.readouterr()
    assert translated.err == ""
    assert translated.out.count("\n") == 1


def test_train_on_ones_own_pairs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.csv").write_text(
        'français,anglais\n"le café, noir",black coffee\nl’été,summer\n', "utf-8"
    )
    assert main(["train", str(tmp_path / "mine.csv"), "--out", str(tmp_path / "m"), *QUICK]) == 0
    loaded = Checkpoint.load(tmp_path / "m")
    assert [pair.target for pair in loaded.examples] == ["black coffee", "summer"]
    assert set(loaded.source_tokenizer.vocabulary.tokens[2:]) == {"le", "café", "noir", "l", "été"}
    capfd.readouterr()
    assert main(["translate", str(tmp_path / "m"), "le café"]) == 0


@pytest.mark.slow
def test_every_field_has_its_flag_and_flags_go_over_the_preset(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = {
        "num_layers": 1, "d_model": 12, "num_heads": 3, "d_ff": 10, "dropout_rate": 0.25, "max_source_length": 9,
        "max_target_length": 11, "positional_encoding": "learned", "activation": "gelu", "norm": "pre",
        "tie_embeddings": True,
    }  # fmt: skip
    training = {
        "epochs": 1, "batch_size": 4, "schedule": "warmup", "learning_rate": 0.5, "warmup_steps": 7, "beta_1": 0.8,
        "beta_2": 0.9, "epsilon": 1e-6, "label_smoothing": 0.2, "clip_norm": 2.5, "patience": 3, "seed": 9,
        "batch_tokens": 100, "ema_decay": 0.5,
    }  # fmt: skip
    fields = [field.name for config in (ModelConfig, TrainingConfig) for field in dataclasses.fields(config)]
    elsewhere = {
        "source_vocab_size",
        "target_vocab_size",
        "share_embeddings",
    }  # learned; for one vocabulary or for subwords only
    assert set(fields) - elsewhere == set(model) | set(training)
    for name, value in (model | training).items():
        default = getattr(PRESETS["paper"].model, name, getattr(PRESETS["paper"].training, name, None))
        assert value != default or name == "schedule", "a flag that is ignored would not show"
    flags = []
    for name, value in (model | training).items():
        flag = f"--{name.replace('_', '-')}"
        flags += [flag] if value is True else [flag, str(value)]
    assert main(["train", "toy", "--preset", "paper", "--out", str(tmp_path / "m"), *flags]) == 0
    loaded = Checkpoint.load(tmp_path / "m")
    assert loaded.config == ModelConfig(source_vocab_size=38, target_vocab_size=35, **model)  # type: ignore[arg-type]
    assert loaded.training == TrainingConfig(**training)  # type: ignore[arg-type]


# Large corpora: subwords


def french_file(folder: Path) -> Path:
    words = ["le chat", "la maison", "un café", "une idée", "la nuit", "le jardin"]
    ends = ["est ici", "n'est pas là", "va bien", "me plaît", "est à nous"]
    rows = [f"{a} {b}.\tthe {n} {m}." for n, a in enumerate(words) for m, b in enumerate(ends)] * 4
    (folder / "mine.tsv").write_text("\n".join(rows), encoding="utf-8")
    return folder / "mine.tsv"


SMALL_PIECES = [
    "--tokenizer", "subword", "--vocab-size", "90", "--num-layers", "1", "--d-model", "16", "--num-heads", "2",
    "--d-ff", "16", "--epochs", "2", "--warmup-steps", "5", "--batch-tokens", "128",
]  # fmt: skip


@pytest.fixture(scope="module")
def trained_pieces(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A checkpoint of subwords from a file, and what the command said."""
    folder = tmp_path_factory.mktemp("pieces")
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as said:
        result = main(["train", str(french_file(folder)), "--out", str(folder / "m"), "--languages", "fr", "en",
                       *SMALL_PIECES])  # fmt: skip
    assert result == 0, said.getvalue()
    assert output.getvalue().startswith("Trained after 2 epochs")
    return folder / "m", said.getvalue()


@pytest.mark.slow
def test_train_on_pieces_of_a_file(trained_pieces: tuple[Path, str]) -> None:
    folder, said = trained_pieces
    assert re.search(r"^114 pairs; 0 left out", said, re.MULTILINE)  # 6 of 120 are held out
    assert re.search(r"^epoch 2: loss [\d.]+, accuracy [\d.]+; validation loss [\d.]+", said, re.MULTILINE)
    assert len(re.findall(r"^    .+ → .*$", said, re.MULTILINE)) == 2 * 3
    loaded = Checkpoint.load(folder)
    tokenizer = loaded.source_tokenizer
    assert isinstance(tokenizer, SubwordTokenizer) and tokenizer.settings.language == "fr"
    assert tokenizer.vocabulary.tokens == loaded.target_tokenizer.vocabulary.tokens
    assert loaded.config.share_embeddings and len(tokenizer.vocabulary) <= 90
    assert [epoch.epoch for epoch in loaded.epochs] == [1, 2] and loaded.name == "mine"
    assert loaded.metrics["best_epoch_loss"] == min(epoch.validation_loss or 9 for epoch in loaded.epochs)
    assert not folder.with_name("m.training").exists()


@pytest.mark.slow
def test_evaluate_says_what_sacrebleu_says(
    trained_pieces: tuple[Path, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, _ = trained_pieces
    pairs = str(folder.parent / "mine.tsv")
    out = tmp_path / "out.txt"
    arguments = ["evaluate", str(folder), "--corpus", pairs, "--sample", "30", "--beam-size", "2"]
    assert main([*arguments, "--json", "--hypotheses", str(out)]) == 0
    result = json.loads(capfd.readouterr().out)
    assert (result["pairs"], result["left_out"]) == (30, 0)
    lines = {
        name: (tmp_path / f"out{name}.txt").read_text(encoding="utf-8").splitlines()
        for name in ("", ".references", ".normalized", ".normalized_references")
    }
    assert {len(text) for text in lines.values()} == {30}
    detokenized = sacrebleu.corpus_bleu(lines[""], [lines[".references"]], lowercase=True)
    assert result["detokenized"]["bleu"] == pytest.approx(detokenized.score)
    lowered = ([line.lower() for line in lines[name]] for name in ("", ".references"))
    chrf = sacrebleu.corpus_chrf(next(lowered), [next(lowered)])
    assert result["detokenized"]["chrf"] == pytest.approx(chrf.score)
    normalized = sacrebleu.corpus_bleu(
        lines[".normalized"], [lines[".normalized_references"]], lowercase=True, tokenize="none", force=True
    )
    assert result["normalized"]["bleu"] == pytest.approx(normalized.score)

    assert main(arguments) == 0
    table = capfd.readouterr().out
    bleu = f"{result['detokenized']['bleu']:.2f} ± {result['detokenized']['bleu_margin']:.2f}"
    assert f"{result['loss']:.4f} nats per token" in table and bleu in table
    assert result["detokenized"]["bleu_signature"] in table


def test_the_corpora_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["data"]) == 0
    listed = capfd.readouterr().out
    assert all(name in listed for name in CORPORA)
    assert main(["data", "toy", "--show", "2"]) == 0
    captured = capfd.readouterr()
    assert captured.out == "".join(f"{pair.source}\t{pair.target}\n" for pair in PAIRS[:2])
    assert captured.err.startswith("15 pairs in the train split")


def test_a_warm_up_longer_than_the_training_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    arguments = ["train", "toy", *QUICK, "--schedule", "linear", "--out", str(tmp_path / "m")]
    assert main([*arguments, "--warmup-steps", "4"]) == 0  # 2 epochs of 2 steps
    assert "warms up for 4 steps, and this training has 4: it never" in capfd.readouterr().err
    assert main([*arguments, "--warmup-steps", "3"]) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_going_on_from_a_checkpoint_of_pieces(trained_pieces: tuple[Path, str], tmp_path: Path) -> None:
    first = Checkpoint.load(trained_pieces[0])
    arguments = ["train", str(french_file(tmp_path)), "--from", str(trained_pieces[0]), "--epochs", "1"]
    out = tmp_path / "m"
    assert main([*arguments, "--learning-rate", "1e-12", "--out", str(out)]) == 0
    again = Checkpoint.load(out)
    assert again.config == first.config
    assert again.training == first.training.replace(epochs=1, learning_rate=1e-12)  # type: ignore[union-attr]
    assert again.source_tokenizer.vocabulary.tokens == first.source_tokenizer.vocabulary.tokens
    for name, weights in first.weights.items():
        np.testing.assert_allclose(again.weights[name], weights, atol=1e-6)
    assert "## It goes on from: mine" in again.card  # with its data and licence


def test_going_on_in_another_language(
    trained_pieces: tuple[Path, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    flags = ["--from", str(trained_pieces[0]), "--languages", "de", "en", "--out", str(tmp_path / "m")]
    assert main(["train", str(french_file(tmp_path)), *flags]) == 2
    message = "train: --from this checkpoint goes on with fr → en. The pairs are de → en."
    assert capfd.readouterr().err.splitlines()[-1] == message


@pytest.mark.slow
def test_going_on_from_the_fifteen_pairs(saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "m"
    assert main(["train", "toy", "--from", str(saved), "--epochs", "2", "--out", str(out)]) == 0
    first, again = Checkpoint.load(saved), Checkpoint.load(out)
    assert again.source_tokenizer.vocabulary.tokens == first.source_tokenizer.vocabulary.tokens
    assert again.epochs[0].loss < 0.5 * new_loss(tmp_path)  # it has not begun anew


def new_loss(tmp_path: Path) -> float:
    """Of the first epoch of new weights."""
    assert main(["train", "toy", "--epochs", "2", "--out", str(tmp_path / "new")]) == 0
    return Checkpoint.load(tmp_path / "new").epochs[0].loss


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--num-layers", "3"], "train: --from takes a checkpoint's model as it is"),
        (["--tokenizer", "subword"], "train: --from this checkpoint goes with --tokenizer word"),
        (
            ["--preset", "shipped"],
            "train: The preset shipped goes with subwords, and this checkpoint does",
        ),
        (["--from", "nowhere"], "train: There is no checkpoint at nowhere."),
    ],
)
def test_where_one_cannot_go_on_from(
    saved: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    out = tmp_path / "m"
    assert refuse(capfd, "train", "toy", "--from", str(saved), *arguments, "--out", str(out)).startswith(
        message
    )
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "toy", "--preset", "shipped"], "train: The preset shipped goes with subwords"),
        (
            ["train", "toy", "--tokenizer", "subword", "--preset", "paper"],
            "train: The preset paper goes with words",
        ),
        (["train", "ted_pt_en", "--tokenizer", "word"], "train: ted_pt_en has too many different words"),
        (["train", "toy", "--mixed-precision"], "train: --mixed-precision goes with subwords"),
        (["train", "FILE", *SMALL_PIECES, "--mixed-precision"], "train: --mixed-precision needs a GPU."),
        (["train", "toy", "--vocab-size", "99"], "train: --vocab-size goes with subwords"),
        (["train", "toy", "--share-embeddings"], "train: share_embeddings needs one vocabulary"),
        pytest.param(
            ["train", "FILE", *SMALL_PIECES, "--vocab-size", "20"],
            "train: vocab_size must be at least",
            marks=pytest.mark.tensorflow_text,
        ),
        pytest.param(
            ["train", "FILE", *SMALL_PIECES, "--longest", "1"],
            "train: No pair is left: all 114 that were read",
            marks=pytest.mark.tensorflow_text,
        ),
        (["train", "FILE", *SMALL_PIECES, "--languages", "French", "en"], "train: language must be a code"),
    ],
)
def test_large_trainings_that_cannot_be(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    arguments = [str(french_file(tmp_path)) if each == "FILE" else each for each in arguments]
    assert main([*arguments, "--out", str(tmp_path / "m")]) == 2
    assert capfd.readouterr().err.splitlines()[-1].startswith(message)
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "--corpus", "toy"], "evaluate: There is no checkpoint at nowhere."),
        (["MODEL", "--corpus", "klingon"], "evaluate: There is no file klingon, and no corpus of that name."),
        (["MODEL", "--corpus", "toy"], "evaluate: There is no validation split of toy."),
        (
            ["MODEL", "--corpus", "toy", "--split", "best"],
            "evaluate: --split must be one of train, validation, test",
        ),
        (["MODEL", "--corpus", "toy", "--sample", "0"], "evaluate: --sample must be a whole number from 1"),
        (["MODEL", "--corpus", "toy", "--hypotheses", "no/where.txt"], "evaluate: There is no folder"),
        (["MODEL", "--corpus", "toy", "--hypotheses", "."], "evaluate: --hypotheses must be a file."),
    ],
)
def test_evaluations_that_cannot_be(
    saved: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    arguments = [str(saved) if argument == "MODEL" else argument for argument in arguments]
    assert refuse(capfd, "evaluate", *arguments).startswith(message)


def test_evaluate_warns_of_a_corpus_in_other_languages(capsys: pytest.CaptureFixture[str]) -> None:
    checkpoint = Checkpoint.load(shipped_checkpoints()["ted_pt_en"])
    for corpus in ("ted_pt_en", "pairs.csv", "anki_en_fr"):
        _warn_of_other_languages(checkpoint, corpus)
    said = "evaluate: This model translates pt → en, but the corpus anki_en_fr is en → fr.\n"
    assert capsys.readouterr().err == said


@pytest.mark.slow
@pytest.mark.tensorflow_text
def test_export_for_tensorflow(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "model"
    subword_checkpoint(num_layers=1).save(saved)
    assert main(["export", str(saved), str(tmp_path / "serving")]) == 0
    assert capfd.readouterr().out == f"Exported to {tmp_path / 'serving'}.\n"
    assert (tmp_path / "serving" / "saved_model.pb").is_file()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear")
    line = refuse(capfd, "export", str(saved), str(tmp_path / "mine"))
    assert "has other files in it" in line and (tmp_path / "mine" / "letter.txt").is_file()


def test_translating_and_evaluating_need_no_tensorflow(saved: Path) -> None:
    """Nor do they write anything to standard error when that is no terminal."""
    code = f"""
import sys
from core.__main__ import main
main(["translate", {str(saved)!r}, "je suis fatigué", "--beam-size", "2", "--json", "--attention"])
main(["evaluate", {str(saved)!r}, "--corpus", "toy", "--split", "train"])
print([name for name in ("tensorflow", "keras") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"text": "i am tired"' in done.stdout and "masked accuracy    1.0000" in done.stdout
    assert done.stdout.endswith("\n[]\n")


# What cannot be done


def test_one_line_on_standard_error_and_no_traceback(tmp_path: Path) -> None:
    """As a shell sees it, before TensorFlow is imported; the other messages are read in this process."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "core", "train", str(tmp_path / "nowhere.csv"), "--out", "m"],
        cwd=ROOT, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    imports = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    modules = {line.rpartition("|")[2].strip() for line in imports}
    assert "core.commands.train" in modules
    assert not {"tensorflow", "keras"} & modules
    assert "\n".join(line for line in done.stderr.splitlines() if line not in imports) == (
        f"train: There is no file {tmp_path / 'nowhere.csv'}, and no corpus of that name. Name a CSV, TSV or "
        f"tab-separated file, or one of {', '.join(CORPORA)}."
    )


def test_a_file_with_one_column(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "words.csv").write_text("chat\nchien\noiseau\n")
    line = refuse(capfd, "train", str(tmp_path / "words.csv"), "--out", str(tmp_path / "m"))
    assert line.startswith("train: ") and "column" in line
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--d-model", "65"], "train: d_model must be divisible by num_heads"),
        (
            ["--learning-rate", "nan"],
            "train: learning_rate must be a number of more than 0 and at most 1. Received: nan",
        ),
        (["--epochs", "0"], "train: epochs must be a whole number from 1 to 100000. Received: 0"),
        (["--patience", "-1"], "train: patience must be a whole number"),
        (["--max-source-length", "3"], "train: Pair 5: the source has 4 tokens; this model takes at most 3"),
        (["--save-every", "0"], "train: --save-every must be a whole number from 1. Received: 0"),
    ],
)
def test_settings_that_make_no_sense(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], flags: list[str], message: str
) -> None:
    assert refuse(capfd, "train", "toy", "--out", str(tmp_path / "m"), *flags).startswith(message)
    assert not (tmp_path / "m").exists()


def test_an_out_path_that_cannot_be_written_is_told_before_training(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("x")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        line = refuse(capfd, "train", "toy", "--out", str(out), "--epochs", "100000")
        assert line == f"train: {tmp_path / 'file'} is a file. Name a folder to write the checkpoint to."
    assert (tmp_path / "file").read_text() == "x"


def test_a_folder_that_is_no_checkpoint(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"x")
    expected = "translate: This is not a checkpoint: config.json is missing."
    assert refuse(capfd, "translate", str(tmp_path), "merci") == expected
    line = refuse(capfd, "translate", str(tmp_path / "photo.jpg"), "merci")
    assert line.startswith("translate: This is not a zip file that can be read here.")


# Ctrl-C


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let Ctrl-C come in the middle of a step, after some more that are done; a negative number: never."""
    from core.training import loop

    compiled, left = loop.compiled_step, -1

    def step_of(*shape: Any) -> Any:
        original = compiled(*shape)

        def step(*arguments: Any) -> Any:
            nonlocal left
            left -= 1
            if left == -1:
                raise KeyboardInterrupt
            return original(*arguments)

        return step

    def set_steps(steps: int) -> None:
        nonlocal left
        left = steps

    monkeypatch.setattr(loop, "compiled_step", step_of)
    return set_steps


def test_an_interrupted_training_goes_on_when_the_same_command_is_given_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], interrupt: Callable[[int], None]
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert main(["train", "toy", "--out", str(whole), *LONGER]) == 0
    for steps in (3, 0, 2):  # 0: nothing done since, nothing lost
        interrupt(steps)
        assert main(["train", "toy", "--out", str(parts), *LONGER]) == 130
    assert capfd.readouterr().out.endswith("Run the same command again to continue.\n")
    assert Checkpoint.load(parts).metrics["steps"] == 5
    interrupt(-1)
    assert main(["train", "toy", "--out", str(parts), *LONGER]) == 0
    assert "Continuing after step 5" in capfd.readouterr().err
    expected, received = Checkpoint.load(whole), Checkpoint.load(parts)
    assert all(np.array_equal(received.weights[name], weights) for name, weights in expected.weights.items())
    assert not parts.with_name("parts.training").exists()


def test_an_interrupted_training_leaves_a_finished_model_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], interrupt: Callable[[int], None]
) -> None:
    out = tmp_path / "m"
    assert main(["train", "toy", "--out", str(out), *QUICK]) == 0
    finished = {file.name: file.read_bytes() for file in out.iterdir()}
    for flags in ([], ["--seed", "5"]):
        interrupt(1)
        assert main(["train", "toy", "--out", str(out), *QUICK, *flags]) == 130
        assert "keeps the model it had" in capfd.readouterr().out
        assert {file.name: file.read_bytes() for file in out.iterdir()} == finished
        shutil.rmtree(tmp_path / "m.training")


def test_a_finished_training_removes_its_own_files_alone(
    tmp_path: Path, interrupt: Callable[[int], None]
) -> None:
    command = ["train", "toy", "--out", str(tmp_path / "m"), *QUICK]
    interrupt(1)
    assert main(command) == 130
    folder = tmp_path / "m.training"
    (folder / "notes.txt").write_text("mine")
    interrupt(-1)
    assert main(command) == 0
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


def test_interrupted_before_anything_is_learned(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], interrupt: Callable[[int], None]
) -> None:
    interrupt(0)
    assert main(["train", "toy", "--out", str(tmp_path / "m"), *QUICK]) == 130
    assert capfd.readouterr().out == "Interrupted before the first step. Nothing was written.\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_ctrl_c_does_not_interrupt_the_saving(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with Interrupts():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        signal.raise_signal(number)
    with Interrupts() as interrupts:
        interrupts.ignore()
        signal.raise_signal(number)
    assert signal.getsignal(number) is before


@pytest.mark.slow
def test_ctrl_c_saves_what_was_learned(tmp_path: Path) -> None:
    """On a terminal, since only there a progress bar shows when training has begun."""
    fcntl, pty, termios = (
        pytest.importorskip(name) for name in ("fcntl", "pty", "termios")
    )  # not on Windows
    terminal, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
    arguments = ["train", "toy", "--out", str(tmp_path / "m"), *QUICK, "--epochs", "100000"]
    command = [sys.executable, "-m", "core", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    shown = b""
    while b"epoch=" not in shown:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, shown
        shown += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    with suppress(OSError):  # Linux says so when the other end is closed
        while os.read(terminal, 4096):
            pass
    output, _ = process.communicate(timeout=60)
    os.close(terminal)
    assert process.returncode == 130
    assert output.startswith("Interrupted after ") and "Traceback" not in output
    loaded = Checkpoint.load(tmp_path / "m")
    assert 1 <= loaded.metrics["epochs"] < 100_000
    assert (tmp_path / "m.training" / "training_state.safetensors").is_file()
    assert main(["translate", str(tmp_path / "m"), "bonjour"]) == 0


@pytest.mark.slow
def test_a_training_killed_by_the_system_goes_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], interrupt: Callable[[int], None]
) -> None:
    out, state = tmp_path / "m", tmp_path / "m.training" / STATE_FILE
    command = ["train", "toy", "--out", str(out), *QUICK, "--epochs", "100000", "--save-every", "1"]
    process = subprocess.Popen([sys.executable, "-m", "core", *command], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        while not state.is_file():  # from then on it saves at every step
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(0.5)
    finally:
        process.kill()  # kill -9
        process.wait()
    assert not out.exists()
    interrupt(3)
    assert main(command) == 130
    assert "Continuing after step" in capfd.readouterr().err
    assert Checkpoint.load(out).metrics["epochs"] >= 1
