"""A translator's model run by teacher forcing, with changes to it as arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from core.config import ModelConfig
from core.inference.search import log_softmax
from core.inference.transformer import UNCHANGED, Floats, Ids, Interventions, Patch, Trace
from core.inference.translator import Translator

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
