from pathlib import Path

import pytest

from core.checkpoints import shipped
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.limits import CheckpointError

MAX_CARD_BYTES = 5_000


def test_the_first_is_what_the_app_opens_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "PRETRAINED", tmp_path)
    for name in ("b", "ted_pt_en", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").touch()
    assert list(shipped.shipped_checkpoints()) == ["ted_pt_en", "a", "b"]
    assert shipped.find_checkpoint("a") == tmp_path / "a"
    assert shipped.find_checkpoint(str(tmp_path)) == tmp_path
    with pytest.raises(CheckpointError, match="Shipped ones: ted_pt_en, a, b"):
        shipped.find_checkpoint("elsewhere")


def test_what_ships_is_small_and_says_where_it_comes_from() -> None:
    folders = shipped.shipped_checkpoints()
    assert list(folders) == ["ted_pt_en", "anki_en_fr"]
    assert sum(file.stat().st_size for folder in folders.values() for file in folder.iterdir()) < 40_000_000
    for folder in folders.values():
        checkpoint = Checkpoint.load(folder)
        assert checkpoint.examples
        assert all(word in checkpoint.card for word in ("license", "CC BY", "validation loss"))
        assert len(checkpoint.card.encode()) <= MAX_CARD_BYTES  # the diary is beside it, for readers alone
        assert (
            f"core/pretrained/{folder.name}/TRAINING.md" in checkpoint.card
            and (folder / "TRAINING.md").is_file()
        )
