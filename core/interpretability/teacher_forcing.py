"""A sentence and its translation as one teacher-forced pass reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from core.config import ModelConfig
from core.inference.search import log_softmax
from core.inference.transformer import UNCHANGED, Floats, Ids, Interventions, Patch, Trace
from core.inference.translator import TranslationError, Translator
from core.pipeline import pad
from core.records import AttentionRecord, Pair, Translation


@dataclass(frozen=True, eq=False)
class ForcedPair:
    """The ids of one source and one target; position t of the target reads `decoder_input` and predicts `predicted`."""

    source: Ids  # (S,)
    predicted: Ids  # (T,), the end included where the sentence ended
    start_id: int
    source_tokens: tuple[str, ...]
    predicted_tokens: tuple[str, ...]

    @classmethod
    def of_translation(cls, translator: Translator, translation: Translation) -> Self:
        """A sentence with what the model has written for it."""
        return cls.of_ids(
            translator, translator.source_tokenizer.encode(translation.read), translation.best.ids
        )

    @classmethod
    def of_texts(cls, translator: Translator, source: str, target: str) -> Self:
        """A sentence with any other translation of it, such as a reference.

        Raises:
            TranslationError: one side has no words, or too many for the model.
        """
        config, end_id = translator.config, translator.target_tokenizer.vocabulary.end_id
        ids = translator.source_tokenizer.encode(source)
        predicted = [*translator.target_tokenizer.encode(target), end_id]
        if not ids or len(predicted) == 1:
            raise TranslationError("There are no words to read. Type both sentences.")
        if len(ids) > config.max_source_length or len(predicted) > config.max_target_length:
            raise TranslationError("A sentence is too long for this model. Shorten it.")
        return cls.of_ids(translator, ids, predicted)

    @classmethod
    def of_ids(cls, translator: Translator, source: Sequence[int], predicted: Sequence[int]) -> Self:
        """Ids of a source and of a target, the end included where it ended."""
        vocabularies = translator.source_tokenizer.vocabulary, translator.target_tokenizer.vocabulary
        tokens = (
            tuple(vocabulary.tokens[i] for i in ids)
            for vocabulary, ids in zip(vocabularies, (source, predicted), strict=True)
        )
        return cls(
            np.array(source, np.int32), np.array(predicted, np.int32), vocabularies[1].start_id, *tokens
        )

    @property
    def decoder_input(self) -> Ids:
        """(T,): the start token, then all but the last that was predicted."""
        return np.concatenate([[self.start_id], self.predicted[:-1]]).astype(np.int32)


MAX_NUMBERS = 8_000_000  # logits and weights of one batch, 32 MB; what is larger is run in parts


class Tracer:
    """One model's forward pass, opened. Read-only: threads may share it.

    Args:
        translator: of the model.
        pause: called before each batch, where a long computation may be stopped by an exception.
    """

    def __init__(self, translator: Translator, pause: Callable[[], object] = bool) -> None:
        self.translator = translator
        self.config = translator.config
        self._pause = pause

    def trace(self, source_ids: Ids, target_ids: Ids, changes: Interventions = UNCHANGED) -> Trace:
        """Return everything one pass computes; arguments and errors are those of `Translator.trace`."""
        self._pause()
        return self.translator.trace(source_ids, target_ids, changes)

    def log_probabilities(
        self, source_ids: Ids, target_ids: Ids, predicted: Ids, changes: Interventions = UNCHANGED
    ) -> Floats:
        """Return log P (nats) of each predicted token, in the shape of `predicted`; a part of the rows at a time.

        Args:
            source_ids: (B, S), or (1, S) for all rows.
            target_ids: (B, T) or (1, T), the decoder's input.
            predicted: (B, T) or (1, T), or several tokens at each position, (B, T, W) or (1, T, W).
            changes: to the pass, of B rows or of one.

        Raises:
            TranslationError: the weights overflow.
        """
        rows = max(len(source_ids), len(target_ids), len(predicted), *_rows_of(changes), 1)
        parts = []
        for here in portions(rows, self.config, source_ids.shape[1], target_ids.shape[1]):
            source, target, wanted = (
                _take(ids, here, repeat=True) for ids in (source_ids, target_ids, predicted)
            )
            log_probabilities = log_softmax(self.trace(source, target, part_of(changes, here)).logits)
            several = wanted if wanted.ndim == 3 else wanted[..., None]
            parts.append(np.take_along_axis(log_probabilities, several, axis=2).reshape(wanted.shape))
        return np.concatenate(parts)


def portions(rows: int, config: ModelConfig, source_length: int, target_length: int) -> Iterator[range]:
    """Yield all rows in order, as many at a time as `MAX_NUMBERS` allows, and one at least."""
    lengths = source_length**2 + target_length**2 + source_length * target_length
    most = max(1, MAX_NUMBERS // (target_length * config.target_vocab_size + config.num_heads * lengths))
    return (range(first, min(first + most, rows)) for first in range(0, rows, most))


def part_of(changes: Interventions, rows: range) -> Interventions:
    """Return the changes to some rows of a batch."""

    def of_rows(value: Any) -> Any:
        if isinstance(value, Patch):
            return Patch(_take(value.hidden, rows), _take(value.replaced, rows))
        return None if value is None else _take(value, rows)

    return Interventions(**{each.name: of_rows(getattr(changes, each.name)) for each in fields(changes)})


def _rows_of(changes: Interventions) -> list[int]:
    values = [getattr(changes, each.name) for each in fields(changes)]
    return [len(each.replaced if isinstance(each, Patch) else each) for each in values if each is not None]


def _take(array: Any, rows: range, repeat: bool = False) -> Any:
    """Return some rows of a batch; where there is one for all, that, as often as there are rows if need be."""
    if len(array) > 1:
        return array[rows.start : rows.stop]
    return np.repeat(array, len(rows), axis=0) if repeat else array


def forced_attention(translator: Translator, pairs: Sequence[Pair]) -> tuple[AttentionRecord, ...]:
    """The attention over each pair, by teacher forcing; too long ones are cut to what the model takes.

    Raises:
        TranslationError: it is too much to keep, or the weights overflow.
    """
    config, vocabulary = translator.config, translator.target_tokenizer.vocabulary
    sources = [translator.source_tokenizer.encode(pair.source)[: config.max_source_length] for pair in pairs]
    targets = [
        [
            vocabulary.start_id,
            *translator.target_tokenizer.encode(pair.target)[: config.max_target_length - 1],
            vocabulary.end_id,
        ]
        for pair in pairs
    ]
    trace = Tracer(translator).trace(
        pad(sources, max(map(len, sources))), pad([ids[:-1] for ids in targets], max(map(len, targets)) - 1)
    )
    encoder, decoder, cross = (np.asarray(each) for each in trace.attention)
    source_tokens, target_tokens = translator.source_tokenizer.vocabulary.tokens, vocabulary.tokens
    return tuple(
        AttentionRecord(
            source_tokens=tuple(source_tokens[i] for i in source),
            decoder_input_tokens=tuple(target_tokens[i] for i in target[:-1]),
            predicted_tokens=tuple(target_tokens[i] for i in target[1:]),
            # Copies, or each would keep the padded whole.
            encoder=encoder[row, :, :, : len(source), : len(source)].copy(),
            decoder=decoder[row, :, :, : len(target) - 1, : len(target) - 1].copy(),
            cross=cross[row, :, :, : len(target) - 1, : len(source)].copy(),
        )
        for row, (source, target) in enumerate(zip(sources, targets, strict=True))
    )
