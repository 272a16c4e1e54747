"""The placement of the layer norm, and its effect on vectors that pass a stack of layers.

The paper uses post-norm (Vaswani et al. 2017, section 3.1), most later models pre-norm (Xiong et al. 2020, "On Layer
Normalization in the Transformer Architecture").
"""

from dataclasses import dataclass

import numpy as np

from core.arrays import Reals
from core.config import ModelConfig, NormPlacement
from core.model.forward import ForwardPass
from core.model.numpy_ops import layer_norm

# Sizes of the example stack.
_WORDS = 64
_WIDTH = 64
_INNER = 256
_SUBLAYERS = 2  # per layer


@dataclass(frozen=True)
class StackMeasures:
    """How vectors change in a stack of layers: one number per layer, the input first."""

    size: tuple[float, ...]  # root mean square of all numbers
    cosine_similarity: tuple[float, ...]  # between a vector and its input, mean over the vectors, -1 to 1


def measure_stack(norm: NormPlacement, num_layers: int) -> StackMeasures:
    """Send vectors through an untrained stack with two sublayers per layer.

    The sublayers are feed-forward networks with Glorot weights, the same at every call. Attention would only mix the
    vectors of different words.
    """
    random = np.random.default_rng(7)
    start = layer_norm(random.standard_normal((_WORDS, _WIDTH)))
    limit = (6 / (_WIDTH + _INNER)) ** 0.5  # Glorot & Bengio 2010, equation 16
    config = ModelConfig(2, 4, d_model=_WIDTH, d_ff=_INNER, norm=norm)
    norms = {"feed_forward_residual/norm/gamma": 1.0, "feed_forward_residual/norm/beta": 0.0}
    x = start
    size = [_size(start)]
    cosine_similarity = [1.0]
    for _ in range(num_layers):
        for _ in range(_SUBLAYERS):
            inner, outer = random.uniform(-limit, limit, (2, _WIDTH, _INNER))
            kernels = {"feed_forward/inner/kernel": inner, "feed_forward/outer/kernel": outer.T}
            model = ForwardPass(config, {**norms, **kernels})
            x = model.residual("feed_forward", x, model.feed_forward)
        size.append(_size(x))
        cosine_similarity.append(_cosine_similarity(start, x))
    return StackMeasures(tuple(size), tuple(cosine_similarity))


def _size(x: Reals) -> float:
    return float(np.sqrt(np.mean(x**2)))


def _cosine_similarity(first: Reals, second: Reals) -> float:
    lengths = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
    return float(np.mean((first * second).sum(axis=-1) / lengths))
