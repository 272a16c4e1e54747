"""Words of a vocabulary that a word outside it was probably meant for: "etudiant" for "étudiant"."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from difflib import get_close_matches
from weakref import WeakKeyDictionary

from core.tokens.vocabulary import Vocabulary

MAX_WORDS = 3  # of a text that are looked up
MAX_COMPARED = (
    1_000  # entries that a word is compared with; in a larger vocabulary only accents are looked at
)
MAX_LETTERS = 24  # of a word: comparing two takes time with the square of them
# A page asks again at every rerun; what is known of a vocabulary goes with its model.
_known: WeakKeyDictionary[Vocabulary, dict[str, str]] = WeakKeyDictionary()
_SIMILARITY = 0.7  # of Ratcliff and Obershelp's measure, 2 × matching letters / all letters


def likely_words(words: Sequence[str], vocabulary: Vocabulary) -> dict[str, str]:
    """Find what the first few of `words` were meant for.

    Args:
        words: tokens that are not in the vocabulary.
        vocabulary: of whole words.

    Returns:
        The entry most like each word: the same but for accents, else one that shares most letters. Words that are
        like none are left out, and so is what is not made of letters alone ("aujourd'hui").
    """
    found = {word: _likely(word, vocabulary) for word in list(dict.fromkeys(words))[:MAX_WORDS]}
    return {word: likely for word, likely in found.items() if likely}


def _likely(word: str, vocabulary: Vocabulary) -> str:
    known, letters = _by_letters(vocabulary), _without_accents(word)
    if letters in known or len(known) > MAX_COMPARED or len(letters) > MAX_LETTERS:
        return known.get(letters, "")
    close = get_close_matches(letters, known, n=1, cutoff=_SIMILARITY)
    return known[close[0]] if close else ""


def _by_letters(vocabulary: Vocabulary) -> dict[str, str]:
    """The entries by their letters without accents; of two alike, the more frequent one."""
    if vocabulary not in _known:
        entries = [token for token in vocabulary.tokens if token.isalpha() and len(token) <= MAX_LETTERS]
        _known[vocabulary] = {_without_accents(token): token for token in reversed(entries)}
    return _known[vocabulary]


def _without_accents(word: str) -> str:
    letters = unicodedata.normalize("NFD", word.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
