"""The tokenizers inside a TensorFlow graph: the same ids and the same text as in Python, without Python.

Exported models use them. `tests/tokens/test_in_graph.py` checks that both give the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import tensorflow as tf

from core.tokens.base import Tokenizer
from core.tokens.characters import case_ignorable, cased, in_categories
from core.tokens.detokenizer import CAPITAL, Rule, Step, capital, program
from core.tokens.subword import MAX_WORD_BYTES, SubwordTokenizer
from core.tokens.subword_settings import SubwordSettings
from core.tokens.subword_vocabulary import JOINER
from core.tokens.tensorflow_text import tensorflow_text
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer

Tensor = Any


class InGraph(tf.Module):
    """A tokenizer for batches of texts, to be saved within a SavedModel.

    Args:
        vocabulary: of the tokenizer.
        name: of the module.

    Raises:
        TensorFlowTextError: tensorflow-text is not installed.
    """

    def __init__(self, vocabulary: Vocabulary, name: str) -> None:
        super().__init__(name=name)
        self._operations = tensorflow_text("Exporting a SavedModel")
        tokens = tf.constant(vocabulary.tokens)
        self.entries = tf.lookup.KeyValueTensorInitializer(tokens, tf.range(len(vocabulary), dtype=tf.int64))
        self.ids = tf.lookup.StaticHashTable(self.entries, default_value=vocabulary.unknown_id)
        self.token_strings = tf.Variable(tokens, trainable=False, name="token_strings")
        self.special = [index for index in range(len(vocabulary)) if vocabulary.is_special(index)]

    def tokens(self, texts: Tensor) -> Tensor:
        """Texts (B,) -> their token strings, ragged (B, None), as they stand in the texts."""
        raise NotImplementedError

    def encode(self, texts: Tensor) -> Tensor:
        """Texts (B,) -> their ids, ragged int32 (B, None), without start and end."""
        tokens = self.tokens(texts)
        return tokens.with_flat_values(tf.cast(self.ids.lookup(tokens.flat_values), tf.int32))

    def decode_words(self, ids: Tensor) -> Tensor:
        """Ids, ragged (B, None) -> texts (B,): the words, joined with spaces."""
        is_special = tf.reduce_any(ids.flat_values[:, None] == [self.special], axis=1)
        kept = tf.ragged.boolean_mask(ids, ids.with_flat_values(~is_special))
        return tf.strings.reduce_join(tf.gather(self.token_strings, kept), axis=1, separator=" ")

    def decode(self, ids: Tensor) -> Tensor:
        """Ids, ragged (B, None) -> detokenized texts (B,)."""
        return self.decode_words(ids)


class SubwordInGraph(InGraph):
    """A `SubwordTokenizer` in a graph."""

    def __init__(self, vocabulary: Vocabulary, settings: SubwordSettings) -> None:
        super().__init__(vocabulary, name="subword_tokenizer")
        self.settings = settings
        # Without an unknown token, unknown subwords stay strings. Looking them up then gives the unknown id, also
        # for an unknown character inside a word.
        self.wordpiece = self._operations.BertTokenizer(
            tf.lookup.StaticVocabularyTable(self.entries, num_oov_buckets=1),
            suffix_indicator=JOINER,
            max_bytes_per_word=MAX_WORD_BYTES,
            token_out_type=tf.string,
            unknown_token=None,
            split_unknown_characters=settings.split_unknown,
        )
        self.detokenizer = DetokenizerInGraph(settings.language)

    def tokens(self, texts: Tensor) -> Tensor:
        settings = self.settings
        texts = (
            self._operations.case_fold_utf8(texts)
            if settings.lower_case
            else self._operations.normalize_utf8(texts, "NFKC")
        )
        if settings.plain_apostrophes:
            texts = tf.strings.regex_replace(texts, "[‘’ʼ]", "'")
        if settings.strip_accents:
            texts = tf.strings.regex_replace(self._operations.normalize_utf8(texts, "NFD"), r"\p{Mn}", "")
        return self.wordpiece.tokenize(texts).merge_dims(1, 2)

    def decode_words(self, ids: Tensor) -> Tensor:
        return tf.strings.regex_replace(super().decode_words(ids), f"(^| ){JOINER}([^ ])", r"\2")

    def decode(self, ids: Tensor) -> Tensor:
        return self.detokenizer(self.decode_words(ids))


class WordInGraph(InGraph):
    """A `WordTokenizer` in a graph."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary, name="word_tokenizer")
        self.small = CharacterMap(_small)

    def tokens(self, texts: Tensor) -> Tensor:
        letters = tf.strings.unicode_split(self._operations.normalize_utf8(texts, "NFC"), "UTF-8")
        lower = tf.strings.reduce_join(tf.ragged.map_flat_values(self.small, letters), axis=1)
        lower = run_steps(_small_sigmas(), lower)
        kept = in_categories("L", "M", "N")
        words = tf.strings.split(tf.strings.regex_replace(lower, f"[^{kept}]+", " "), " ")
        is_word = tf.strings.regex_full_match(words.flat_values, f".*[{in_categories('L', 'N')}].*")
        return tf.ragged.boolean_mask(words, words.with_flat_values(is_word))


def _small(letter: str) -> str:
    return letter if letter == "Σ" else letter.lower()


def _small_sigmas() -> tuple[Step, ...]:
    """Σ becomes ς at the end of a word and σ elsewhere, as in `str.lower` (Unicode Standard, 3.13)."""
    followed = Rule(f"Σ([{case_ignorable()}]*[{cased()}])", r"σ\1")
    preceded = Rule(f"([{cased()}][{case_ignorable()}]*)Σ", r"\1ς")
    return Step((followed,), max_passes=2), Step((preceded, Rule("Σ", "σ")))


class DetokenizerInGraph(tf.Module):
    """`detokenize` in a graph: texts (B,) -> texts (B,).

    Args:
        language: code of the language.
    """

    def __init__(self, language: str) -> None:
        super().__init__(name="detokenize")
        self.program = program(language)
        self.capital = CharacterMap(capital)

    def __call__(self, texts: Tensor) -> Tensor:
        parts = tf.strings.split(run_steps(self.program.before, texts), CAPITAL)
        return run_steps(
            self.program.after,
            tf.strings.reduce_join(tf.ragged.map_flat_values(self._capitalize, parts), axis=1),
        )

    def _capitalize(self, parts: Tensor) -> Tensor:
        """Every part may begin with a capital: before the first CAPITAL there is only a gap, or nothing."""
        first = tf.strings.substr(parts, 0, 1, unit="UTF8_CHAR")
        return self.capital(first) + tf.strings.regex_replace(parts, "^.", "")


class CharacterMap(tf.Module):
    """A function of one character, as a table of those it changes.

    Args:
        change: character -> text, not empty.
    """

    def __init__(self, change: Callable[[str], str]) -> None:
        super().__init__(name="character_map")
        before, after = _changed(change)
        initializer = tf.lookup.KeyValueTensorInitializer(tf.constant(before), tf.constant(after))
        self.table = tf.lookup.StaticHashTable(initializer, default_value="")

    def __call__(self, characters: Tensor) -> Tensor:
        """Characters of any shape -> their replacements."""
        found = self.table.lookup(characters)
        return tf.where(found == "", characters, found)


@cache
def _changed(change: Callable[[str], str]) -> tuple[list[str], list[str]]:
    """The characters that are changed, and their replacements."""
    before = [letter for letter in map(chr, range(sys.maxunicode + 1)) if change(letter) != letter]
    return before, [change(letter) for letter in before]


def run_steps(steps: Sequence[Step], texts: Tensor) -> Tensor:
    """The texts (B,) after all rules, as `detokenize` runs them one text at a time."""
    for step in steps:
        texts = _run_once(step, texts) if step.max_passes == 1 else _repeat(step, texts)
    return texts


def _run_once(step: Step, texts: Tensor) -> Tensor:
    for rule in step.rules:
        texts = tf.strings.regex_replace(texts, rule.pattern, rule.replacement)
    return texts


def _repeat(step: Step, texts: Tensor) -> Tensor:
    _, texts = tf.while_loop(
        lambda before, now: tf.reduce_any(before != now),
        lambda before, now: (now, _run_once(step, now)),
        (texts, _run_once(step, texts)),
        maximum_iterations=step.max_passes - 1,
    )
    return texts


def in_graph(tokenizer: Tokenizer) -> InGraph:
    """The tokenizer as a module of a graph.

    Raises:
        ValueError: there is none for its kind.
    """
    if isinstance(tokenizer, SubwordTokenizer):
        return SubwordInGraph(tokenizer.vocabulary, tokenizer.settings)
    if isinstance(tokenizer, WordTokenizer):
        return WordInGraph(tokenizer.vocabulary)
    raise ValueError(f"The tokenizer must be of words or subwords. Received: {tokenizer.kind!r:.80}")
