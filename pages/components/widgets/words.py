"""Numbers and tokens as people read them."""

from __future__ import annotations

import re
from collections.abc import Sequence


def duration(seconds: float) -> str:
    """Seconds as "8 s", "1 min 20 s" or "2 h 5 min"."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def brief(seconds: float) -> str:
    """Short times as "12 ms" or "2.1 s", longer ones as `duration` has them."""
    if seconds < 0.9995:
        return f"{max(1, round(seconds * 1000))} ms"
    return f"{seconds:.1f} s" if seconds < 10 else duration(seconds)


def first_words(text: str, most: int = 40) -> str:
    """The text, or its beginning and "…" where it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def plain(text: str) -> str:
    """Text with everything that Markdown would read as formatting shown as it is."""
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~:$&])", r"\\\1", text)


def badges(tokens: Sequence[str], ids: Sequence[int], unknown: Sequence[bool]) -> str:
    """Tokens with their ids as coloured chips; unknown ones stand out."""
    return " ".join(
        f":{'orange' if is_unknown else 'blue'}-badge[{plain(token)} · {token_id}{' · unknown' if is_unknown else ''}]"
        for token, token_id, is_unknown in zip(tokens, ids, unknown, strict=True)
    )


def file_name(name: str) -> str:
    """A name every file system takes, without an ending."""
    words = "".join(character if character.isalnum() else " " for character in name.lower()).split()
    return "-".join(words)
