"""Numbers and tokens as people read them."""

from __future__ import annotations

import re
from collections.abc import Sequence


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
