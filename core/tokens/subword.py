"""Subwords as tokens (WordPiece): a vocabulary of some thousands of entries spells every word.

Wu et al. 2016, "Google's Neural Machine Translation System", section 4.1; for longest-match-first, Song et al. 2021,
"Fast WordPiece Tokenization", section 2.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Self

from core.tokens.base import Tokenizer
from core.tokens.detokenizer import detokenize
from core.tokens.merges import JOINER
from core.tokens.normalization import SubwordSettings, normalize_for_subwords, split_words
from core.tokens.subword_vocabulary import check_subwords, learn_subwords
from core.tokens.vocabulary import Vocabulary

MAX_WORD_BYTES = 100  # in UTF-8; a longer word is one unknown token, as in tensorflow-text

_WORDS_CACHED = 1 << 16


class SubwordTokenizer(Tokenizer):
    """Splits text into subwords, each with an id, as BERT does.

    Text is normalized and split at spaces, punctuation and Chinese characters. Each word is then cut from the left,
    each time after the longest subword in the vocabulary.

    Raises:
        InputError: the vocabulary has no start and end, no ## subwords, or does not fit the settings.
    """

    kind = "subword"

    def __init__(self, vocabulary: Vocabulary, settings: SubwordSettings | None = None) -> None:
        super().__init__(vocabulary)
        self.settings = settings or SubwordSettings()
        check_subwords(vocabulary, self.settings)
        # Bounded, because a server must not keep every word ever typed.
        self._cut_short = lru_cache(_WORDS_CACHED)(self.cut)

    def __reduce__(self) -> tuple[type[Self], tuple[Vocabulary, SubwordSettings]]:
        """Pickle it without its cache: a training sends it to the process that trains."""
        return type(self), (self.vocabulary, self.settings)

    @classmethod
    def learn(cls, texts: Iterable[str], vocab_size: int, settings: SubwordSettings | None = None) -> Self:
        """Learn a vocabulary with `learn_subwords`, and return its tokenizer."""
        settings = settings or SubwordSettings()
        return cls(learn_subwords(texts, vocab_size, settings), settings)

    def words(self, text: str) -> list[str]:
        """Return the normalized words and punctuation marks, not yet split into subwords."""
        return split_words(normalize_for_subwords(text, self.settings))

    def normalized(self, text: str) -> str:
        """Return the words, joined with spaces, as `core.evaluation` compares references."""
        return " ".join(self.words(text))

    def tokens(self, text: str) -> list[str]:
        # Words of any length stay out of the cache.
        cut = (self._cut_short(word) if len(word) <= MAX_WORD_BYTES else (word,) for word in self.words(text))
        return [subword for subwords in cut for subword in subwords]

    def decode_words(self, ids: Sequence[int]) -> str:
        """Return the words of the ids, joined with spaces, as `normalized` returns them for text."""
        subwords: list[str] = []
        for token_id in ids:
            if self.vocabulary.is_special(token_id):
                continue
            subword = self.vocabulary.tokens[token_id]
            if subword.startswith(JOINER) and len(subword) > len(JOINER):
                subwords.append(subword.removeprefix(JOINER))
            else:
                subwords.extend((" ", subword) if subwords else (subword,))
        return "".join(subwords)

    def detokenized(self, text: str) -> str:
        return detokenize(text, self.settings.language)

    def cut(self, word: str) -> tuple[str, ...]:
        """Split one of `words` into the longest subwords that fit; characters not in the vocabulary stay as they are."""
        if len(word.encode()) > MAX_WORD_BYTES:
            return (word,)
        subwords = []
        start = 0
        while start < len(word):
            end = self.end_of_longest_subword(word, start)
            if end == start and not self.settings.split_unknown:
                return (word,)
            end = max(end, start + 1)
            subwords.append(_subword(word, start, end))
            start = end
        return tuple(subwords)

    def end_of_longest_subword(self, word: str, start: int) -> int:
        """Return the end of the longest subword that begins at `start`, or `start` if the vocabulary has none."""
        for end in range(len(word), start, -1):
            if _subword(word, start, end) in self.vocabulary:
                return end
        return start


def _subword(word: str, start: int, end: int) -> str:
    return (JOINER if start else "") + word[start:end]
