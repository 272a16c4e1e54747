"""How much each head matters: what is lost without it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.inference.transformer import Floats
from core.interpretability.heads.gates import HEAD_KINDS, Head, all_heads, without_heads
from core.interpretability.teacher_forcing import ForcedPair
from core.interpretability.tracer import Tracer


@dataclass(frozen=True, eq=False)
class HeadCosts:
    """What each head's loss costs: by how much log P of the target falls without it, nats a token."""

    costs: Floats  # (3, L, H): encoder, decoder, cross; negative where the model does better without it

    def ranked(self) -> list[tuple[Head, float]]:
        """All heads, the costliest first."""
        flat = [
            (Head(kind, layer, head), float(self.costs[number, layer, head]))
            for number, kind in enumerate(HEAD_KINDS)
            for layer, head in np.ndindex(*self.costs.shape[1:])
        ]
        return sorted(flat, key=lambda each: -each[1])


def head_costs(tracer: Tracer, pair: ForcedPair) -> HeadCosts:
    """Switch off each head alone, for one sentence pair (Michel et al. 2019, section 3).

    They measured BLEU; here it is log P of the target, which needs no search and differs in every head.

    Args:
        tracer: of the model.
        pair: a source with its target.
    """
    config = tracer.config
    off: list[list[Head]] = [[], *([head] for head in all_heads(config))]
    ids = (pair.source[None], pair.decoder_input[None], pair.predicted[None])
    log_p = tracer.log_probabilities(*ids, without_heads(config, off)).mean(axis=1)
    shape = (len(HEAD_KINDS), config.num_layers, config.num_heads)
    return HeadCosts((log_p[0] - log_p[1:]).reshape(shape))
