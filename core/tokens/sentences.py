"""Sentences: splitting a text into them, and adding a full stop to those typed without one.

Nearly all sentences of corpora end in punctuation. A model trained on them takes a sentence without it as
unfinished, and repeats its last words up to the length limit ("Yes" → "Oui oui oui oui …").
"""

import re
import unicodedata
from collections.abc import Iterable

from core.records.text import FULL_STOP
from core.tokens.base import Tokenizer
from core.tokens.vocabulary import UNKNOWN_ID

_AFTER_SENTENCE = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"'»”’)\]]))\s+(?=\S)|(?<!\s)\s*\n\s*")
_ABBREVIATION = re.compile(  # one letter, or a title before a name
    r"(?:^|\W)(?:[^\W\d_]|mrs?|ms|dra?|prof|sra?|srta|st|mme|mlle|vs|etc)\.$", re.IGNORECASE
)
_CLOSING = ("Pe", "Pf", "Pi")  # brackets and quotation marks that may follow the final punctuation
_STRAIGHT_QUOTES = "\"'"


def split_sentences(text: str) -> list[str]:
    """Split each line of a text after . ! ? or …, but not after an abbreviation ("Dr. Silva")."""
    sentences: list[list[str]] = []  # each a list of parts
    open_end = False
    start = 0
    for cut in [*_AFTER_SENTENCE.finditer(text), None]:
        sentence = text[start : cut.start() if cut else len(text)]
        start = cut.end() if cut else len(text)
        if open_end:
            sentences[-1].append(sentence)
        elif sentence.strip():
            sentences.append([sentence.strip()])
        ends_line = cut is None or "\n" in cut[0]
        open_end = bool(sentences) and not ends_line and _ABBREVIATION.search(sentence) is not None
    return [" ".join(parts) for parts in sentences]


def is_open(text: str) -> bool:
    """Return whether a text ends without punctuation; closing brackets and quotation marks are ignored."""
    for character in reversed(text):
        category = unicodedata.category(character)
        if not (character.isspace() or character in _STRAIGHT_QUOTES or category in _CLOSING):
            return not category.startswith("P")
    return False


def without_full_stop(text: str) -> str:
    """Remove the one full stop that ends a text; an ellipsis stays."""
    bare = text.removesuffix(FULL_STOP)
    return bare if bare and not bare.endswith(FULL_STOP) else text


def needs_full_stop(examples: Iterable[str], tokenizer: Tokenizer) -> bool:
    """Return whether a model has seen only sentences that end in punctuation, judging by its `examples`.

    A tokenizer that drops punctuation, like the classroom's, or that does not know the full stop needs none.
    """
    endings = [is_open(example) for example in examples]
    ids = tokenizer.encode(FULL_STOP)
    reads_stops = bool(ids) and UNKNOWN_ID not in ids
    return reads_stops and bool(endings) and not any(endings)
