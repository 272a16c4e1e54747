"""What a checkpoint keeps, what older ones lack, and what is refused."""

import dataclasses
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.limits import CheckpointError, OpenLimits
from core.config import TrainingConfig
from core.records.text import Pair
from core.weights import Weights
from tests.checkpoints.conftest import small, zipped
from tests.conftest import TINY, VARIANTS, subword_checkpoint

FILES = {
    "config.json", "weights.safetensors", "source_vocabulary.txt", "target_vocabulary.txt", "metrics.json", "README.md",
    "epochs.csv",
}  # fmt: skip
CONFIGS: list[Any] = [variant.values[0] for variant in VARIANTS]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    small().save(tmp_path / "model")
    return tmp_path / "model"


def files_of(folder: Path) -> dict[str, bytes | str]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def contents(checkpoint: Checkpoint) -> dict[str, Any]:
    """All that a checkpoint holds, in a form that `==` compares."""
    values: dict[str, Any] = {
        field.name: getattr(checkpoint, field.name) for field in dataclasses.fields(checkpoint)
    }
    values["card"] = checkpoint.card or checkpoint.default_card()
    values["weights"] = [(name, array.dtype, array.tolist()) for name, array in checkpoint.weights.items()]
    for side in ("source_tokenizer", "target_tokenizer"):
        tokenizer = values[side]
        values[side] = tokenizer.kind, tokenizer.vocabulary.tokens, getattr(tokenizer, "settings", None)
    return values


def rounded() -> Checkpoint:
    """A checkpoint in half precision, whose weights have been rounded before."""
    half = subword_checkpoint(half_precision=True, needs_full_stop=True)
    weights = {name: array.astype(np.float16).astype(np.float32) for name, array in half.weights.items()}
    return dataclasses.replace(half, weights=weights)


@pytest.mark.parametrize(
    "expected",
    [*map(small, CONFIGS), small(TINY.replace(causal_mask=False)), subword_checkpoint(), rounded()],
    ids=lambda each: each.name,
)
def test_folder_and_zip_keep_everything(expected: Checkpoint, tmp_path: Path) -> None:
    expected.save(tmp_path / "model")
    assert contents(Checkpoint.load(tmp_path / "model")) == contents(expected)
    assert contents(Checkpoint.from_zip(expected.to_zip())) == contents(expected)


def test_the_folder_is_plain_files(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == FILES
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert config["format_version"] == 1 and config["tokenizer"] == "word"
    assert config["model"] == TINY.to_dict()
    assert config["examples"] == [["où w1", "w2"]]
    tokens = (folder / "target_vocabulary.txt").read_text().splitlines()
    assert tokens[:5] == ["[PAD]", "[UNK]", "[START]", "[END]", "w0"]
    assert folder.stat().st_mode & 0o777 == 0o755  # others may read it


def test_a_zip_of_the_folder_made_by_hand(folder: Path) -> None:
    """As Windows and macOS make them: everything inside one folder, beside files of their own."""
    files: dict[str, bytes | str] = {f"my model/{name}": data for name, data in files_of(folder).items()}
    files |= {
        "__MACOSX/my model/._config.json": b"\0",
        "my model/.DS_Store": b"\0",
        "my model/notes.txt": "hello",
    }
    assert contents(Checkpoint.from_zip(zipped(files))) == contents(small())


def change_config(folder: Path, *, without: tuple[str, ...] = (), **changes: Any) -> None:
    config = json.loads((folder / "config.json").read_text())
    kept = {name: value for name, value in config.items() if name not in without}
    (folder / "config.json").write_text(json.dumps({**kept, **changes}))


def test_what_may_be_missing(folder: Path) -> None:
    for name in ("metrics.json", "README.md", "epochs.csv"):
        (folder / name).unlink()
    older = {name: value for name, value in TINY.to_dict().items() if name != "causal_mask"}
    change_config(folder, without=("training", "examples"), model=older)
    loaded = Checkpoint.load(folder)
    assert loaded.config == TINY
    assert (loaded.training, loaded.metrics, loaded.epochs, loaded.examples) == (None, {}, (), ())
    assert contents(Checkpoint.from_zip(loaded.to_zip())) == contents(loaded)


@pytest.mark.parametrize(("source", "needs_full_stop"), [("a casa.", True), ("a casa", False)])
def test_examples_tell_of_the_full_stop_where_an_older_file_does_not(
    tmp_path: Path, source: str, needs_full_stop: bool
) -> None:
    subword_checkpoint(examples=(Pair(source, "the house."),)).save(tmp_path)
    change_config(tmp_path, without=("needs_stop",))
    assert Checkpoint.load(tmp_path).needs_full_stop is needs_full_stop


def test_training_settings_of_tools_that_are_gone_are_left_out(folder: Path) -> None:
    training = TrainingConfig(epochs=3)
    change_config(folder, training={**training.to_dict(), "subword_dropout": 0.1, "careless_typing": 0.3})
    assert Checkpoint.load(folder).training == training


# What is refused: one part of a good folder is spoilt at a time


def refuse(folder: Path, message: str) -> None:
    with pytest.raises(CheckpointError, match=message) as caught:
        Checkpoint.load(folder)
    assert len(str(caught.value)) < 500
    with pytest.raises(CheckpointError, match=message):
        Checkpoint.from_zip(zipped(files_of(folder)))


@pytest.mark.parametrize("name", sorted(FILES - {"metrics.json", "README.md", "epochs.csv"}))
def test_a_missing_file(folder: Path, name: str) -> None:
    (folder / name).unlink()
    refuse(folder, rf"^This is not a checkpoint: {name} is missing\.$")


EPOCHS = "epoch,step,loss,accuracy,learning_rate,seconds,validation_loss,validation_accuracy\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("config.json", b"\xff\xfe\x00", "is not valid JSON"),
        ("config.json", b"[" * 200_000, "is not valid JSON"),
        ("config.json", b'{"format_version": ' + b"9" * 10_000 + b"}", "is not valid JSON"),
        ("config.json", b'{"format_version": 1}', "ModelConfig must be a JSON object. Received: None"),
        ("config.json", b'{"format_version": 1, "model": {}}', "ModelConfig needs the field"),
        ("metrics.json", b'{"loss": "low"}', "'loss' must be a number"),
        # What could be read but never be written again.
        ("metrics.json", b'{"loss": NaN}', "'loss' must be a number"),
        ("metrics.json", b'{"loss": 1' + b"0" * 400 + b"}", "'loss' must be a number"),
        ("epochs.csv", b"epoch,step\n1,2\n", "must be a table of numbers with the columns epoch, step, loss"),
        ("epochs.csv", EPOCHS.encode() + b"1,2,nan,0,0,0,,\n", "must be a table of numbers"),
        ("epochs.csv", EPOCHS.encode() + b"1,2,1,0,0,0,,,\n", "must be a table of numbers"),
        ("weights.safetensors", b"", "is damaged or not a safetensors file"),
        ("weights.safetensors", b"\x80\x04garbage", "is damaged or not a safetensors file"),
        ("weights.safetensors", struct.pack("<Q", 2**60) + b"{}", "is damaged or not a safetensors file"),
        ("target_vocabulary.txt", b"[PAD]\n[UNK]\nw0\nw1\nw2\nw3\nw4\nw5\nw6\n", r"must have \[START\] and \[END\]"),
        ("source_vocabulary.txt", b"", "must have 11 tokens, as config.json says. Received: 0"),
        ("source_vocabulary.txt", b"\n" * 5_000_000, "has 4.8 MiB; at most 4 MiB are read"),
        ("source_vocabulary.txt", b"x" * 500_000 + b"\n" * 11, r"A vocabulary must begin with \[PAD\]"),
        ("source_vocabulary.txt", b"[PAD]\n[UNK]\n" + b"w\n" * 9, "A token must be in a vocabulary once"),
        ("source_vocabulary.txt", b"[PAD]\n[UNK]\n" + b"\xff\xfe\n" * 9, "is not UTF-8 text"),
    ],
)  # fmt: skip
def test_a_file_of_nonsense(folder: Path, name: str, text: bytes, message: str) -> None:
    (folder / name).write_bytes(text)
    refuse(folder, f"^{name}.*{message}")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        *(
            ({"format_version": version}, r"reads format version 1\. Received: .*Open the checkpoint with")
            for version in (2, "1", None, 10**300)
        ),
        ({"tokenizer": "letter"}, r"tokenizer must be one of word, subword\. Received: 'letter'"),
        ({"tokenizer": "subword"}, "source_tokenizer: A WordPiece vocabulary must"),
        ({"tokenizer": "subword", "source_tokenizer": {"x": 1}}, "source_tokenizer: .*other fields.*'x'"),
        ({"needs_stop": "yes"}, r"needs_stop must be true or false\. Received"),
        ({"model": {**TINY.to_dict(), "num_layers": 10**9}}, "num_layers must be a whole number"),
        ({"model": {**TINY.to_dict(), "__class__": "os.system"}}, "ModelConfig has no field '__class__'"),
        ({"name": "x" * 81}, "name must be a text of at most 80 characters"),
        ({"examples": [["a", 1]]}, r"examples must be a list of \[source, target\] texts"),
        ({"examples": [["\ud800", "b"]]}, "is not valid JSON"),
    ],
)
def test_a_config_of_other_values(folder: Path, changes: dict[str, Any], message: str) -> None:
    change_config(folder, **changes)
    refuse(folder, rf"^config\.json.*{message}")


GOOD = small().weights
NAME = "output/kernel"  # (8, 9)
NOT_FINITE = np.where(np.eye(8, 9, dtype=np.float32) == 1, np.float32(np.inf), np.float32(1))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            {name: array for name, array in GOOD.items() if name != NAME},
            r"lacks 1 weight\(s\), among them output",
        ),
        ({**GOOD, "x" * 5000: GOOD[NAME]}, r"has 1 weight\(s\) the model has no place for"),
        ({**GOOD, NAME: GOOD[NAME].reshape(9, 8)}, r"must have the shape \(8, 9\)\. Received: \(9, 8\)"),
        ({**GOOD, NAME: GOOD[NAME].astype(np.float64)}, "must be float32 or float16. Received: F64"),
        ({**GOOD, NAME: NOT_FINITE}, "output/kernel has entries that are not finite numbers"),
        ({**GOOD, NAME: np.nan * GOOD[NAME]}, "output/kernel has entries that are not finite numbers"),
    ],
)
def test_weights_that_do_not_fit(folder: Path, weights: Weights, message: str) -> None:
    (folder / "weights.safetensors").write_bytes(safetensors.numpy.save(weights))
    refuse(folder, rf"^weights\.safetensors.*{message}")


# Zips; tests/test_fuzzed_input.py has those with a few bytes changed


@pytest.mark.parametrize(
    "name",
    ["../evil", "a/../../evil", "/etc/evil", "..\\evil", "C:\\evil", "C:evil", "\\\\server\\evil", ".."],
)
def test_zips_that_climb_out_are_refused(folder: Path, name: str) -> None:
    data = zipped({**files_of(folder), name: b"evil"})
    with pytest.raises(CheckpointError, match=r"^This zip is refused: .* points outside its folder\.$"):
        Checkpoint.from_zip(data)


def test_what_unpacks_to_too_much_is_refused_unread(folder: Path) -> None:
    """Whatever file of a zip it is."""
    limits = OpenLimits(max_bytes=2**20)
    refusal = r"^This checkpoint unpacks to 2 MiB; at most 1 MiB are read"
    zeros = {"holiday.jpg": b"\0" * 2**21}
    with pytest.raises(CheckpointError, match=refusal):
        Checkpoint.from_zip(zipped({**files_of(folder), **zeros}), limits)
    (folder / "README.md").write_bytes(zeros["holiday.jpg"])
    with pytest.raises(CheckpointError, match=refusal):
        Checkpoint.load(folder, limits)


def test_two_checkpoints_in_one_zip(folder: Path) -> None:
    files = {f"{place}/{name}": data for place in "ab" for name, data in files_of(folder).items()}
    with pytest.raises(
        CheckpointError, match=r"^This zip has more than one checkpoint in it\. Zip one folder"
    ):
        Checkpoint.from_zip(zipped(files))
