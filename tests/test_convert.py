"""`convert`: folders as earlier versions wrote them."""

import csv
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from core.__main__ import main
from core.checkpoints.checkpoint import Checkpoint
from core.config import TrainingConfig
from core.records.text import Pair
from core.tokens.subword import SubwordTokenizer
from tests.checkpoints.conftest import small
from tests.checkpoints.test_checkpoint import contents, rounded
from tests.conftest import subword_checkpoint
from tests.test_command_line import refuse


def older_settings(training: TrainingConfig) -> dict[str, Any]:
    """Return the settings of a training as they were before kinds of tokens were among them."""
    newer = ("source_tokens", "target_tokens", "vocab_size")
    known = {name: value for name, value in training.to_dict().items() if name not in newer}
    return known | {"subword_dropout": 0.1}


def write_folder(model: Checkpoint, folder: Path, /, **changes: Any) -> Path:
    """Write the seven files, with other values in config.json; None leaves one out."""
    folder.mkdir()
    tokenizers = {"source": model.source_tokenizer, "target": model.target_tokenizer}
    settings = {
        f"{side}_tokenizer": asdict(tokenizer.settings)
        for side, tokenizer in tokenizers.items()
        if isinstance(tokenizer, SubwordTokenizer)
    }
    config = {
        "format_version": 1,
        "name": model.name,
        "tokenizer": model.source_tokenizer.kind,
        **settings,
        "model": model.config.to_dict(),
        "training": model.training and older_settings(model.training),
        "needs_stop": model.needs_full_stop,
        "examples": [[pair.source, pair.target] for pair in model.examples],
        **changes,
    }
    known = {name: value for name, value in config.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(known), encoding="utf-8")
    (folder / "metrics.json").write_text(json.dumps(model.metrics), encoding="utf-8")
    (folder / "README.md").write_text(model.card, encoding="utf-8")
    for side, tokenizer in tokenizers.items():
        (folder / f"{side}_vocabulary.txt").write_text(tokenizer.vocabulary.to_text(), encoding="utf-8")
    columns = ("epoch", "step", "loss", "accuracy", "learning_rate", "seconds", "validation_loss",
               "validation_accuracy")  # fmt: skip
    with (folder / "epochs.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, columns)
        rows.writeheader()
        rows.writerows(map(asdict, model.epochs))
    dtype = np.float16 if model.half_precision else np.float32
    arrays = {name: array.astype(dtype) for name, array in model.weights.items()}
    safetensors.numpy.save_file(arrays, folder / "weights.safetensors")
    return folder


def converted(folder: Path) -> Checkpoint:
    assert main(["convert", str(folder), str(folder.with_name("new"))]) == 0
    return Checkpoint.load(folder.with_name("new.safetensors"))


@pytest.mark.parametrize("model", [small(), replace(rounded(), origin="")], ids=["words", "subwords"])
def test_a_folder_becomes_one_file_with_all_that_it_had(model: Checkpoint, tmp_path: Path) -> None:
    assert contents(converted(write_folder(model, tmp_path / "old"))) == contents(model)


@pytest.mark.long
def test_a_training_goes_on_from_a_model_with_older_settings(tmp_path: Path) -> None:
    """With the subwords that it has, though so few pairs would now be cut into words."""
    old = subword_checkpoint(training=TrainingConfig(epochs=9, label_smoothing=0.1))
    start = converted(write_folder(old, tmp_path / "old"))
    pairs = tmp_path / "mine.csv"
    pairs.write_text("a casa azul,the blue house\na casa,the house\n", encoding="utf-8")
    flags = ["--from", str(tmp_path / "new"), "--epochs", "1", "--out", str(tmp_path / "further")]
    assert main(["train", str(pairs), *flags]) == 0
    model = Checkpoint.load(tmp_path / "further.safetensors")
    assert start.training is not None and model.training == start.training.replace(epochs=1)
    assert model.source_tokenizer.vocabulary.tokens == old.source_tokenizer.vocabulary.tokens


def test_what_a_folder_may_lack(tmp_path: Path) -> None:
    folder = write_folder(small(), tmp_path / "old", training=None, examples=None, needs_stop=None)
    for name in ("metrics.json", "README.md", "epochs.csv"):
        (folder / name).unlink()
    expected = small(training=None, examples=(), metrics={}, card="", epochs=())
    assert contents(converted(folder)) == contents(expected)


@pytest.mark.parametrize(("source", "needs_full_stop"), [("a casa.", True), ("a casa", False)])
def test_examples_tell_of_the_full_stop_where_the_folder_does_not(
    tmp_path: Path, source: str, needs_full_stop: bool
) -> None:
    model = subword_checkpoint(examples=(Pair(source, "the house."),))
    folder = write_folder(model, tmp_path / "old", needs_stop=None)
    assert converted(folder).needs_full_stop is needs_full_stop


def test_what_is_not_converted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = write_folder(small(), tmp_path / "old", model={"num_layers": 0})
    (tmp_path / "old.zip").write_bytes(b"PK\x03\x04")
    other = write_folder(small(), tmp_path / "other")
    safetensors.numpy.save_file({"w": np.ones(3)}, other / "weights.safetensors")
    (tmp_path / "empty").mkdir()
    for name, said in (
        ("old", "has no model"),
        ("old.zip", "Unzip"),
        ("other", "has no"),
        ("empty", "has no model"),
    ):
        assert said in refuse(capfd, "convert", str(folder.with_name(name)), str(tmp_path / "new"))
    assert not (tmp_path / "new.safetensors").exists()
