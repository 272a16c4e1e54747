"""Norms of the vectors that attention sums.

Kobayashi et al. 2020, "Attention is Not Only a Weight": a head adds the sum of alpha f(x), f(x) = (x W_V + b_V) W_O. A
high weight on a short vector has little effect: norm-weighted attention is || alpha f(x) ||. Axes: see `core.config`.
"""

from itertools import chain

import numpy as np

from core.arrays import Floats
from core.inference.model import attention_names, stacked, sublayer_path
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.records.attention import ATTENTION_KINDS, AttentionKind
from core.weights import Weights


def value_norms(tracer: Tracer, pair: ForcedPair) -> dict[AttentionKind, Floats]:
    """Return || f(x) || of every key and head, from a teacher-forced pass over a sentence pair.

    Returns:
        Norms by kind of attention, (L, H, S); for the decoder's self-attention (L, H, T).
    """
    names = {kind: attention_names(kind, "values", tracer.config) for kind in ATTENTION_KINDS}
    found = tracer.results(pair, list(chain(*names.values())))
    return {
        kind: transformed_norms(stacked(found, names[kind]), tracer.translator.weights, kind)
        for kind in ATTENTION_KINDS
    }


def transformed_norms(values: Floats, weights: Weights, kind: AttentionKind) -> Floats:
    """Return || f(x) || of each key and head, (L, H, S), for the values x W_V + b_V of each head, (L, H, S, K)."""
    num_layers, num_heads, _, head_dim = values.shape
    names = [f"{sublayer_path(kind, layer)}/output/kernel" for layer in range(num_layers)]
    # W_O, (L, H, K, D)
    kernels = np.stack([weights[name].reshape(num_heads, head_dim, -1) for name in names])
    norms: Floats = np.linalg.norm(values @ kernels, axis=-1)
    return norms
