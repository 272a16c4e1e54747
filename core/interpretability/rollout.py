"""Attention rollout: how much of each token flows into each position, layer by layer.

Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers", section 3: attention is averaged over the heads,
and the residual connection counts as half. Here the decoder's rollout includes the source: cross-attention mixes in the
encoder's rollout. Axis letters: see `core.config`.
"""

from typing import NamedTuple

import numpy as np

from core.arrays import Floats


class Rollout(NamedTuple):
    """Shares of tokens after each layer; rows of `encoder`, and of `decoder` and `cross` together, sum to 1."""

    encoder: Floats  # (L, S, S), of source tokens in source positions
    decoder: Floats  # (L, T, T), of decoder-input tokens in target positions
    cross: Floats  # (L, T, S), of source tokens in target positions


def rollout(encoder: Floats, decoder: Floats, cross: Floats) -> Rollout:
    """Compute the attention rollout of one sentence pair.

    Args:
        encoder: weights (L, H, S, S)
        decoder: weights (L, H, T, T)
        cross: weights (L, H, T, S)
    """
    encoders = []
    decoders = []
    crosses = []
    memory = np.eye(cross.shape[-1], dtype=np.float32)
    for weights in encoder.mean(axis=1):
        memory = (weights @ memory + memory) / 2
        encoders.append(memory)
    source = np.zeros(cross.shape[-2:], np.float32)
    target = np.eye(cross.shape[-2], dtype=np.float32)
    for self_weights, cross_weights in zip(decoder.mean(axis=1), cross.mean(axis=1), strict=True):
        source = (self_weights @ source + source) / 2
        target = (self_weights @ target + target) / 2
        source = (cross_weights @ memory + source) / 2
        target = target / 2
        crosses.append(source)
        decoders.append(target)
    return Rollout(*(np.stack(layers) for layers in (encoders, decoders, crosses)))
