"""What padding does to a model that masks it, and to the same model without its padding mask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.pipeline import Ids, pad
from core.records import PaddingEffect
from core.theory.masks import padding_mask

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]


class Reading(NamedTuple):
    """One sentence as a model reads it and greedily translates it."""

    memory: Floats  # the encoder's output, (S, D)
    encoder: Floats  # its attention, (L, H, S, S)
    cross: Floats  # attention of each word written, the end included, (L, H, T, S)
    ids: Sequence[int]  # T of the translation, 1 or more, with the end id where it ended


ReadFunction = Callable[[Ids, Bools], Reading]
"""(source ids (1, S), mask (1, 1, 1, S), True where the source may be looked at) -> the reading."""


def padding_effects(read: ReadFunction, ids: Sequence[int], num_pads: int) -> tuple[PaddingEffect, ...]:
    """Read a sentence alone, padded and masked, and padded with nothing masked.

    Args:
        read: the model, which takes the mask from its caller.
        ids: of the sentence, without padding tokens; 1 or more.
        num_pads: how many padding tokens follow it; 0 or more.

    Returns:
        The three effects in this order; those of the first are 0.
    """
    padded = pad([ids], len(ids) + num_pads)  # (1, S)
    sentence = padded[:, : len(ids)]
    mask = padding_mask(padded)  # (1, 1, 1, S)
    alone = read(sentence, padding_mask(sentence))
    with_mask = read(padded, mask)
    without_mask = read(padded, np.ones_like(mask))
    return tuple(_effect(reading, alone, len(ids)) for reading in (alone, with_mask, without_mask))


def _effect(reading: Reading, alone: Reading, real: int) -> PaddingEffect:
    """Real tokens come first: everything from `real` on is padding."""
    return PaddingEffect(
        change=float(np.abs(reading.memory[:real] - alone.memory).max()),
        encoder_share=reading.encoder[:, :, :real, real:].sum(axis=-1).mean(axis=-1),
        cross_share=reading.cross[:, :, :, real:].sum(axis=-1).mean(axis=-1),
        ids=tuple(reading.ids),
    )
