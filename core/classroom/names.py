"""Names of models and files, safe to print and to save."""

from collections.abc import Collection
from itertools import count

from core.checkpoints.checkpoint import MAX_NAME_CHARACTERS, name_with


def tidy_name(name: str) -> str:
    """A name as checkpoints take it: printable characters, not too many."""
    printable = "".join(character if character.isprintable() else " " for character in name)
    return " ".join(printable.split())[:MAX_NAME_CHARACTERS].strip()


def unused_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number where another has it already: "Classroom", "Classroom 2"."""
    numbered = (name_with(name, str(number)) for number in count(2))
    return name if name not in taken else next(each for each in numbered if each not in taken)


def file_name(name: str) -> str:
    """A name every file system takes, without an ending."""
    words = "".join(character if character.isalnum() else " " for character in name.lower()).split()
    return "-".join(words)
