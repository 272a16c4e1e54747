"""What each head does, in numbers, and in the plain name that fits best (Clark et al. 2019, section 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_CLEAR = 0.5  # share of attention from which a name is given
_BROAD = 0.9  # of the highest entropy possible


@dataclass(frozen=True)
class HeadFacts:
    """Means over the query positions of one sentence; each (L, H).

    Of cross-attention, whose rows and columns are different sentences, only entropy and the last token's share mean
    something; the others are NaN.
    """

    entropy: Floats  # bits
    max_entropy: float  # bits, of attention spread evenly over all that may be attended to
    distance: Floats  # positions between query and key
    previous: Floats  # shares of attention, 0 to 1: on the position before ...
    same: Floats
    next: Floats
    last: Floats  # on the last key of the sentence, often its full stop

    def name(self, layer: int, head: int) -> str:
        """What the head does most, in plain words."""
        shares = {
            "attends to the previous token": self.previous,
            "attends to itself": self.same,
            "attends to the next token": self.next,
            "attends to the last token": self.last,
        }
        found = {text: float(share[layer, head]) for text, share in shares.items()}
        text = max(found, key=lambda each: -1.0 if np.isnan(found[each]) else found[each])
        if found[text] >= _CLEAR:
            return text
        if self.max_entropy > 0 and self.entropy[layer, head] >= _BROAD * self.max_entropy:
            return "attends to all tokens about equally"
        return "mixed"


def head_facts(weights: Floats, within_one_sentence: bool) -> HeadFacts:
    """Read attention weights (L, H, T, S).

    Args:
        weights: of one kind of attention; a causal one has zeros ahead.
        within_one_sentence: whether rows and columns are the same tokens, as in self-attention.
    """
    rows, columns = weights.shape[-2:]
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = np.where(weights > 0, -np.log2(weights), 0.0)
    entropy = (weights * surprise).sum(axis=-1).mean(axis=-1)
    is_causal = within_one_sentence and not np.triu(weights, k=1).any() and rows > 1
    widths = np.arange(1, rows + 1) if is_causal else np.full(rows, columns)
    nothing = np.full(weights.shape[:2], np.nan, np.float32)
    between = np.abs(np.arange(rows)[:, None] - np.arange(columns))
    return HeadFacts(
        entropy=entropy.astype(np.float32),
        max_entropy=float(np.log2(widths).mean()),
        distance=(weights * between).sum(axis=-1).mean(axis=-1) if within_one_sentence else nothing,
        previous=_share(weights, -1) if within_one_sentence else nothing,
        same=_share(weights, 0) if within_one_sentence else nothing,
        next=_share(weights, 1) if within_one_sentence else nothing,
        last=weights[..., -1].mean(axis=-1),
    )


def _share(weights: Floats, offset: int) -> Floats:
    """Mean attention on the position `offset` after the query, over the queries that have one; (L, H)."""
    found: Floats = np.diagonal(weights, offset, axis1=-2, axis2=-1)
    return found.mean(axis=-1) if found.shape[-1] else np.full(weights.shape[:2], np.nan, np.float32)
