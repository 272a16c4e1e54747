"""A model as a pure function of its weights.

Sessions, runs and checkpoints differ only in their weights. So one `Transformer` a config is built,
never trained, and every compiled function takes the weights as an argument: what is compiled once
serves everybody, and nothing that one session does can reach another's numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import keras

from core.config import ModelConfig
from core.model.programs.kept_graphs import keeps_graphs
from core.model.tensor import Tensor
from core.model.transformer import Transformer

_lock = threading.RLock()  # Keras layers are not made for two threads tracing through them at once


@keeps_graphs(most=16)
def _shared_model(config: ModelConfig) -> Transformer:
    # In such a scope variables get a shape and no values, which nobody would ever read.
    with keras.StatelessScope(initialize_variables=False):
        return Transformer(config)


def shared_model(config: ModelConfig) -> Transformer:
    """The one model of this config, for `bound`. Called outside `tf.function`, since it makes variables."""
    with _lock:
        return _shared_model(config)


@contextmanager
def bound(
    model: Transformer, weights: Sequence[Tensor], dropout_seed: Tensor | None = None
) -> Iterator[None]:
    """Let a shared model compute with `weights` for the length of the `with` block.

    Meant for inside a `tf.function`, where the block runs only while tracing.

    Args:
        model: from `shared_model`.
        weights: tensors in the order of `weight_shapes`.
        dropout_seed: (2,) int64, what dropout draws from; None where nothing is dropped.
    """
    mapping = list(zip(model.variables_by_name().values(), weights, strict=True))
    if dropout_seed is not None:
        mapping.append((model.seed_generator.state, dropout_seed))
    with _lock, keras.StatelessScope(state_mapping=mapping, initialize_variables=False):
        yield
