"""Words as tokens, as for the fifteen classroom pairs; and which word one outside the vocabulary was meant for."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Self

from core.tokens.base import Tokenizer
from core.tokens.normalization import normal_form
from core.tokens.vocabulary import MAX_TOKEN_CHARACTERS, Vocabulary

MAX_WORDS = 3  # of a text that are looked up
# Entries that a word is compared with; of a larger vocabulary only accents are looked at.
MAX_COMPARED = 1_000
MAX_LETTERS = 24  # of a word: comparing two takes time with the square of them
_SIMILARITY = 0.7  # of Ratcliff and Obershelp's measure, 2 × matching letters / all letters


@lru_cache(maxsize=4096)
def _spaced(character: str) -> str:
    """Return what a character becomes: a space, or itself."""
    return " " if unicodedata.category(character)[0] in "PSCZ" else character


def normalize(text: str) -> str:
    """Lower-case, with punctuation and symbols as spaces; accents stay.

    "J'aime le café !" becomes "j aime le café". Letters and accents that Unicode can write in two
    ways become one (NFC): "é" is the same letter from any keyboard. Whatever has no letter and no digit
    (an emoji, a dash) is dropped.
    """
    spaced = "".join(map(_spaced, normal_form("NFC", text).lower()))
    return " ".join(word for word in spaced.split() if any(map(str.isalnum, word)))


class WordTokenizer(Tokenizer):
    """Lower-cased words without punctuation, each with one id."""

    kind = "word"

    @classmethod
    def fit(cls, texts: Iterable[str], *, start_and_end: bool) -> Self:
        """Learn the words of `texts`: ids by descending frequency, equals in the order of their first use.

        A word of more than MAX_TOKEN_CHARACTERS stays unknown.

        Args:
            texts: the sentences of one language.
            start_and_end: whether the vocabulary needs start and end (the target language does).
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
    """Return what the first few of `words` that a vocabulary of whole words lacks were meant for.

    That is the entry most like each: the same but for accents, else one that shares most letters. Words that are like
    none are left out, and so are entries that are not made of letters alone ("aujourd'hui").
    """
    found = {word: _likely(word, vocabulary) for word in list(dict.fromkeys(words))[:MAX_WORDS]}
    return {word: likely for word, likely in found.items() if likely}


def _likely(word: str, vocabulary: Vocabulary) -> str:
    known, letters = _by_letters(vocabulary), _without_accents(word)
    if letters in known or len(known) > MAX_COMPARED or len(letters) > MAX_LETTERS:
        return known.get(letters, "")
    close = get_close_matches(letters, known, n=1, cutoff=_SIMILARITY)
    return known[close[0]] if close else ""


@lru_cache(maxsize=4)
def _by_letters(vocabulary: Vocabulary) -> dict[str, str]:
    """The entries by their letters without accents; of two alike, the more frequent one."""
    entries = [token for token in vocabulary.tokens if token.isalpha() and len(token) <= MAX_LETTERS]
    return {_without_accents(token): token for token in reversed(entries)}


def _without_accents(word: str) -> str:
    letters = unicodedata.normalize("NFD", word.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
