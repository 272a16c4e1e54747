"""A model as a pure function of its weights.

Training runs of one config differ only in their weights. So one `Transformer` is built per config and never trained, and
compiled functions take the weights as an argument. They are compiled once for all runs, and no run can change another's
weights.
"""

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

_Arguments = ParamSpec("_Arguments")
Result = TypeVar("Result")

_lock = threading.RLock()  # two threads must not trace through a Keras layer at once


def locked_cache(maxsize: int) -> Callable[[Callable[_Arguments, Result]], Callable[_Arguments, Result]]:
    """Cache a function's results like `functools.lru_cache`, computed once even if two threads call it at once."""

    def decorate(make: Callable[_Arguments, Result]) -> Callable[_Arguments, Result]:
        cached = lru_cache(maxsize=maxsize)(make)

        @wraps(make)
        def locked(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> Result:
            with _lock:
                return cached(*args, **kwargs)  # type: ignore[arg-type]

        return locked

    return decorate


@locked_cache(maxsize=16)
def shared_model(config: ModelConfig) -> Transformer:
    """Return the one model of this config, for `bound`. Call it outside `tf.function`, since it creates variables."""
    # In this scope, variables get a shape but no values, which would never be read.
    with keras.StatelessScope(initialize_variables=False):
        return Transformer(config)


@contextmanager
def bound(
    model: Transformer, weights: Sequence[Tensor], dropout_seed: Tensor | None = None
) -> Iterator[None]:
    """Let a shared model compute with `weights` inside the `with` block.

    Use it inside a `tf.function`, where the block runs only while tracing.

    Args:
        model: the result of `shared_model`.
        weights: tensors in the order of `weight_shapes`.
        dropout_seed: (2,) int64, the seed of dropout; None without dropout.
    """
    mapping = list(zip(model.variables_by_name().values(), weights, strict=True))
    if dropout_seed is not None:
        # The states of the dropout layers are the only variables that are not trained.
        for number, state in enumerate(model.non_trainable_variables):
            mapping.append((state, ops.add(dropout_seed, (0, number))))
    with _lock, keras.StatelessScope(state_mapping=mapping, initialize_variables=False):
        yield
