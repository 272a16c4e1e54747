"""The classroom's pairs as a model gets them, in words again so that people can read them."""

from __future__ import annotations

from collections.abc import Sequence

from core.config import ModelConfig
from core.corpora.toy import PAIRS
from core.pipeline import encode_pairs
from core.records import Pair
from core.theory.flow_step import Words
from core.theory.training_flow import WordBatch
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer

_SOURCE = WordTokenizer.fit((pair.source for pair in PAIRS), start_and_end=False)
_TARGET = WordTokenizer.fit((pair.target for pair in PAIRS), start_and_end=True)


def fitting(pair: Pair, config: ModelConfig) -> bool:
    """Whether a model's sentences may be as long as these."""
    source, target = _SOURCE.encode(pair.source), _TARGET.encode(pair.target)
    return len(source) <= config.max_source_length and len(target) < config.max_target_length


def word_batch(pairs: Sequence[Pair], config: ModelConfig) -> WordBatch:
    """Pairs as the pipeline pads and shifts them.

    Args:
        pairs: 1 or more that fit the model.
        config: of the model.
    """
    encoded = encode_pairs(pairs, _SOURCE, _TARGET, config.max_source_length, config.max_target_length)
    inputs, labels = encoded.target[:, :-1], encoded.target[:, 1:]
    return WordBatch(
        sources=_words(_SOURCE, encoded.source.tolist()),
        inputs=_words(_TARGET, inputs.tolist()),
        labels=_words(_TARGET, labels.tolist()),
        real_labels=int((labels != Vocabulary.pad_id).sum()),
    )


def said_while_translating(pair: Pair, config: ModelConfig) -> tuple[Words, Words, Words]:
    """Source, decoder input and output of a model that has learned the pair."""
    batch = word_batch([pair], config)
    return batch.sources[0], batch.inputs[0], batch.labels[0]


def _words(tokenizer: WordTokenizer, rows: Sequence[Sequence[int]]) -> tuple[Words, ...]:
    return tuple(tuple(tokenizer.vocabulary.tokens[index] for index in row) for row in rows)
