"""Attention rollout: how much of each token is mixed into each position, layer by layer.

Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers", section 3: attention is averaged over the heads,
and the residual connection counts as half. Here the decoder's graph has the source in it too: cross-attention mixes
in what the encoder's rollout found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Rollout(NamedTuple):
    """Shares of tokens after each layer; with source and target together, each row sums to 1."""

    encoder: Floats  # (L, S, S): source positions made of source tokens
    source: Floats  # (L, T, S): target positions made of source tokens
    target: Floats  # (L, T, T): target positions made of decoder-input tokens


def rollout(encoder: Floats, decoder: Floats, cross: Floats) -> Rollout:
    """Roll out the attention of one sentence pair.

    Args:
        encoder: weights (L, H, S, S)
        decoder: (L, H, T, T)
        cross: (L, H, T, S)
    """
    source_length, target_length = cross.shape[-1], cross.shape[-2]
    of_encoder = _mixed(encoder, np.eye(source_length, dtype=np.float32))
    memory = of_encoder[-1]
    source = np.zeros((target_length, source_length), np.float32)
    target = np.eye(target_length, dtype=np.float32)
    sources, targets = [], []
    for self_weights, cross_weights in zip(decoder.mean(axis=1), cross.mean(axis=1), strict=True):
        source, target = _half(self_weights @ source, source), _half(self_weights @ target, target)
        source, target = _half(cross_weights @ memory, source), _half(np.zeros_like(target), target)
        sources.append(source)
        targets.append(target)
    return Rollout(of_encoder, np.stack(sources), np.stack(targets))


def _mixed(weights: Floats, start: Floats) -> Floats:
    """(L, H, S, S) -> (L, S, S), the shares after each layer."""
    shares: list[Floats] = [start]
    for layer in weights.mean(axis=1):
        shares.append(_half(layer @ shares[-1], shares[-1]))
    return np.stack(shares[1:])


def _half(attended: Floats, kept: Floats) -> Floats:
    """Half by attention, half by the residual connection."""
    mixed: Floats = np.float32(0.5) * (attended + kept)
    return mixed
