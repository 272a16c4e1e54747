"""Models by name: those that come with the project, and files."""

from pathlib import Path

from core.checkpoints.limits import CheckpointError
from core.checkpoints.model_file import NO_MODEL, SUFFIX
from core.language import _

PRETRAINED = Path(__file__).parent.parent / "pretrained"
FIRST = "ted_pt_en"  # the app's default


def shipped_checkpoints() -> dict[str, Path]:
    """Return the shipped models' files by name: the app's default first, then in alphabetical order."""
    files = {path.stem: path for path in PRETRAINED.glob(f"*{SUFFIX}")}
    return {name: files[name] for name in sorted(files, key=lambda name: (name != FIRST, name))}


def file_of(name: Path) -> Path:
    """Return the file of a model, which may be named without its suffix."""
    return name if name.suffix == SUFFIX else name.with_name(f"{name.name}{SUFFIX}")


def find_checkpoint(name: str) -> Path:
    """Return the file of a shipped model by its name, or of any other by its path, with its suffix or without.

    Raises:
        CheckpointError: there is none.
    """
    shipped = shipped_checkpoints()
    places = (shipped.get(name, file_of(Path(name))), Path(name))
    if found := next((place for place in places if place.is_file()), None):
        return found
    if Path(name).is_dir():
        raise CheckpointError(f"{name} is a folder. {_(NO_MODEL)}")
    raise CheckpointError(f"There is no checkpoint at {name}. Shipped ones: {', '.join(shipped) or 'none'}.")
