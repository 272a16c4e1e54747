"""Every weight of a model by name and shape, from its config, without TensorFlow.

Parameter counts, initial weights, the vector of all weights and the checks of a checkpoint all use this list. A test
changes each weight, and sees that the logits change.
"""

import hashlib
import math

import numpy as np

from core.arrays import Floats
from core.config import ModelConfig
from core.theory.model_parts import weights_of_model
from core.theory.parts import model_sizes

Weights = dict[str, Floats]  # by name, in the order of `weight_shapes`


def weight_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all weights by name, in the paper's order: embeddings, encoder, decoder, output."""
    sizes = model_sizes(config)
    return {name: weight.shape(sizes) for name, _, weight in weights_of_model(config)}


def parameter_count(config: ModelConfig) -> int:
    """Return the number of trained parameters."""
    return sum(math.prod(shape) for shape in weight_shapes(config).values())


def initial_weights(config: ModelConfig, seed: int) -> Weights:
    """Draw initial weights, the same for the same seed on every machine and in every thread.

    Kernels are Glorot uniform (Glorot & Bengio 2010, equation 16). Embeddings are normal with standard deviation
    d_model^-0.5, so that scaling by sqrt(d_model) (3.4) gives entries of variance 1, the size of positional encodings.
    Biases are 0, and scales of norms 1.
    """
    random = np.random.default_rng(seed)
    return {name: _draw(name, shape, random) for name, shape in weight_shapes(config).items()}


def _draw(name: str, shape: tuple[int, ...], random: np.random.Generator) -> Floats:
    match name.rsplit("/", 1)[-1]:
        case "kernel":
            limit = math.sqrt(6.0 / sum(shape))
            return random.uniform(-limit, limit, shape).astype(np.float32)
        case "embeddings":
            return (random.standard_normal(shape) * shape[-1] ** -0.5).astype(np.float32)
        case "gamma":
            return np.ones(shape, np.float32)
        case _:  # bias, beta
            return np.zeros(shape, np.float32)


def flatten(weights: Weights) -> Floats:
    """Return all weights as one vector, in the order of `weight_shapes`."""
    return np.concatenate([array.ravel() for array in weights.values()])


def fingerprint(weights: Weights) -> str:
    """Return a digest of the weights."""
    return hashlib.sha256(flatten(weights).tobytes()).hexdigest()


def unflatten(vector: Floats, config: ModelConfig) -> Weights:
    """Split a vector from `flatten` into weights by name."""
    shapes = weight_shapes(config)
    ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
    parts = np.split(vector, ends[:-1])
    return {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}
