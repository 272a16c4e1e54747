"""Heads by name, and what is computed where some are switched off."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

import numpy as np

from core.config import ModelConfig
from core.inference.transformer import Floats, Interventions

HeadKind = Literal["encoder", "decoder", "cross"]
HEAD_KINDS: tuple[HeadKind, ...] = ("encoder", "decoder", "cross")


class Head(NamedTuple):
    """One attention head; layers and heads are counted from 0."""

    kind: HeadKind
    layer: int
    head: int


def all_heads(config: ModelConfig) -> tuple[Head, ...]:
    """Every head: encoder, decoder, cross; layer by layer."""
    layers, heads = range(config.num_layers), range(config.num_heads)
    return tuple(Head(kind, layer, head) for kind in HEAD_KINDS for layer in layers for head in heads)


def gates_without(config: ModelConfig, off: Collection[Collection[Head]]) -> tuple[Floats, Floats, Floats]:
    """Gates (B, L, H) of encoder, decoder and cross-attention: a row for each of B sets of heads that are off.

    Raises:
        ValueError: the model has no such head.
    """
    shape = (len(off), config.num_layers, config.num_heads)
    gates = {kind: np.ones(shape, np.float32) for kind in HEAD_KINDS}
    known = set(all_heads(config))
    for row, heads in enumerate(off):
        for each in heads:
            if each not in known:
                raise ValueError(f"The model has no such head. Received: {each}")
            gates[each.kind][row, each.layer, each.head] = 0.0
    return gates["encoder"], gates["decoder"], gates["cross"]


def without_heads(config: ModelConfig, off: Collection[Collection[Head]]) -> Interventions:
    """The changes of a batch with a row for each set of heads that are off."""
    encoder, decoder, cross = gates_without(config, off)
    return Interventions(encoder_gates=encoder, decoder_gates=decoder, cross_gates=cross)
