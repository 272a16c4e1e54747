"""Subwords as tokens (WordPiece): how a vocabulary of some thousands spells every word.

Wu et al. 2016, "Google's Neural Machine Translation System", section 4.1; Song et al. 2021, "Fast WordPiece
Tokenization", section 2, for longest-match-first. TensorFlow is loaded only to learn a vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Self

from core.tokens.base import Tokenizer
from core.tokens.detokenizer import detokenize
from core.tokens.normalization import SubwordSettings, normalize_for_subwords, split_words
from core.tokens.subword_vocabulary import JOINER, check_subwords, learn_subwords
from core.tokens.vocabulary import Vocabulary

MAX_WORD_BYTES = 100  # of UTF-8; a longer word is one unknown token, as in tensorflow-text

_WORDS_CACHED = 1 << 16


class SubwordTokenizer(Tokenizer):
    """Subwords with one id each, as in BERT.

    Text is normalized and split at spaces, punctuation and Chinese characters. Each word is then cut from the left,
    each time after the longest subword that the vocabulary has.

    Args:
        vocabulary: the subwords; those that continue a word begin with ##.
        settings: how to normalize.

    Raises:
        VocabularyError: the vocabulary has no start and end, no ## subwords, or does not fit the settings.
    """

    kind = "subword"

    def __init__(self, vocabulary: Vocabulary, settings: SubwordSettings | None = None) -> None:
        super().__init__(vocabulary)
        self.settings = settings or SubwordSettings()
        check_subwords(vocabulary, self.settings)
        # Bounded: words repeat, but a server must not keep every word ever typed.
        self._cut_short = lru_cache(_WORDS_CACHED)(self.cut)

    @classmethod
    def learn(cls, texts: Iterable[str], vocab_size: int, settings: SubwordSettings | None = None) -> Self:
        """Return the tokenizer of a vocabulary that `learn_subwords` learns."""
        settings = settings or SubwordSettings()
        return cls(learn_subwords(texts, vocab_size, settings), settings)

    def words(self, text: str) -> list[str]:
        """The normalized words and punctuation marks, not yet cut into subwords."""
        return split_words(normalize_for_subwords(text, self.settings))

    def normalized(self, text: str) -> str:
        """The words, joined with spaces, as references are given to `score_normalized`."""
        return " ".join(self.words(text))

    def tokens(self, text: str) -> list[str]:
        # Words that are not split stay out of the cache: they may have any length.
        cut = (self._cut_short(word) if len(word) <= MAX_WORD_BYTES else (word,) for word in self.words(text))
        return [subword for subwords in cut for subword in subwords]

    def decode_words(self, ids: Sequence[int]) -> str:
        """The words of the ids, joined with spaces: what `normalized` gives for text."""
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
        """The subwords of one of `words`, each the longest that fits; what the vocabulary lacks stays as it is."""
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
        """The end of the longest subword that begins at `start`; `start` itself if the vocabulary has none."""
        for end in range(len(word), start, -1):
            if _subword(word, start, end) in self.vocabulary:
                return end
        return start


def _subword(word: str, start: int, end: int) -> str:
    return (JOINER if start else "") + word[start:end]


SubwordTokenizers = tuple[SubwordTokenizer, SubwordTokenizer]  # of source and target
