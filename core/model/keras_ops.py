"""The functions that `forward` computes with, in Keras on TensorFlow: to train, and to export.

All that are not here are Keras's own. With Keras's policy "mixed_bfloat16", results have 16 bits; norms and softmax are
computed in 32.
"""

from typing import Any

import keras
import tensorflow as tf
from keras import ops

from core.model.numpy_ops import BLOCKED, EPSILON

Tensor = Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # such as `__path__`, which would make this file look like a package
        raise AttributeError(name)
    return getattr(ops, name)


def array(x: Any) -> Tensor:
    """Return an array or a tensor in the type that is computed in."""
    return ops.cast(x, keras.config.dtype_policy().compute_dtype)


def take(table: Tensor, ids: Tensor) -> Tensor:
    """Return the rows of a table, (V, D) -> (…, D)."""
    return array(ops.take(table, ids, axis=0))


def dense(x: Tensor, kernel: Tensor, bias: Tensor | None) -> Tensor:
    """Return x W + b, (…, D) -> (…, units)."""
    product = ops.matmul(array(x), array(kernel))
    return product if bias is None else tf.nn.bias_add(product, array(bias))


def gelu(x: Tensor) -> Tensor:
    """Return x P(X <= x); Keras's default is an approximation of it by tanh."""
    return ops.gelu(x, approximate=False)


def swiglu(x: Tensor) -> Tensor:
    """Return SiLU of the first half of x times the second, (…, 2F) -> (…, F)."""
    gate, values = ops.split(x, 2, axis=-1)
    return ops.silu(gate) * values


def softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Return the weights over the positions that may be attended to."""
    scores = ops.cast(scores, "float32")
    if mask is not None:  # an additive mask needs no operation in the backward pass
        scores += ops.where(mask, 0.0, BLOCKED)
    return array(tf.nn.softmax(scores))  # Keras's warns about a source of one word


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
    """Give each vector mean 0 and variance 1, then the learned scale and shift."""
    normed = ops.layer_normalization(ops.cast(x, "float32"), gamma, beta, axis=-1, epsilon=EPSILON)
    return array(normed)


def rms_norm(x: Tensor, gamma: Tensor) -> Tensor:
    """Give each vector a root mean square of 1, then the learned scale."""
    return array(ops.rms_normalization(ops.cast(x, "float32"), gamma, axis=-1, epsilon=EPSILON))
