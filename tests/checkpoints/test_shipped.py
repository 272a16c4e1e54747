from pathlib import Path

import pytest

from core.checkpoints import shipped
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.limits import CheckpointError
from core.checkpoints.shipped import file_of

MAX_CARD_BYTES = 5_000


def test_the_first_is_what_the_app_opens_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "PRETRAINED", tmp_path)
    for name in ("b", "ted_pt_en", "a"):
        (tmp_path / f"{name}.safetensors").touch()
    assert list(shipped.shipped_checkpoints()) == ["ted_pt_en", "a", "b"]
    for name in ("a", str(tmp_path / "a"), str(tmp_path / "a.safetensors")):
        assert shipped.find_checkpoint(name) == tmp_path / "a.safetensors"
    with pytest.raises(CheckpointError, match="Shipped ones: ted_pt_en, a, b"):
        shipped.find_checkpoint("elsewhere")
    with pytest.raises(CheckpointError, match="python -m core convert"):
        shipped.find_checkpoint(str(tmp_path))


def test_a_model_may_be_named_without_its_suffix_and_with_a_point() -> None:
    assert [*map(file_of, map(Path, ("a", "my.model", "a.safetensors")))] == [
        Path("a.safetensors"),
        Path("my.model.safetensors"),
        Path("a.safetensors"),
    ]


def test_what_ships_is_small_and_says_where_it_comes_from() -> None:
    """Its card is a document of the project too: write a changed one into the file with `Checkpoint.save`."""
    files = shipped.shipped_checkpoints()
    assert list(files) == ["ted_pt_en", "anki_en_fr"]
    assert sum(file.stat().st_size for file in files.values()) < 40_000_000
    for name, file in files.items():
        checkpoint = Checkpoint.load(file)
        documents = file.with_suffix("")
        # Settings that are newer than the file change neither it nor the digest of what it translates.
        assert checkpoint.to_bytes() == file.read_bytes()
        assert checkpoint.examples and checkpoint.half_precision
        assert checkpoint.card == (documents / "README.md").read_text(encoding="utf-8")
        assert all(word in checkpoint.card for word in ("license", "CC BY", "validation loss"))
        assert len(checkpoint.card.encode()) <= MAX_CARD_BYTES  # the diary is beside it, for readers alone
        assert f"core/pretrained/{name}/TRAINING.md" in checkpoint.card
        assert (documents / "TRAINING.md").is_file()
