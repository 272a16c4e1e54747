"""Words of a vocabulary that a word outside it was probably meant for: "etudiant" for "étudiant"."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from difflib import get_close_matches

from core.tokens.vocabulary import Vocabulary

MAX_WORDS = 3  # of a text that are looked up: each is compared with the whole vocabulary
MAX_COMPARED = 2_000  # entries of a vocabulary; in a larger one only accents are looked at
MAX_CHARACTERS = 30  # of a word: comparing takes time with the square of them
_SIMILARITY = 0.7  # of Ratcliff and Obershelp's measure, 2 × matching characters / all characters


def likely_words(words: Sequence[str], vocabulary: Vocabulary) -> dict[str, str]:
    """Find what the first few of `words` were meant for.

    Args:
        words: tokens that are not in the vocabulary.
        vocabulary: of whole words.

    Returns:
        The entry most like each word: the same but for accents, else one that shares most letters. Words that are
        like none are left out.
    """
    tokens = [
        token for token in vocabulary.tokens[4 if vocabulary.has_start_and_end else 2 :] if token.isalpha()
    ]
    bare: dict[str, str] = {}
    for token in tokens:
        bare.setdefault(_without_accents(token), token)
    found = {}
    for word in [word for word in dict.fromkeys(words) if len(word) <= MAX_CHARACTERS][:MAX_WORDS]:
        key = _without_accents(word)
        close = [key] if key in bare else []
        if not close and len(tokens) <= MAX_COMPARED:
            close = get_close_matches(key, bare, n=1, cutoff=_SIMILARITY)
        if close:
            found[word] = bare[close[0]]
    return found


def _without_accents(word: str) -> str:
    letters = unicodedata.normalize("NFD", word.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
