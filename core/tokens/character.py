"""Characters as tokens, for languages that are written without spaces."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self
from unicodedata import category

from core.tokens.base import Tokenizer
from core.tokens.vocabulary import MAX_TOKEN_CHARACTERS, Vocabulary
from core.tokens.word import normalize

SPACE = "␣"  # the token of a space; a text has none, since `normalize` drops symbols


def characters_of(text: str) -> list[str]:
    """Return the characters of a text, each with the accents and vowel signs that are written on it."""
    characters: list[str] = []
    for character in text:
        if category(character)[0] == "M" and characters and characters[-1] != SPACE:
            characters[-1] += character
        else:
            characters.append(SPACE if character == " " else character)
    return characters


class CharacterTokenizer(Tokenizer):
    """Splits text into lower-cased characters without punctuation, each with one id."""

    kind = "character"

    @classmethod
    def fit(cls, texts: Iterable[str], *, start_and_end: bool) -> Self:
        """Learn the characters of `texts`, with ids by descending frequency, then by first use.

        One with more than MAX_TOKEN_CHARACTERS signs on it stays unknown.
        """
        counts = Counter(character for text in texts for character in characters_of(normalize(text)))
        known = (character for character, _ in counts.most_common() if len(character) <= MAX_TOKEN_CHARACTERS)
        return cls(Vocabulary.from_tokens(known, start_and_end=start_and_end))

    def tokens(self, text: str) -> list[str]:
        return characters_of(normalize(text))

    def normalized(self, text: str) -> str:
        """Return the characters, joined with spaces: scores compare these."""
        return " ".join(self.tokens(text))

    def detokenized(self, text: str) -> str:
        return normalize(text)

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(self._written(ids)).replace(SPACE, " ").strip()

    def decode_words(self, ids: Sequence[int]) -> str:
        return " ".join(self._written(ids))

    def _written(self, ids: Sequence[int]) -> list[str]:
        return [self.vocabulary.tokens[i] for i in ids if not self.vocabulary.is_special(i)]
