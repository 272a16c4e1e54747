"""Recognizing the language of a short text by its function words: enough to warn of the wrong language."""

from __future__ import annotations

import re
from collections import Counter

_WORDS = {
    "en": "the of and is are was were it you we they he she this that these with for have has what where how my your not "
    "be to i in there",
    "fr": "le la les une des et est sont je tu il elle nous vous ils ce cette qui où pas dans pour avec mon ma sur au du",
    "pt": "o os um uma e é são eu ele ela nós eles este esta isto onde não em para com meu minha da dos das na ao mais",
}
_LANGUAGE_OF = {
    word: code
    for code, words in _WORDS.items()
    for word in words.split()
    if sum(word in others.split() for others in _WORDS.values()) == 1
}
_LEAST = 2  # different function words needed, and twice as many as of any other language
_WORD = re.compile(r"\w+")


def language_of(text: str) -> str | None:
    """Return "en", "fr" or "pt"; None if the text is too short to tell, or in another language."""
    words = set(_WORD.findall(text.lower())) & _LANGUAGE_OF.keys()
    counts = Counter(_LANGUAGE_OF[word] for word in words)
    first, second = (*counts.most_common(2), ("", 0), ("", 0))[:2]
    return first[0] if first[1] >= max(_LEAST, 2 * second[1]) else None
