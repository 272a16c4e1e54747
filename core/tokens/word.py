"""Words as tokens, as for the fifteen classroom pairs, and suggestions for words outside the vocabulary."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Self

from core.tokens.base import Tokenizer
from core.tokens.normalization import normal_form
from core.tokens.vocabulary import MAX_TOKEN_CHARACTERS, Vocabulary

MAX_WORDS = 3  # words of a text that get a suggestion
# In a larger vocabulary, only words that differ in accents are suggested.
MAX_COMPARED = 1_000
MAX_LETTERS = 24  # longest word compared; the time grows with the square of the length
_SIMILARITY = 0.7  # by Ratcliff and Obershelp: 2 × matching letters / all letters


@lru_cache(maxsize=4096)
def _spaced(character: str) -> str:
    """Return a space for punctuation and symbols, and other characters as they are."""
    return " " if unicodedata.category(character)[0] in "PSCZ" else character


def normalize(text: str) -> str:
    """Lower-case a text and replace punctuation and symbols by spaces; accents stay.

    "J'aime le café !" becomes "j aime le café". Letters that Unicode can write in two ways become one (NFC): "é" is
    the same letter from any keyboard. Words without a letter or digit (an emoji, a dash) are dropped.
    """
    spaced = "".join(map(_spaced, normal_form("NFC", text).lower()))
    return " ".join(word for word in spaced.split() if any(map(str.isalnum, word)))


class WordTokenizer(Tokenizer):
    """Splits text into lower-cased words without punctuation, each with one id."""

    kind = "word"

    @classmethod
    def fit(cls, texts: Iterable[str], *, start_and_end: bool) -> Self:
        """Learn the words of `texts`, with ids by descending frequency, then by first use.

        A word of more than MAX_TOKEN_CHARACTERS stays unknown.
        """
        every = (word for text in texts for word in normalize(text).split())
        counts = Counter(word for word in every if len(word) <= MAX_TOKEN_CHARACTERS)
        words = (word for word, _ in counts.most_common())  # stable: equals keep their first order
        return cls(Vocabulary.from_tokens(words, start_and_end=start_and_end))

    def tokens(self, text: str) -> list[str]:
        return normalize(text).split()

    def detokenized(self, text: str) -> str:
        return normalize(text)

    def decode(self, ids: Sequence[int]) -> str:
        return self.decode_words(ids)

    def decode_words(self, ids: Sequence[int]) -> str:
        return " ".join(self.vocabulary.tokens[i] for i in ids if not self.vocabulary.is_special(i))

    def normalized(self, text: str) -> str:
        return normalize(text)


def likely_words(words: Sequence[str], vocabulary: Vocabulary) -> dict[str, str]:
    """Suggest an entry for each of the first few `words` that a vocabulary of whole words lacks.

    An entry that differs only in accents comes first, then the one that shares most letters. Words without a similar
    entry are left out, and entries with other signs than letters ("aujourd'hui") are not suggested.
    """
    found = {word: _likely(word, vocabulary) for word in list(dict.fromkeys(words))[:MAX_WORDS]}
    return {word: likely for word, likely in found.items() if likely}


def _likely(word: str, vocabulary: Vocabulary) -> str:
    known = _by_letters(vocabulary)
    letters = _without_accents(word)
    if letters in known or len(known) > MAX_COMPARED or len(letters) > MAX_LETTERS:
        return known.get(letters, "")
    close = get_close_matches(letters, known, n=1, cutoff=_SIMILARITY)
    return known[close[0]] if close else ""


@lru_cache(maxsize=4)
def _by_letters(vocabulary: Vocabulary) -> dict[str, str]:
    """Return the entries by their letters without accents; of two that agree, the more frequent one."""
    entries = [token for token in vocabulary.tokens if token.isalpha() and len(token) <= MAX_LETTERS]
    return {_without_accents(token): token for token in reversed(entries)}


def _without_accents(word: str) -> str:
    letters = unicodedata.normalize("NFD", word.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
