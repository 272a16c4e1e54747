"""An exponential moving average of weights: what a training keeps instead of its last step's.

Polyak & Juditsky 1992, "Acceleration of Stochastic Approximation by Averaging"; with the decay of TensorFlow's
`ExponentialMovingAverage`, which forgets the first weights sooner.
"""

from __future__ import annotations

import tensorflow as tf

from core.model.tensor import Tensor


def decay_at(step: int, decay: float) -> float:
    """The part of the average that a step keeps, from step 1: little at first, then `decay`."""
    return min(decay, (1 + step) / (10 + step))


def averaged(average: Tensor, parameters: Tensor, step: int, decay: float) -> Tensor:
    """The average (P,) after a step, from the one before it and the new weights (P,)."""
    return _moved(average, parameters, tf.constant(1.0 - decay_at(step, decay), tf.float32))


@tf.function(autograph=False)
def _moved(average: Tensor, parameters: Tensor, part: Tensor) -> Tensor:
    return average + part * (parameters - average)
