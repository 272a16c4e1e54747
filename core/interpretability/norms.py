"""Attention weighted by how long the vectors are that it moves.

Kobayashi et al. 2020, "Attention is Not Only a Weight": a head adds the sum of alpha f(x), f(x) = (x W_V + b_V) W_O.
A high weight on a short vector moves little.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.inference.translator import Translator
from core.interpretability.teacher_forcing import Tracer
from core.records import Translation, ValueNorms
from core.weights import Weights

Floats = NDArray[np.float32]

_SUBLAYERS = {
    "encoder": "encoder/layer_{}/self_attention",
    "decoder": "decoder/layer_{}/self_attention",
    "cross": "decoder/layer_{}/cross_attention",
}


def norm_weighted(weights: Floats, values: Floats, kernels: Floats) -> Floats:
    """|| alpha f(x) || of each query, key and head.

    Args:
        weights: alpha, (L, H, T, S)
        values: x W_V + b_V of each head, (L, H, S, K)
        kernels: W_O of each layer, (L, D, D), D = H * K

    Returns:
        Norms (L, H, T, S); their rows do not sum to 1.
    """
    return weights * transformed_norms(values, kernels)[:, :, None, :]


def transformed_norms(values: Floats, kernels: Floats) -> Floats:
    """|| f(x) ||, (L, H, S), of values (L, H, S, K) and kernels (L, D, D)."""
    num_layers, num_heads, _, head_dim = values.shape
    per_head = kernels.reshape(num_layers, num_heads, head_dim, -1)  # (L, D, D) -> (L, H, K, D)
    norms: Floats = np.linalg.norm(values @ per_head, axis=-1)
    return norms


def output_kernels(weights: Weights, kind: str, num_layers: int) -> Floats:
    """W_O (L, D, D) of "encoder", "decoder" or "cross" attention."""
    return np.stack([weights[f"{_SUBLAYERS[kind].format(i)}/output/kernel"] for i in range(num_layers)])


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
