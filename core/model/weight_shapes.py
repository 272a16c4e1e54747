"""Every weight of a model by name and shape, from its config alone: no TensorFlow, no model built.

The one list that counting parameters, drawing initial weights, laying weights out in one vector and
checking a checkpoint all go by. A test holds it equal to what `Transformer` really builds.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig

NamedShape = tuple[str, tuple[int, ...]]
Weights = dict[str, NDArray[np.float32]]  # by name, in the order of `weight_shapes`


def weight_shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """Names and shapes of all weights, in paper order: embeddings, encoder, decoder, output."""
    return dict(_walk(config))


def parameter_count(config: ModelConfig) -> int:
    """How many numbers training adjusts."""
    return sum(math.prod(shape) for shape in weight_shapes(config).values())


def initial_weights(config: ModelConfig, seed: int) -> Weights:
    """New weights, the same for the same seed on every machine and in every thread.

    Kernels are Glorot uniform (Glorot & Bengio 2010, equation 16); embeddings are normal with standard
    deviation d_model^-0.5, so that scaling by sqrt(d_model) (3.4) gives entries of variance 1, the
    size of the positional encoding; biases are 0 and norm scales 1.
    """
    random = np.random.default_rng(seed)
    return {name: _draw(name, shape, random) for name, shape in weight_shapes(config).items()}


def _draw(name: str, shape: tuple[int, ...], random: np.random.Generator) -> NDArray[np.float32]:
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


def _walk(config: ModelConfig) -> Iterator[NamedShape]:
    if config.share_embeddings:
        yield "shared_embedding/embeddings", (config.target_vocab_size, config.d_model)
    yield from _embedding("source_embedding", config.source_vocab_size, config.max_source_length, config)
    yield from _embedding("target_embedding", config.target_vocab_size, config.max_target_length, config)
    for layer in range(config.num_layers):
        yield from _encoder_layer(f"encoder/layer_{layer}", config)
    if config.norm == "pre":
        yield from _norm("encoder/final_norm", config)
    for layer in range(config.num_layers):
        yield from _decoder_layer(f"decoder/layer_{layer}", config)
    if config.norm == "pre":
        yield from _norm("decoder/final_norm", config)
    if not config.tie_embeddings:
        yield from _dense("output", config.d_model, config.target_vocab_size)


def _embedding(name: str, vocab_size: int, length: int, config: ModelConfig) -> Iterator[NamedShape]:
    if not config.share_embeddings:
        yield f"{name}/tokens/embeddings", (vocab_size, config.d_model)
    if config.positional_encoding == "learned":
        yield f"{name}/positions/embeddings", (length, config.d_model)


def _encoder_layer(name: str, config: ModelConfig) -> Iterator[NamedShape]:
    yield from _self_attention(f"{name}/self_attention", config)
    yield from _norm(f"{name}/self_attention_residual/norm", config)
    yield from _feed_forward(f"{name}/feed_forward", config)
    yield from _norm(f"{name}/feed_forward_residual/norm", config)


def _decoder_layer(name: str, config: ModelConfig) -> Iterator[NamedShape]:
    yield from _self_attention(f"{name}/self_attention", config)
    yield from _norm(f"{name}/self_attention_residual/norm", config)
    yield from _cross_attention(f"{name}/cross_attention", config)
    yield from _norm(f"{name}/cross_attention_residual/norm", config)
    yield from _feed_forward(f"{name}/feed_forward", config)
    yield from _norm(f"{name}/feed_forward_residual/norm", config)


def _self_attention(name: str, config: ModelConfig) -> Iterator[NamedShape]:
    yield from _dense(f"{name}/query_key_value", config.d_model, 3 * config.d_model)
    yield from _dense(f"{name}/output", config.d_model, config.d_model)


def _cross_attention(name: str, config: ModelConfig) -> Iterator[NamedShape]:
    yield from _dense(f"{name}/query", config.d_model, config.d_model)
    yield from _dense(f"{name}/key_value", config.d_model, 2 * config.d_model)
    yield from _dense(f"{name}/output", config.d_model, config.d_model)


def _feed_forward(name: str, config: ModelConfig) -> Iterator[NamedShape]:
    yield from _dense(f"{name}/inner", config.d_model, config.d_ff)
    yield from _dense(f"{name}/outer", config.d_ff, config.d_model)


def _dense(name: str, inputs: int, outputs: int) -> Iterator[NamedShape]:
    yield f"{name}/kernel", (inputs, outputs)
    yield f"{name}/bias", (outputs,)


def _norm(name: str, config: ModelConfig) -> Iterator[NamedShape]:
    yield f"{name}/gamma", (config.d_model,)
    yield f"{name}/beta", (config.d_model,)


def flatten(weights: Weights) -> NDArray[np.float32]:
    """All weights as one vector (P,), in the order of `weight_shapes`."""
    return np.concatenate([array.ravel() for array in weights.values()])


def fingerprint(weights: Weights) -> str:
    """A few letters that no other weights have."""
    return hashlib.sha256(flatten(weights).tobytes()).hexdigest()


def unflatten(vector: NDArray[np.float32], config: ModelConfig) -> Weights:
    """The reverse of `flatten`."""
    shapes = weight_shapes(config)
    ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
    parts = np.split(vector, ends[:-1])
    return {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}
