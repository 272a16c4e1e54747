"""Numbers and tokens as people read them."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Streamlit's Markdown makes links of http://…, www.… and a@b.c after it has read the backslashes. A character that
# takes no room, and at which no line breaks, ends what it would take for an address.
_ADDRESS = re.compile(r":(?=\\*/)|www(?=\\*\.)|@", re.IGNORECASE)
_JOINER = "\u2060"  # WORD JOINER


def first_words(text: str, most: int = 40) -> str:
    """The text, or its beginning and "…" where it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def plain(text: str) -> str:
    """Text with everything that Markdown would read as formatting shown as it is, and no address a link."""
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|~:$&])", r"\\\1", _apart(text))


def linkless(markdown: str) -> str:
    """Markdown of a stranger: its headings, lists, tables and code, but no picture and no link."""
    # As entities, which no backslash before them turns into brackets again.
    return _apart(markdown).replace("&", "&amp;").replace("[", "&#91;").replace("<", "&lt;")


def badges(tokens: Sequence[str], ids: Sequence[int], unknown: Sequence[bool]) -> str:
    """Tokens with their ids as coloured chips; unknown ones stand out."""
    return " ".join(
        f":{'orange' if is_unknown else 'blue'}-badge[{plain(token)} · {token_id}{' · unknown' if is_unknown else ''}]"
        for token, token_id, is_unknown in zip(tokens, ids, unknown, strict=True)
    )


def _apart(text: str) -> str:
    """The text with what no eye sees in each address."""
    return _ADDRESS.sub(rf"\g<0>{_JOINER}", text)
