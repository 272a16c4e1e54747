"""A model as a pure function of its weights.

Training runs of one config differ only in their weights. So one `Transformer` a config is built,
never trained, and every compiled function takes the weights as an argument: what is compiled once
serves all, and nothing that one run does can reach another's numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

import keras
from keras import ops

from core.config import ModelConfig
from core.model.attention import Tensor
from core.model.transformer import Transformer

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_lock = threading.RLock()  # Keras layers are not made for two threads tracing through them at once


def kept(most: int) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Decorate as `functools.lru_cache`, but two threads that ask at once share one result."""

    def decorate(make: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        cached = lru_cache(maxsize=most)(make)

        @wraps(make)
        def locked(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            with _lock:
                return cached(*args, **kwargs)  # type: ignore[arg-type]

        return locked

    return decorate


@kept(most=16)
def shared_model(config: ModelConfig) -> Transformer:
    """Return the one model of this config, for `bound`. Called outside `tf.function`, since it makes variables."""
    # In such a scope variables get a shape and no values, which would never be read.
    with keras.StatelessScope(initialize_variables=False):
        return Transformer(config)


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
        # Each dropout layer has a state of its own, and a model no others.
        for number, state in enumerate(model.non_trainable_variables):
            mapping.append((state, ops.add(dropout_seed, (0, number))))
    with _lock, keras.StatelessScope(state_mapping=mapping, initialize_variables=False):
        yield
