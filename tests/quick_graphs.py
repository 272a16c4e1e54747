"""Graphs of TensorFlow's without what tests have no use for: most of what they compute runs once or twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

OPTIMIZER_OFF = "disable_meta_optimizer"
_CONSTANTS = "constants_of_tests"
_LENGTHS = "lengths_of_tests"


@cache
def trace_quickly() -> None:
    """Trace graphs in less than two thirds of the time, and begin them in half of it.

    TensorFlow would note for each operation the Python lines it comes from, 200 frames deep in a test; make one more
    operation of each number in a formula, nearly half of all; and optimize each graph before its first run. Keras would
    read each length of a shape by an operation of its own. The app that the browser's tests open and most commands that
    run in a process of their own have all four.
    """
    import tensorflow as tf
    from keras.src.backend.tensorflow import core
    from tensorflow.python.framework import ops
    from tensorflow.python.util import tf_stack

    here = tf_stack.extract_stack()
    list(here)  # read now and kept: when a graph begins, TensorFlow may find the code gone, and crash
    tf_stack.extract_stack = lambda stacklevel=1: here
    ops._create_graph_constant = _each_number_once(ops._create_graph_constant, ops.get_default_graph)
    core.shape = _each_shape_once(core.shape, tf)
    tf.config.optimizer.set_experimental_options({OPTIMIZER_OFF: True})


def _each_number_once(create: Callable[..., Any], get_graph: Callable[[], Any]) -> Callable[..., Any]:
    """As `create`, but in one graph equal numbers, and equal lists of them, are one constant."""

    def constant(value: Any, dtype: Any, shape: Any, *rest: Any, **named: Any) -> Any:
        if shape is not None or not isinstance(value, (int, float, tuple, list)):
            return create(value, dtype, shape, *rest, **named)
        graph = get_graph()
        if not hasattr(graph, _CONSTANTS):
            setattr(graph, _CONSTANTS, {})
        kept = getattr(graph, _CONSTANTS)
        key = repr(value), dtype  # 1, 1.0 and True are equal, and their constants are not
        if key not in kept:
            kept[key] = create(value, dtype, shape, *rest, **named)
        return kept[key]

    return constant


def _each_shape_once(shape: Callable[[Any], Any], tf: Any) -> Callable[[Any], Any]:
    """As `keras.ops.shape`, but in one graph a tensor's lengths are read once, and together."""

    def lengths(x: Any) -> Any:
        if tf.executing_eagerly() or not isinstance(x, tf.Tensor) or None not in (static := tuple(x.shape)):
            return shape(x)
        kept = vars(x).setdefault(_LENGTHS, {})
        graph = tf.compat.v1.get_default_graph()
        if graph not in kept:
            kept[graph] = tf.unstack(tf.shape(x), len(static))
        return tuple(
            read if known is None else known for known, read in zip(static, kept[graph], strict=True)
        )

    return lengths
