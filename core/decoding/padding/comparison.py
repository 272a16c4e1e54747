"""A trained model run with its padding mask, and without it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import tensorflow as tf
from keras import ops

from core.config import ModelConfig
from core.decoding.model_search import Bind, search_from
from core.decoding.packed_weights import PACKED, bound_to_packed
from core.decoding.padding.effect import ReadFunction, Reading, padding_effects
from core.decoding.text.translation_error import check_finite
from core.decoding.translator import TranslationError, Translator
from core.model.attention import look_ahead_mask
from core.model.decoder import DecoderMasks
from core.model.programs.kept_graphs import keeps_graphs
from core.model.stateless import shared_model
from core.model.tensor import Tensor
from core.model.transformer import Transformer
from core.records import PaddingComparison, PaddingEffect, PaddingOutcome
from core.tokens.vocabulary import Vocabulary

MAX_WRITTEN_TOKENS = 64  # tokens of a translation; without the mask some never end
MAX_READ_TOKENS = 128  # tokens of a source, padding included


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
    effects = padding_effects(_reader(translator), ids, num_pads)
    return PaddingComparison(
        tuple(translator.source_tokenizer.tokens(sentence)),
        num_pads,
        *(_outcome(effect, translator) for effect in effects),
    )


def _reader(translator: Translator) -> ReadFunction:
    """The model as a function of ids and mask."""
    read = _reading_of(translator.config.replace(dropout_rate=0.0))

    def reader(ids: Any, mask: Any) -> Reading:
        memory, encoder, cross, found = read(translator.packed_weights, ids, mask)
        check_finite(memory.numpy())
        written = [int(token) for token in found.numpy() if token != Vocabulary.pad_id]
        return Reading(memory.numpy(), encoder.numpy(), cross.numpy()[:, :, : len(written)], written)

    return reader


@keeps_graphs(most=3)
def _reading_of(config: ModelConfig) -> Callable[..., tuple[Tensor, ...]]:
    """(packed weights, ids (1, S), mask (1, 1, 1, S)) -> memory, attention and translation of the one sentence.

    Traced once for all lengths. XLA would compile a program for each, and a sentence without padding can have any.
    """
    model = shared_model(config)

    def read(packed: Tensor, ids: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        bind = partial(bound_to_packed, model, packed)
        with bind():
            return _read(model, ids, mask, bind)

    signature = (
        PACKED,
        tf.TensorSpec((1, None), tf.int32),
        tf.TensorSpec((1, 1, 1, None), tf.bool),
    )
    return tf.function(read, input_signature=signature, autograph=False)


def _read(model: Transformer, ids: Tensor, mask: Tensor, bind: Bind) -> tuple[Tensor, ...]:
    """Memory, attention and translation of one sentence, with the mask given."""
    special = Vocabulary.from_tokens((), start_and_end=True)
    limit = min(MAX_WRITTEN_TOKENS, model.config.max_target_length)
    source = model.encode(ids, mask)
    start_end = special.start_id, special.end_id
    found = search_from(
        model, source, 1, beam_size=1, max_length=limit, special=start_end, alpha=0.0, bind=bind
    ).ids[:, 0]
    decoder_input = ops.concatenate([ops.full_like(found[:, :1], special.start_id), found[:, :-1]], axis=1)
    trace = model.trace(ids, decoder_input, DecoderMasks(target=look_ahead_mask(limit), source=mask))
    memory = model.encoder.final(trace.encoder_hidden[:, -1])
    return memory[0], trace.attention.encoder[0], trace.attention.cross[0], found[0]


def _outcome(effect: PaddingEffect, translator: Translator) -> PaddingOutcome:
    tokenizer = translator.target_tokenizer
    return PaddingOutcome(
        effect, tokenizer.decode(effect.ids), finished=tokenizer.vocabulary.end_id in effect.ids
    )
