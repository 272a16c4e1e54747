"""A sentence and its translation as one teacher-forced pass reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from core.config import ModelConfig
from core.decoding.translator import TranslationError, Translator
from core.interpretability.changes import Changes, Floats, Ids, StackPatch
from core.interpretability.tracer import Tracer
from core.records import Translation

MAX_NUMBERS = 8_000_000  # logits and weights of one batch, 32 MB; what is larger is run in parts


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


def log_probabilities_of(
    tracer: Tracer, source_ids: Ids, target_ids: Ids, predicted: Ids, changes: Changes
) -> Floats:
    """As `Tracer.log_probabilities`, for any number of rows: a part of them at a time.

    Args:
        tracer: of the model.
        source_ids: (B, S) or (1, S) for all rows.
        target_ids: (B, T) or (1, T).
        predicted: (B, T) or (1, T), or several tokens at each position, (B, T, W) or (1, T, W).
        changes: to the pass, of B rows or of one.
    """
    rows = max(len(source_ids), len(target_ids), len(predicted), *map(len, _arrays(changes)), 1)
    parts = []
    for here in portions(rows, tracer.config, source_ids.shape[1], target_ids.shape[1]):
        source, target, wanted = (
            _rows(ids, here, repeat=True) for ids in (source_ids, target_ids, predicted)
        )
        parts.append(tracer.log_probabilities(source, target, wanted, part_of(changes, here)))
    return np.concatenate(parts)


def portions(rows: int, config: ModelConfig, source_length: int, target_length: int) -> Iterator[range]:
    """All rows in order, as many at a time as `MAX_NUMBERS` allows, and one at least."""
    lengths = source_length**2 + target_length**2 + source_length * target_length
    most = max(1, MAX_NUMBERS // (target_length * config.target_vocab_size + config.num_heads * lengths))
    return (range(first, min(first + most, rows)) for first in range(0, rows, most))


def part_of(changes: Changes, rows: range) -> Changes:
    """The changes to some rows of a batch."""

    def of_patch(patch: StackPatch | None) -> StackPatch | None:
        return patch and StackPatch(_rows(patch.hidden, rows), _rows(patch.replaced, rows))

    def of_array(array: Any) -> Any:
        return None if array is None else _rows(array, rows)

    return Changes(
        of_array(changes.source_mask),
        of_array(changes.target_mask),
        of_array(changes.encoder_gates),
        of_array(changes.decoder_gates),
        of_array(changes.cross_gates),
        of_patch(changes.encoder_patch),
        of_patch(changes.decoder_patch),
    )


def _arrays(changes: Changes) -> list[Any]:
    patches = [patch.replaced for patch in (changes.encoder_patch, changes.decoder_patch) if patch]
    arrays = (
        changes.source_mask,
        changes.target_mask,
        changes.encoder_gates,
        changes.decoder_gates,
        changes.cross_gates,
    )
    return [*patches, *(array for array in arrays if array is not None)]


def _rows(array: Any, rows: range, repeat: bool = False) -> Any:
    """Some rows of a batch; where there is one for all, that, as often as there are rows if need be."""
    if len(array) > 1:
        return array[rows.start : rows.stop]
    return np.repeat(array, len(rows), axis=0) if repeat else array
