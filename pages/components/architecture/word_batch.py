"""The classroom's pairs as a model gets them, but as words, so that people can read them."""

from __future__ import annotations

from collections.abc import Sequence

from core.config import ModelConfig
from core.records import Pair
from core.tokens.word import WordTokenizer
from core.training.pairs import encode_pairs
from pages.components.architecture.flows import WordBatch, Words
from pages.components.lesson.classroom_words import english_words, french_words


def fitting(pair: Pair, config: ModelConfig) -> bool:
    """Whether a pair is short enough for a model."""
    source, target = french_words().encode(pair.source), english_words().encode(pair.target)
    return len(source) <= config.max_source_length and len(target) < config.max_target_length


def word_batch(pairs: Sequence[Pair], config: ModelConfig) -> WordBatch:
    """Pairs as the pipeline pads and shifts them.

    Args:
        pairs: 1 or more that fit the model.
        config: of the model.
    """
    encoded = encode_pairs(
        pairs, french_words(), english_words(), config.max_source_length, config.max_target_length
    )
    inputs, labels = encoded.target[:, :-1], encoded.target[:, 1:]
    return WordBatch(
        sources=_words(french_words(), encoded.source.tolist()),
        inputs=_words(english_words(), inputs.tolist()),
        labels=_words(english_words(), labels.tolist()),
    )


def perfect_translation(pair: Pair, config: ModelConfig) -> tuple[Words, Words, Words]:
    """Source, decoder input and output of a model that has learned the pair."""
    batch = word_batch([pair], config)
    return batch.sources[0], batch.inputs[0], batch.labels[0]


def _words(tokenizer: WordTokenizer, rows: Sequence[Sequence[int]]) -> tuple[Words, ...]:
    return tuple(tuple(tokenizer.vocabulary.tokens[index] for index in row) for row in rows)
