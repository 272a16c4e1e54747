"""Names of models and files, safe to print and to save."""

from core.storage.config_file import MAX_NAME_CHARACTERS


def tidy_name(name: str) -> str:
    """A name as checkpoints take it: printable characters, not too many."""
    printable = "".join(character if character.isprintable() else " " for character in name)
    return " ".join(printable.split())[:MAX_NAME_CHARACTERS].strip()


def file_name(name: str) -> str:
    """A name every file system takes, without an ending."""
    words = "".join(character if character.isalnum() else " " for character in name.lower()).split()
    return "-".join(words)
