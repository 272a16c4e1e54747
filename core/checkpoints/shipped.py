"""The checkpoints that come with the project, by name."""

from __future__ import annotations

from pathlib import Path

PRETRAINED = Path(__file__).parent.parent / "pretrained"
FIRST = "ted_pt_en"  # the app opens with it


def shipped_checkpoints() -> dict[str, Path]:
    """Name -> folder: the one the app opens with, then the others in alphabetical order."""
    folders = {path.parent.name: path.parent for path in PRETRAINED.glob("*/config.json")}
    return {name: folders[name] for name in sorted(folders, key=lambda name: (name != FIRST, name))}


def find_checkpoint(name: str) -> Path:
    """A shipped checkpoint's folder by its name; any other name is a path of its own."""
    return shipped_checkpoints().get(name, Path(name))
