"""A model as a pure function of its weights.

Sessions, runs and checkpoints differ only in their weights. So one `Transformer` a config is built,
never trained, and every compiled function takes the weights as an argument: what is compiled once
serves everybody, and nothing that one session does can reach another's numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

import keras

from core.config import ModelConfig
from core.model.tensor import Tensor
from core.model.transformer import Transformer

_lock = threading.RLock()  # Keras layers are not made for two threads tracing through them at once


@lru_cache(maxsize=16)
def _skeleton(config: ModelConfig) -> Transformer:
    return Transformer(config)


@contextmanager
def bound_model(
    config: ModelConfig, weights: Sequence[Tensor], randomness: Tensor | None = None
) -> Iterator[Transformer]:
    """The model of `config`, computing with `weights` for the length of the `with` block.

    Meant for inside a `tf.function`, where the block runs only while tracing.

    Args:
        config: the shape of the model.
        weights: tensors in the order of `weight_shapes(config)`.
        randomness: (2,) int64, what dropout draws from; None where nothing is dropped.
    """
    with _lock:
        model = _skeleton(config)
        variables = list(model.variables_by_name().values())
        mapping = list(zip(variables, weights, strict=True))
        if randomness is not None:
            mapping.append((model.randomness.state, randomness))
        with keras.StatelessScope(state_mapping=mapping):
            yield model
