"""The mean of trained weights ("model soup").

Wortsman et al. 2022, "Model soups: averaging weights of multiple fine-tuned models improves accuracy without
increasing inference time", section 2: trainings that went on from the same weights often end in one basin of the
loss, and in its middle it is lower than at any of them. Of trainings that began at random the mean is worthless.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from core.model.weight_shapes import Weights
from core.storage.card import with_origin
from core.storage.checkpoint import Checkpoint
from core.storage.config_file import name_with
from core.storage.format import CheckpointError


def mean_checkpoint(checkpoints: Iterable[Checkpoint]) -> Checkpoint:
    """The model whose every weight is the mean of theirs; examples, precision and full stops are the last one's.

    What was measured of one of them does not hold for it: it has no figures and no epochs. Its card has all of theirs,
    since their data and licences are its own.

    Raises:
        CheckpointError: they are fewer than two, or differ in more than weights and dropout.
    """
    last: Checkpoint | None = None
    sums: dict[str, np.ndarray] = {}
    cards: list[str] = []
    for each in checkpoints:
        if last is not None and _kind_of(each) != _kind_of(last):
            raise CheckpointError(
                "These checkpoints differ in more than weights: in their sizes or their tokens."
            )
        for name, weight in each.weights.items():
            sums[name] = sums[name] + weight if cards else weight.astype(np.float64)
        cards.append(each.card or each.default_card())
        last = each
    if last is None or len(cards) < 2:
        raise CheckpointError("A mean takes two checkpoints or more.")
    weights: Weights = {name: (total / len(cards)).astype(np.float32) for name, total in sums.items()}
    name = name_with(last.name, f"(mean of {len(cards)})")
    made = replace(last, weights=weights, training=None, metrics={}, epochs=(), name=name, card="")
    card = made.default_card()
    for origin in dict.fromkeys(cards):
        card = with_origin(card, origin, "Part of the mean")
    return replace(made, card=card)


def _kind_of(checkpoint: Checkpoint) -> str:
    """What must not differ: dropout and full stops may, which are of the training."""
    config = checkpoint.config.replace(dropout_rate=0.0)
    return replace(checkpoint, config=config, needs_stop=False).kind()
