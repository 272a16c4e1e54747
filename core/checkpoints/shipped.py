"""The checkpoints that come with the project, by name."""

from pathlib import Path

from core.checkpoints.limits import CheckpointError

PRETRAINED = Path(__file__).parent.parent / "pretrained"
FIRST = "ted_pt_en"  # the app's default


def shipped_checkpoints() -> dict[str, Path]:
    """Return the shipped checkpoints' folders by name: the app's default first, then in alphabetical order."""
    folders = {path.parent.name: path.parent for path in PRETRAINED.glob("*/config.json")}
    return {name: folders[name] for name in sorted(folders, key=lambda name: (name != FIRST, name))}


def find_checkpoint(name: str) -> Path:
    """Return the folder of a shipped checkpoint, or any other name as a path.

    Raises:
        CheckpointError: there is neither.
    """
    shipped = shipped_checkpoints()
    path = shipped.get(name, Path(name))
    if not path.exists():
        raise CheckpointError(
            f"There is no checkpoint at {name}. Shipped ones: {', '.join(shipped) or 'none'}."
        )
    return path
