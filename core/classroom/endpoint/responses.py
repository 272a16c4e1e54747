"""What an endpoint answers over HTTP, as JSON, written and read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np

from core.records import AttentionRecord, Candidate, Hypothesis, Translation

_Value = TypeVar("_Value")
_Explained = tuple[AttentionRecord, tuple[tuple[Candidate, ...], ...]]


class AnswerError(ValueError):
    """The answer does not come from an endpoint of ours."""


def translation_values(translation: Translation) -> dict[str, Any]:
    """A translation as plain values; attention and candidates where it has them."""
    values: dict[str, Any] = {
        "source": translation.source,
        "source_tokens": list(translation.source_tokens),
        "unknown": list(translation.unknown),
        "stop_added": translation.stop_added,
        "hypotheses": [asdict(each) for each in translation.hypotheses],
    }
    if translation.attention is not None:
        values |= explanation_values(translation)
    return values


def explanation_values(translation: Translation) -> dict[str, Any]:
    """The attention of an explained translation and the candidates of each step, as plain values."""
    assert translation.attention is not None
    return {
        "attention": translation.attention.to_dict(),
        "candidates": [[asdict(each) for each in step] for step in translation.candidates],
    }


def read_sentence(data: bytes) -> Translation:
    """The one sentence of an answer to a request that was not to be split.

    Raises:
        AnswerError: it is no such answer.
    """
    return _read(data, lambda values: _translation(*values["sentences"]))


def read_explanation(data: bytes) -> _Explained:
    """Attention and candidates of an answer.

    Raises:
        AnswerError: it is no such answer.
    """
    return _read(data, _explanation)


def _read(data: bytes, make: Callable[[dict[str, Any]], _Value]) -> _Value:
    try:
        return make(json.loads(data))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise AnswerError(f"Not an answer of an endpoint: {error!r:.200}") from error


def _translation(values: dict[str, Any]) -> Translation:
    return Translation(
        source=values["source"],
        source_tokens=tuple(values["source_tokens"]),
        unknown=tuple(values["unknown"]),
        hypotheses=tuple(
            Hypothesis(**{**each, "tokens": tuple(each["tokens"]), "ids": tuple(each["ids"])})
            for each in values["hypotheses"]
        ),
        stop_added=values["stop_added"],
    )


def _explanation(values: dict[str, Any]) -> _Explained:
    found = values["attention"]
    source, read, written = (
        tuple(found[f"{name}_tokens"]) for name in ("source", "decoder_input", "predicted")
    )
    encoder, decoder, cross = (np.array(found[name], np.float32) for name in ("encoder", "decoder", "cross"))
    candidates = tuple(tuple(Candidate(**each) for each in step) for step in values["candidates"])
    return AttentionRecord(source, read, written, encoder, decoder, cross), candidates
