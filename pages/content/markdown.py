"""Markdown: what visitors and models write is shown as it is; ours stands on paper, on phones and in tables, too."""

import re
from functools import lru_cache
from html import escape
from itertools import cycle

# Streamlit's Markdown turns http://…, www.… and a@b.c into links, even where backslashes escape them. An invisible
# character that allows no line break keeps such a text from being read as an address.
_ADDRESS = re.compile(r":(?=\\*/)|www(?=\\*\.)|@", re.IGNORECASE)
_JOINER = "\u2060"  # WORD JOINER


def first_words(text: str, most: int = 40) -> str:
    """Return the text, cut to `most` characters with "…" where it is longer."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def plain(text: str) -> str:
    """Return the text escaped for Markdown: shown as it is, with no formatting and no links."""
    return re.sub(r"([\\`*_^{}\[\]()<>#+\-.!|~:$&])", r"\\\1", _apart(text))


# What may stand between dollars: a short formula, without code, which Markdown would read first, and without commands,
# which can cover the page.
_FORMULA = re.compile(r"(\$(?!\s)[^$`\\\n]{1,50}(?<!\s)\$(?!\d))")


def typed(text: str) -> str:
    """Return what somebody has typed for others, in Markdown: as it is, but for formulas without commands."""
    parts = _FORMULA.split(text)
    return "".join(part if number % 2 else plain(part) for number, part in enumerate(parts))


# The few marks of our own texts and of `typed`: between two of them stands a text without one.
_MARKS = re.compile(r"\\([^\w\s]|_)|\*\*(\S.*?)\*\*|\*(\S.*?)\*|`(.+?)`|\$(?!\s)([^$]+)(?<!\s)\$(?!\d)")
_MARKED = "", "", "strong", "em", "code", "formula"
# In a formula or a name, as `d_k`.
_INDEXES = re.compile(r"_\{([^{}]*)\}|_([a-z]+\b|\w)|\^\{([^{}]*)\}|\^(\w)")
_INDEXED = "", "sub", "sub", "sup", "sup"


def parts_of(markdown: str) -> list[tuple[str, str]]:
    """Return a short Markdown text in its parts, each with the name of its HTML element, empty for none."""
    parts: list[tuple[str, str]] = []
    for mark, text in zip(cycle(_MARKED), _MARKS.split(markdown)):
        is_formula = mark in ("", "formula")
        parts += zip(cycle(_INDEXED), _INDEXES.split(text or "")) if is_formula else [(mark, text)]
    return [(mark, text) for mark, text in parts if text]


def html_of(markdown: str) -> str:
    """Return a short Markdown text as HTML."""
    texts = ((mark, escape(text, quote=False)) for mark, text in parts_of(markdown))
    return "".join(f"<{mark}>{text}</{mark}>" if mark else text for mark, text in texts)


@lru_cache(1_000)  # a class of three hundred is asked the same
def text_of(markdown: str) -> str:
    """Return a short Markdown text without its marks."""
    signs = {"sub": "_", "sup": "^"}
    return "".join(signs.get(mark, "") + text for mark, text in parts_of(markdown)).replace(_JOINER, "")


def linkless(markdown: str) -> str:
    """Return untrusted Markdown without pictures, links and formulas; headings, lists, tables and code stay."""
    # As entities: a backslash before them cannot turn them back into what they stand for.
    without_links = _apart(markdown).replace("&", "&amp;").replace("[", "&#91;").replace("<", "&lt;")
    return without_links.replace("$", "&#36;")


def _apart(text: str) -> str:
    """Return the text with an invisible character in each address."""
    return _ADDRESS.sub(rf"\g<0>{_JOINER}", text)
