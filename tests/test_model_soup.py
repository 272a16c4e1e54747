from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.model.weight_shapes import Weights
from core.model_soup import mean_checkpoint
from core.records import Pair
from core.storage.checkpoint import Checkpoint
from core.storage.config_file import MAX_NAME_CHARACTERS
from core.storage.format import CheckpointError
from tests.conftest import SUBWORD_PIECES, subword_checkpoint


def moved(checkpoint: Checkpoint, by: float) -> Checkpoint:
    weights: Weights = {name: weight + np.float32(by) for name, weight in checkpoint.weights.items()}
    return replace(checkpoint, weights=weights, metrics={"validation_loss": by}, name=f"moved by {by}")


def test_every_weight_is_the_mean() -> None:
    first = subword_checkpoint(examples=(Pair("a casa.", "the house."),))
    made = mean_checkpoint([first, moved(first, 3.0), replace(moved(first, 6.0), needs_stop=True)])
    for name, weight in first.weights.items():
        np.testing.assert_allclose(made.weights[name], weight + 3.0, rtol=1e-6)
        assert made.weights[name].dtype == np.float32
    assert (made.name, made.needs_stop, made.examples) == ("moved by 6.0 (mean of 3)", True, first.examples)
    assert (made.metrics, made.epochs, made.training) == ({}, (), None)  # of others


def test_a_name_of_any_length_makes_one_that_opens(tmp_path: Path) -> None:
    named = replace(subword_checkpoint(), name="n" * MAX_NAME_CHARACTERS)
    mean_checkpoint([named, named]).save(tmp_path / "mean")
    assert Checkpoint.load(tmp_path / "mean").name == "n" * 68 + " (mean of 2)"


def test_data_and_licence_of_all_are_its_own() -> None:
    first = replace(subword_checkpoint(), card="# Talks\n\n## Licence\n\nCC BY\n")
    card = mean_checkpoint([first, replace(first, card="# Novels\n\nPublic domain\n")]).card
    for said in (
        "## Part of the mean: Talks",
        "### Licence",
        "CC BY",
        "## Part of the mean: Novels",
        "Public domain",
    ):
        assert said in card
    assert card.startswith("# Tiny (mean of 2)\n")


def test_dropout_and_precision_may_differ() -> None:
    first = subword_checkpoint()
    half = replace(moved(first, 2.0), config=first.config.replace(dropout_rate=0.3), half_precision=True)
    made = mean_checkpoint([first, half])
    assert (made.config.dropout_rate, made.half_precision) == (0.3, True)


def test_a_mean_of_one_with_itself_translates_the_same() -> None:
    first = subword_checkpoint()
    assert mean_checkpoint([first, first]).fingerprint() == first.fingerprint()


@pytest.mark.parametrize("what", ["layers", "vocabulary"])
def test_only_weights_may_differ(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = subword_checkpoint()
    if what == "layers":
        other = subword_checkpoint(num_layers=1)
    else:
        monkeypatch.setattr("tests.conftest.SUBWORD_PIECES", (*SUBWORD_PIECES[:-1], "other"))
        other = subword_checkpoint()
        assert other.config == first.config
    with pytest.raises(CheckpointError, match="differ in more than weights"):
        mean_checkpoint([first, other])


def test_a_mean_takes_two() -> None:
    with pytest.raises(CheckpointError, match="two checkpoints or more"):
        mean_checkpoint([subword_checkpoint()])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = subword_checkpoint()
    first.save(tmp_path / "a")
    moved(first, 1.0).save(tmp_path / "b")
    out = tmp_path / "mean"
    assert main(["mean", str(tmp_path / "a"), str(tmp_path / "b"), "--out", str(out)]) == 0
    expected = mean_checkpoint([first, moved(first, 1.0)])
    assert Checkpoint.load(out).fingerprint() == expected.fingerprint()
    capsys.readouterr()
    assert main(["mean", str(tmp_path / "a"), "--out", str(tmp_path / "one")]) == 2
    assert capsys.readouterr().err == "mean: A mean takes two checkpoints or more.\n"
    assert not (tmp_path / "one").exists()
    assert main(["mean", str(tmp_path / "a"), str(tmp_path / "b"), "--out", f"{tmp_path}/x/../b"]) == 2
    assert "is one of the checkpoints" in capsys.readouterr().err
    assert Checkpoint.load(tmp_path / "b").fingerprint() == moved(first, 1.0).fingerprint()
