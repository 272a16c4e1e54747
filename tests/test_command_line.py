"""`train`, `evaluate`, `data` and `export`: what they give, what they refuse, and Ctrl-C."""

import io
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
from pydantic.fields import FieldInfo

from core.__main__ import main
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.limits import OPEN_LIMITS
from core.commands.terminal.interrupts import Interrupts
from core.config import ModelConfig, TrainingConfig
from core.corpora.catalogue import CORPORA
from core.corpora.delimited import read_pairs
from core.corpora.toy import NEVER_SHOWN, PAIRS
from core.described import field_infos, kind_of, options_of, range_of
from core.presets import LARGE_PRESETS, PRESETS
from core.tokens.subword import SubwordTokenizer
from tests.conftest import numbers

ROOT = Path(__file__).parent.parent
QUICK = ["--epochs", "2", "--num-layers", "1", "--d-model", "8", "--num-heads", "2", "--d-ff", "8"]
LONGER = [*QUICK, "--epochs", "4"]  # 8 steps
PIECES = [
    "--tokenizer", "subword", "--vocab-size", "90", "--num-layers", "1", "--d-model", "16", "--num-heads", "2",
    "--d-ff", "16", "--epochs", "2", "--warmup-steps", "5", "--batch-tokens", "128",
]  # fmt: skip


def french_file(folder: Path) -> Path:
    words = ["le chat", "la maison", "un café", "une idée", "la nuit", "le jardin"]
    ends = ["est ici", "n'est pas là", "va bien", "me plaît", "est à nous"]
    rows = [f"{a} {b}.\tthe {n} {m}." for n, a in enumerate(words) for m, b in enumerate(ends)] * 4
    (folder / "mine.tsv").write_text("\n".join(rows), encoding="utf-8")
    return folder / "mine.tsv"


@pytest.fixture(scope="module")
def trained_pieces(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A checkpoint of subwords from a file, and what the command said."""
    folder = tmp_path_factory.mktemp("pieces")
    corpus, out = str(french_file(folder)), str(folder / "m")
    command = [
        "train",
        corpus,
        "--out",
        out,
        "--languages",
        "fr",
        "en",
        "--validation",
        "6",
        *PIECES,
        "--preset",
        "thousands",
    ]
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as said:
        assert main(command) == 0
    assert numbers(output.getvalue())[0] == "2"
    return folder / "m.safetensors", said.getvalue()


@pytest.mark.slow
def test_train_on_ones_own_pairs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """With a warmup longer than the training, which is told, and a first row that is said to be no heading."""
    text = 'français,anglais\n"le café, noir",black coffee\nl’été,summer\n'
    (tmp_path / "mine.csv").write_bytes(text.encode("cp1252"))
    read_as = ["--header", "no", "--encoding", "cp1252"]
    command = ["train", str(tmp_path / "mine.csv"), "--out", str(tmp_path / "m"), *QUICK, *read_as]
    assert main([*command, "--schedule", "linear", "--warmup-steps", "2"]) == 0  # 2 epochs of 1 step
    assert ["2", "2"] in map(numbers, capfd.readouterr().err.splitlines()), "steps of the warmup, and of all"
    loaded = Checkpoint.load(tmp_path / "m.safetensors")
    assert [pair.target for pair in loaded.examples] == ["anglais", "black coffee", "summer"]
    words = {"français", "le", "café", "noir", "l", "été"}
    assert set(loaded.source_tokenizer.vocabulary.tokens[2:]) == words


@pytest.mark.slow
def test_a_file_as_a_student_brings_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """German and Polish as Excel for Windows saves it in Poland, with a heading and one long sentence."""
    subjects = ["Mama", "Ciocia Źdźbło", "Mój mąż", "Żaba", "Łoś", "Sąsiad", "Wujek", "Książę"]
    verbs = ["śpi", "je", "pije", "śpiewa", "tańczy", "gotuje", "pływa", "czyta", "wraca"]
    rows = [f"{a} {b} {n};Satz {a.lower()} {b} {n}" for a in subjects for b in verbs for n in range(3)]
    text = "\r\n".join(["polish;german", *rows, f"{'słowo ' * 33};viele"])
    (tmp_path / "mine.csv").write_bytes(text.encode("cp1250"))
    out = tmp_path / "mine"
    command = ["train", str(tmp_path / "mine.csv"), "--out", str(out), *QUICK, "--preview", "0"]
    assert main(command) == 0
    said = capfd.readouterr().err
    assert "cp1250" in said
    assert ["195", "21", "1"] in [numbers(line)[:3] for line in said.splitlines()]
    model = Checkpoint.load(tmp_path / "mine.safetensors")
    assert "książę" in model.source_tokenizer.vocabulary
    assert "polish" not in model.source_tokenizer.vocabulary
    assert model.training is not None and model.training.patience == 10
    held_out = tmp_path / "mine.held-out.csv"
    assert f"python -m core evaluate {out} --corpus {held_out}" in said
    never_shown = read_pairs(held_out.read_bytes())
    assert len(never_shown) == 21 and not set(never_shown) & set(model.examples)

    file = tmp_path / "mine.safetensors"
    assert f"open {file} on its page Checkpoints" in said
    assert Checkpoint.from_bytes(file.read_bytes(), OPEN_LIMITS).config == model.config


@pytest.mark.long
def test_the_pairs_of_a_preset_are_held_out_and_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    flags = ["--preset", "generalize", *QUICK, "--epochs", "20", "--preview", "2"]
    assert main(["train", "toy", "--out", str(tmp_path / "m"), *flags]) == 0
    said = capfd.readouterr().err.splitlines()
    epoch, *measured = numbers(said[1])
    assert epoch == "20" and len(measured) >= 3, "loss, accuracy and validation loss"
    assert [line.partition(" → ")[0].strip() for line in said[2:4]] == [
        pair.source for pair in NEVER_SHOWN[:2]
    ]
    trained_on = Checkpoint.load(tmp_path / "m.safetensors").examples
    assert len(trained_on) == 12 and not set(trained_on) & set(NEVER_SHOWN)


def another_value(info: FieldInfo, value: Any) -> Any:
    """Return a value of a field that is not this one."""
    if options := options_of(info):
        return next(option for option in options if option != value)
    kind = kind_of(info)
    return not value if kind is bool else kind(((value or 0) + range_of(info)[1]) / 2)


@pytest.mark.long
def test_every_field_has_its_flag_and_flags_go_over_the_preset(tmp_path: Path) -> None:
    given = {
        "num_layers": 1, "d_model": 12, "num_heads": 3, "d_ff": 10, "max_source_length": 9, "max_target_length": 11,
        "epochs": 1,
    }  # fmt: skip
    # Learned, or for subwords only.
    elsewhere = {"source_vocab_size", "target_vocab_size", "share_embeddings"}
    preset = PRESETS["paper"]
    model, training = (
        {
            name: given.get(name, another_value(info, getattr(config, name)))
            for name, info in field_infos(type(config)).items()
            if name not in elsewhere
        }
        for config in (preset.model, preset.training)
    )
    flags = []
    for name, value in (model | training).items():
        flag = f"--{name.replace('_', '-')}"
        switch = flag if value else flag.replace("--", "--no-")
        flags += [switch] if isinstance(value, bool) else [flag, str(value)]
    about = ["--name", "Mine"]
    assert main(["train", "toy", "--preset", "paper", "--out", str(tmp_path / "m"), *flags, *about]) == 0
    loaded = Checkpoint.load(tmp_path / "m.safetensors")
    assert loaded.name == "Mine"
    assert loaded.config == ModelConfig(source_vocab_size=38, target_vocab_size=35, **model)
    assert loaded.training == TrainingConfig(**training)


@pytest.mark.long
def test_train_on_pieces_of_a_file(trained_pieces: tuple[Path, str]) -> None:
    file, said = trained_pieces
    assert ["96", "6"] in [
        numbers(line)[:2] for line in said.splitlines()
    ]  # each of thirty is there four times
    assert len(re.findall(r"^    .+ → .*$", said, re.MULTILINE)) == 2 * 3
    loaded = Checkpoint.load(file)
    tokenizer = loaded.source_tokenizer
    assert isinstance(tokenizer, SubwordTokenizer) and tokenizer.settings.language == "fr"
    assert tokenizer.vocabulary.tokens == loaded.target_tokenizer.vocabulary.tokens
    assert loaded.config.share_embeddings and len(tokenizer.vocabulary) <= 90
    assert [epoch.epoch for epoch in loaded.epochs] == [1, 2] and loaded.name == "mine"
    assert loaded.metrics["best_epoch_loss"] == min(epoch.validation_loss or 9 for epoch in loaded.epochs)
    assert not list(file.parent.glob("*training*"))


@pytest.mark.long
def test_the_preset_for_thousands_is_what_it_says(tmp_path: Path) -> None:
    preset = LARGE_PRESETS["thousands"]
    command = ["train", str(french_file(tmp_path)), "--preset", "thousands", "--out", str(tmp_path / "m")]
    assert main([*command, "--epochs", "1", "--tokenizer", "subword"]) == 0
    loaded = Checkpoint.load(tmp_path / "m.safetensors")
    size = len(loaded.source_tokenizer.vocabulary)
    assert isinstance(loaded.source_tokenizer, SubwordTokenizer) and loaded.training is not None
    assert loaded.config == preset.model.replace(source_vocab_size=size, target_vocab_size=size)
    kinds = {"source_tokens": "subword", "target_tokens": "subword"}
    assert loaded.training == preset.training.replace(epochs=1, **kinds)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["words", "pieces"])
def test_going_on_from_a_checkpoint(
    kind: str, saved: Path, trained_pieces: tuple[Path, str], tmp_path: Path
) -> None:
    start, corpus = (saved, "toy") if kind == "words" else (trained_pieces[0], str(french_file(tmp_path)))
    flags = ["--epochs", "1", "--learning-rate", "1e-12", "--out", str(tmp_path / "m")]
    assert main(["train", corpus, "--from", str(start), *flags]) == 0
    first, again = Checkpoint.load(start), Checkpoint.load(tmp_path / "m.safetensors")
    assert first.training is not None
    assert again.config == first.config
    assert again.training == first.training.replace(epochs=1, learning_rate=1e-12)
    assert again.source_tokenizer.vocabulary.tokens == first.source_tokenizer.vocabulary.tokens
    for name, weights in first.weights.items():
        np.testing.assert_allclose(again.weights[name], weights, atol=1e-6)
    assert "## Continued from: " in again.full_card()  # with its data and licence


@pytest.mark.slow
def test_evaluate_says_what_sacrebleu_says(
    trained_pieces: tuple[Path, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file, _ = trained_pieces
    command = ["evaluate", str(file), "--corpus", str(file.parent / "mine.tsv"), "--sample", "30"]
    assert main([*command, "--json", "--hypotheses", str(tmp_path / "out.txt")]) == 0
    result = json.loads(capfd.readouterr().out)
    found, references, normalized, normalized_references = (
        (tmp_path / f"out{name}.txt").read_text(encoding="utf-8").splitlines()
        for name in ("", ".references", ".normalized", ".normalized_references")
    )
    assert len(found) == result["pairs"] == 30
    score = sacrebleu.corpus_bleu(found, [references], lowercase=True).score
    assert result["detokenized"]["bleu"] == pytest.approx(score)
    score = sacrebleu.corpus_bleu(normalized, [normalized_references], tokenize="none", force=True).score
    assert result["normalized"]["bleu"] == pytest.approx(score)

    assert main(command) == 0
    assert f"{result['loss']:.4f}" in capfd.readouterr().out


def test_evaluate_warns_of_a_corpus_in_other_languages(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "ted_pt_en", "--corpus", "toy", "--split", "train"]) == 0
    (said,) = capfd.readouterr().err.splitlines()
    assert said.startswith("evaluate: ") and "pt → en" in said and "fr → en" in said


def test_the_corpora_are_listed_and_shown(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["data"]) == 0
    listed = capfd.readouterr().out
    assert all(name in listed for name in CORPORA)
    assert main(["data", "toy", "--show", "2"]) == 0
    captured = capfd.readouterr()
    assert captured.out == "".join(f"{pair.source}\t{pair.target}\n" for pair in PAIRS[:2])
    assert numbers(captured.err)[0] == "15"


@pytest.mark.slow
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
    answer, *table, loaded = done.stdout.splitlines()
    (sentence,) = json.loads(answer)["sentences"]
    assert sentence["text"] == "i am tired" and sentence["attention"]["predicted_tokens"][-1] == "[END]"
    probabilities = {"score", "log_probability", "mean_probability"}
    told = {"source", "source_tokens", "target_tokens", "text", "stop_added", "finished", "attention"}
    assert sentence.keys() == probabilities | told
    length = len(sentence["attention"]["predicted_tokens"])
    assert sentence["mean_probability"] == pytest.approx(np.exp(sentence["log_probability"] / length))
    assert any(line.endswith(" 1.0000") for line in table) and loaded == "[]", "the accuracy"


# What cannot be done


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("train OTHER --from MODEL", "--from"),
        ("train ted_pt_en --tokenizer word", "ted_pt_en"),
        ("train toy --mixed-precision", "--mixed-precision"),
        ("train toy --from MODEL --num-layers 3", "--from"),
        ("train toy --from MODEL --tokenizer subword", "--from"),
        ("train toy --from nowhere", "nowhere"),
        ("train toy --out OTHERS", "weights.safetensors"),
        ("evaluate MODEL --corpus klingon", "klingon"),
        ("evaluate MODEL", "--corpus"),
        ("export MODEL FOLDER", "FOLDER"),
    ],
)
def test_what_is_refused(
    saved: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], command: str, named: str
) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("chat\nchien\noiseau\n")
    other.write_text("wo ist das buch,gdzie jest książka\nich bin müde,jestem zmęczony\n", encoding="utf-8")
    (tmp_path / "weights.safetensors").write_bytes(b"of another program")
    places = {"MODEL": saved, "FOLDER": tmp_path, "OTHERS": tmp_path / "weights", "OTHER": other}
    arguments = [str(places.get(word, word)) for word in command.split()]
    if arguments[0] == "train" and "--out" not in arguments:
        arguments += ["--out", str(tmp_path / "m")]
    said = refuse(capfd, *arguments)
    assert said.startswith(f"{arguments[0]}: ") and named.replace("FOLDER", str(tmp_path)) in said
    assert not (tmp_path / "m.safetensors").exists()


@pytest.mark.parametrize("command", ["train toy --out OUT", "export MODEL OUT"])
def test_where_tensorflow_is_not(
    saved: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
) -> None:
    monkeypatch.setitem(sys.modules, "tensorflow", None)  # as if it were not installed
    places = {"MODEL": str(saved), "OUT": str(tmp_path / "m")}
    arguments = [places.get(word, word) for word in command.split()]
    said = refuse(capfd, *arguments)
    assert said.startswith(f"{arguments[0]}: ") and "tensorflow" in said


def refuse(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line on standard error of a command that cannot be done."""
    assert main(arguments) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.endswith("\n") and captured.err.count("\n") == 1
    return captured.err.rstrip("\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (["--mixed-precision"], "--mixed-precision"),
        (["--languages", "French", "en"], "language"),
        (["--from", "MODEL", "--languages", "de", "en"], "--from"),
    ],
)
def test_trainings_on_pieces_that_cannot_be(
    trained_pieces: tuple[Path, str],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    flags: list[str],
    named: str,
) -> None:
    flags = [str(trained_pieces[0]) if flag == "MODEL" else flag for flag in flags]
    pieces = [] if "--from" in flags else PIECES
    assert main(["train", str(french_file(tmp_path)), *pieces, *flags, "--out", str(tmp_path / "m")]) == 2
    said = capfd.readouterr().err.splitlines()[-1]
    assert said.startswith("train: ") and named in said
    assert not (tmp_path / "m.safetensors").exists()


# Ctrl-C


class KilledError(BaseException):
    """What nothing but the end of the process follows."""


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let Ctrl-C, or an end, come in the middle of a step, after some more that are done; a negative number: never."""
    from core.training import loop

    compiled, left, by = loop.compiled_step, [-1], [BaseException]

    def step_of(*shape: Any) -> Any:
        def step(*arguments: Any) -> Any:
            left[0] -= 1
            if left[0] == -1:
                raise by[0]
            return compiled(*shape)(*arguments)

        return step

    def set_interrupt(steps: int, error: type[BaseException] = KeyboardInterrupt) -> None:
        left[0], by[0] = steps, error

    monkeypatch.setattr(loop, "compiled_step", step_of)
    return set_interrupt


@pytest.mark.slow
def test_an_interrupted_training_goes_on_when_the_same_command_is_given_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], interrupt: Callable[..., None]
) -> None:
    whole, parts, state = (tmp_path / f"{name}.safetensors" for name in ("whole", "parts", "parts.training"))
    assert main(["train", "toy", "--out", str(whole), *LONGER]) == 0
    interrupt(0)
    assert main(["train", "toy", "--out", str(parts), *LONGER]) == 130
    assert list(tmp_path.iterdir()) == [whole]
    for steps in (3, 0, 2):  # 0: nothing done since, nothing lost
        interrupt(steps)
        assert main(["train", "toy", "--out", str(parts), *LONGER]) == 130
    assert Checkpoint.load(parts).metrics["steps"] == 5
    assert state.exists()
    interrupt(-1)
    capfd.readouterr()
    assert main(["train", "toy", "--out", str(parts), *LONGER]) == 0
    assert ["5"] in map(numbers, capfd.readouterr().err.splitlines()), "the step after which it went on"
    expected, received = Checkpoint.load(whole), Checkpoint.load(parts)
    assert all(np.array_equal(received.weights[name], weights) for name, weights in expected.weights.items())
    assert sorted(tmp_path.iterdir()) == [parts, whole]


@pytest.mark.long
def test_evaluate_gives_the_loss_of_an_interrupted_training_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], interrupt: Callable[..., None]
) -> None:
    """On the held-out pairs that it has written; those that are too long for characters are not among them."""
    file = french_file(tmp_path)
    long = [f"{'le chat ' * 20}{number}\tthe cat {number}" for number in range(10)]
    file.write_text("\n".join([file.read_text(encoding="utf-8"), *long]), encoding="utf-8")
    flags = ["--tokenizer", "character", "--validation", "20", *LONGER]
    interrupt(20)
    assert main(["train", str(file), "--out", str(tmp_path / "m"), *flags]) == 130
    loss = re.search(r"best validation loss ([\d.]+)", capfd.readouterr().out)
    held_out = tmp_path / "m.held-out.csv"
    assert 0 < len(read_pairs(held_out.read_bytes())) < 20
    assert main(["evaluate", str(tmp_path / "m"), "--corpus", str(held_out), "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["left_out"] == 0 and loss is not None and f"{found['loss']:.4f}" == loss[1]


@pytest.mark.parametrize("flags", [[], ["--seed", "5"]])
def test_an_interrupted_training_leaves_a_finished_model_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], interrupt: Callable[..., None], flags: list[str]
) -> None:
    command = ["train", "toy", "--out", str(tmp_path / "m"), *QUICK]
    assert main(command) == 0
    finished = Checkpoint.load(tmp_path / "m.safetensors").to_bytes()
    interrupt(1)
    assert main([*command, *flags]) == 130
    assert Checkpoint.load(tmp_path / "m.safetensors").to_bytes() == finished


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


def test_a_killed_training_goes_on_from_its_last_saving(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], interrupt: Callable[..., None]
) -> None:
    command = ["train", "toy", "--out", str(tmp_path / "m"), *LONGER, "--save-every", "0"]
    interrupt(3, KilledError)
    with pytest.raises(KilledError):
        main(command)
    assert not (tmp_path / "m.safetensors").exists()
    interrupt(-1)
    capfd.readouterr()
    assert main(command) == 0
    assert ["3"] in map(numbers, capfd.readouterr().err.splitlines()), "the step after which it went on"


@pytest.mark.slow
def test_ctrl_c_while_the_program_is_loaded() -> None:
    code = (
        "import runpy, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'core.commands.translate':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder())\n"
        "runpy.run_module('core', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 130 and len(done.stderr.splitlines()) == 1
