"""The mean of trained weights ("model soup").

Wortsman et al. 2022, "Model soups: averaging weights of multiple fine-tuned models improves accuracy without
increasing inference time", section 2: trainings that went on from the same weights often end in one basin of the
loss, and in its middle it is lower than at any of them. Of trainings that began at random the mean is worthless.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.model.weight_shapes import Weights
from core.storage.checkpoint import Checkpoint
from core.storage.format import CheckpointError


def mean_checkpoint(checkpoints: Sequence[Checkpoint]) -> Checkpoint:
    """The model whose every weight is the mean of theirs; its examples, name and settings are the last one's.

    What was measured of one of them does not hold for it: it has no figures, epochs or card.

    Raises:
        CheckpointError: they are fewer than two, or differ in more than their weights.
    """
    if len(checkpoints) < 2:
        raise CheckpointError("A mean takes two checkpoints or more.")
    last = checkpoints[-1]
    # What translations depend on, but for the weights.
    if len({replace(each, weights=last.weights, needs_stop=False).fingerprint() for each in checkpoints}) > 1:
        raise CheckpointError(
            "These checkpoints differ in more than their weights: in sizes, or in their vocabularies."
        )
    weights: Weights = {}
    for name in last.weights:
        stacked = np.stack([each.weights[name] for each in checkpoints])
        weights[name] = np.asarray(stacked.mean(axis=0, dtype=np.float64), np.float32)
    return replace(last, weights=weights, metrics={}, epochs=(), card="")
