"""Words as tokens, as for the fifteen classroom pairs."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

from core.normal_forms import normal_form
from core.tokens.vocabulary import MAX_TOKEN_CHARACTERS, Vocabulary

_COMMON = 0x3000  # Latin, Greek, Cyrillic, Arabic and so on, and general punctuation


class _Spaced(dict[int, str]):
    """What a character becomes, by its number: a space, or itself. Common ones are looked up in Unicode once."""

    def __missing__(self, number: int) -> str:
        character = chr(number)
        becomes = " " if unicodedata.category(character)[0] in "PSCZ" else character
        if number < _COMMON:  # a text in all of Unicode's characters must not stay in memory
            self[number] = becomes
        return becomes


_SPACED = _Spaced()


def normalize(text: str) -> str:
    """Lower-case, with punctuation and symbols as spaces; accents stay.

    "J'aime le café !" becomes "j aime le café". Letters and accents that Unicode can write in two
    ways become one (NFC): "é" is the same letter from any keyboard. Whatever has no letter and no digit
    (an emoji, a dash) is dropped.
    """
    spaced = normal_form("NFC", text).lower().translate(_SPACED)
    return " ".join(word for word in spaced.split() if any(map(str.isalnum, word)))


class WordTokenizer:
    """Lower-cased words without punctuation, each with one id.

    Args:
        vocabulary: the words it knows; every other word gets the unknown id.
    """

    kind = "word"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

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

    @property
    def vocabulary(self) -> Vocabulary:
        return self._vocabulary

    def tokens(self, text: str) -> list[str]:
        return normalize(text).split()

    def encode(self, text: str) -> list[int]:
        return [self._vocabulary.id_of(word) for word in self.tokens(text)]

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(self._vocabulary.tokens[i] for i in ids if not self._vocabulary.is_special(i))

    def detokenized(self, text: str) -> str:
        return normalize(text)

    def decode_words(self, ids: Sequence[int]) -> str:
        return self.decode(ids)

    def normalized(self, text: str) -> str:
        return normalize(text)
