"""The checkpoints that come with the project, by name."""

from __future__ import annotations

from pathlib import Path

PRETRAINED = Path(__file__).parent.parent / "pretrained"


def shipped_checkpoints() -> dict[str, Path]:
    """Name -> folder, in alphabetical order."""
    return {path.parent.name: path.parent for path in sorted(PRETRAINED.glob("*/config.json"))}


def find_checkpoint(name: str) -> Path:
    """A shipped checkpoint's folder by its name; any other name is a path of its own."""
    return shipped_checkpoints().get(name, Path(name))
