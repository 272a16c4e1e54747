"""How long the vectors are that each head moves, for one translation."""

from __future__ import annotations

import numpy as np

from core.inference.translator import Translator
from core.interpretability.attention.norm_weighted import output_kernels, transformed_norms
from core.interpretability.tracer import Tracer
from core.records import Translation, ValueNorms
from core.weights import Weights


def value_norms(translator: Translator, weights: Weights, translation: Translation) -> ValueNorms:
    """|| f(x) || of every key and head.

    Args:
        translator: that translated.
        weights: of its model, by name.
        translation: whose winner is read by teacher forcing.

    Raises:
        TranslationError: the sentence is too long to be opened.
    """
    source_ids = translator.source_tokenizer.encode(translation.read)
    start_id = translator.target_tokenizer.vocabulary.start_id
    target_ids = [start_id, *translation.best.ids[:-1]]
    trace = Tracer(translator).trace(np.array([source_ids], np.int32), np.array([target_ids], np.int32))
    layers = translator.config.num_layers
    values = {"encoder": trace.encoder_values, "decoder": trace.decoder_values, "cross": trace.cross_values}
    return ValueNorms(
        **{
            kind: transformed_norms(found[0], output_kernels(weights, kind, layers))
            for kind, found in values.items()
        }
    )
