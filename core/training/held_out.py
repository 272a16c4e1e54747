"""Pairs that a training does not see, to measure it by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.pipeline import PipelineError
from core.records import Pair


def hold_out(pairs: Sequence[Pair], share: float, seed: int) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Divide pairs into those to train on and those held out, each in its order.

    A pair that stands there twice is held out with all its copies: none is left to be learned.

    Args:
        pairs: two different ones or more.
        share: of the different pairs that is held out, 0 to 1; at least one is, and at least one stays.
        seed: the same one holds out the same pairs.

    Raises:
        PipelineError: there are fewer than two different pairs.
    """
    different = list(dict.fromkeys(pairs))
    if len(different) < 2:
        raise PipelineError(
            f"Holding pairs out takes at least 2 different ones. Received: {len(different)}. Add pairs, or hold none out."
        )
    number = min(max(1, round(share * len(different))), len(different) - 1)
    drawn = np.random.default_rng(seed).permutation(len(different))[:number]
    held_out = tuple(different[place] for place in sorted(drawn))
    return tuple(pair for pair in pairs if pair not in held_out), held_out
