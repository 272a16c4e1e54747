"""A trained model run with its padding mask, and without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.inference.search import run
from core.inference.transformer import Floats, Interventions
from core.inference.translator import TranslationError, Translator
from core.records import PaddingComparison, PaddingEffect, PaddingOutcome

MAX_WRITTEN_TOKENS = 64  # tokens of a translation; without the mask some never end
MAX_READ_TOKENS = 128  # tokens of a source, padding included


class _Reading(NamedTuple):
    """One sentence as a model reads it and greedily translates it."""

    memory: Floats  # the encoder's output, (S, D)
    encoder: Floats  # its attention, (L, H, S, S)
    cross: Floats  # attention of each word written, the end included, (L, H, T, S)
    ids: tuple[int, ...]  # T of the translation, with the end id where it ended


def padding_comparison(translator: Translator, sentence: str, num_pads: int) -> PaddingComparison:
    """Read and translate a sentence alone, padded with the mask, and padded with the mask left out.

    Args:
        translator: of the model.
        sentence: one sentence of its source language.
        num_pads: how many padding tokens follow it; 0 or more.

    Raises:
        TranslationError: the sentence has no words, or too many together with its padding.
    """
    ids = translator.source_tokenizer.encode(sentence)
    if not ids:
        raise TranslationError("There are no words to read. Type a sentence.")
    most = min(MAX_READ_TOKENS, translator.config.max_source_length)
    if len(ids) + num_pads > most:
        raise TranslationError(
            f"The sentence has {len(ids)} tokens, {len(ids) + num_pads} with padding; at most {most} are read here. "
            "Shorten it or use fewer padding tokens."
        )
    tokens = tuple(translator.source_tokenizer.tokens(sentence))
    return PaddingComparison(tokens, num_pads, *padding_outcomes(translator, ids, num_pads))


def padding_outcomes(translator: Translator, ids: Sequence[int], num_pads: int) -> list[PaddingOutcome]:
    """Read a sentence alone, padded and masked, and padded with nothing masked; the effects of the first are 0.

    Args:
        translator: of the model.
        ids: of the sentence, without padding tokens; 1 or more.
        num_pads: how many padding tokens follow it; 0 or more.
    """
    padded = [*ids, *[0] * num_pads]
    alone = _read(translator, ids)
    with_mask = _read(translator, padded)
    without_mask = _read(translator, padded, np.ones((1, 1, 1, len(padded)), np.bool_))
    return [_outcome(reading, alone, translator) for reading in (alone, with_mask, without_mask)]


def _read(translator: Translator, ids: Sequence[int], mask: np.ndarray | None = None) -> _Reading:
    """Read and translate ids, with a mask (1, 1, 1, S) of the caller's; None hides padding."""
    changes = Interventions(source_mask=mask)
    limit = min(MAX_WRITTEN_TOKENS, translator.config.max_target_length)
    found = run(translator.search(ids, interventions=changes, limit=limit))
    written = translator.hypotheses(found)[0][0].ids
    start_id = translator.target_tokenizer.vocabulary.start_id
    decoder_input = np.array([[start_id, *written[:-1]]], np.int32)
    trace = translator.trace(np.array([ids], np.int32), decoder_input, changes)
    memory = translator.model.final_norm("encoder", trace.encoder_hidden[0, -1])
    return _Reading(memory, trace.attention.encoder[0], trace.attention.cross[0], written)


def _outcome(reading: _Reading, alone: _Reading, translator: Translator) -> PaddingOutcome:
    """Compare a reading with that of the sentence alone; real tokens come first, all behind them is padding."""
    real = len(alone.memory)
    effect = PaddingEffect(
        change=float(np.abs(reading.memory[:real] - alone.memory).max()),
        encoder_share=reading.encoder[:, :, :real, real:].sum(axis=-1).mean(axis=-1),
        cross_share=reading.cross[:, :, :, real:].sum(axis=-1).mean(axis=-1),
        ids=reading.ids,
    )
    tokenizer = translator.target_tokenizer
    finished = tokenizer.vocabulary.end_id in reading.ids
    return PaddingOutcome(effect, tokenizer.decode(reading.ids), finished)
