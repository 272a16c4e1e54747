"""Attention while a model reads reference translations, so that models at different stages can be compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.inference.translator import Translator
from core.interpretability.tracer import Tracer
from core.records import AttentionRecord, Pair
from core.tokens.base import pad


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
