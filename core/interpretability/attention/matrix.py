"""The numbers of one kind of attention, measured in one way, between tokens as the model has them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.interpretability.attention.reading import AttentionReading, Measure
from core.interpretability.attention.rollout import rollout
from core.records import AttentionRecord, ValueNorms

Floats = NDArray[np.float32]


class AttentionMatrix(NamedTuple):
    """Numbers of one kind of attention, and the tokens they stand between."""

    weights: Floats  # (L, H, rows, columns)
    rows: tuple[str, ...]  # tokens
    columns: tuple[str, ...]
    allowed: NDArray[np.bool_]  # (rows, columns), False where a row may not attend


class _Measured(NamedTuple):
    """What AttentionRecord holds, measured otherwise: H may be 1, and rows may sum to anything."""

    record: AttentionRecord
    encoder: Floats
    decoder: Floats
    cross: Floats


def _measured(record: AttentionRecord, measure: Measure, norms: ValueNorms | None) -> _Measured:
    if measure == "rollout":
        rolled = rollout(record.encoder, record.decoder, record.cross)
        return _Measured(record, *(each[:, None] for each in (rolled.encoder, rolled.target, rolled.source)))
    if measure == "norms":
        if norms is None:
            raise ValueError("Norm-weighted attention needs the norms of the values. Received: None")
        return _Measured(
            record,
            record.encoder * norms.encoder[:, :, None],
            record.decoder * norms.decoder[:, :, None],
            record.cross * norms.cross[:, :, None],
        )
    return _Measured(record, record.encoder, record.decoder, record.cross)


def attention_matrix(
    record: AttentionRecord, reading: AttentionReading, norms: ValueNorms | None
) -> AttentionMatrix:
    """What `reading` takes from a record. Arguments and errors are those of `read_attention`."""
    found = _measured(record, reading.measure, norms)
    source, inputs = found.record.source_tokens, found.record.decoder_input_tokens
    past = np.tri(len(inputs), dtype=np.bool_)
    if reading.kind == "encoder":
        return AttentionMatrix(found.encoder, source, source, np.ones((len(source), len(source)), np.bool_))
    if reading.kind == "decoder":
        return AttentionMatrix(found.decoder, inputs, inputs, past)
    everywhere = np.ones((len(inputs), len(source)), np.bool_)
    return AttentionMatrix(found.cross, found.record.predicted_tokens, source, everywhere)
