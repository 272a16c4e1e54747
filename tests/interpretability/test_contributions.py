"""ALTI+ against the paper's sums."""

from __future__ import annotations

import numpy as np
import pytest

from core.config import ModelConfig
from core.inference.transformer import InferenceModel, Trace
from core.interpretability.contributions import alti_shares
from core.weights import Weights
from tests.conftest import TINY, random_weights

SOURCE, TARGET = np.array([[4, 5, 6, 7, 8]], np.int32), np.array([[2, 4, 5, 6]], np.int32)
PRE_AND_POST = pytest.mark.parametrize("config", [TINY, TINY.replace(norm="pre")], ids=["post", "pre"])


def trace_of(config: ModelConfig, weights: Weights) -> Trace:
    return InferenceModel(config, weights).trace(SOURCE, TARGET)


@PRE_AND_POST
def test_alti_by_the_paper_s_sums(config: ModelConfig) -> None:
    """Token by token and head by head, as the paper writes it."""
    weights = random_weights(config)
    trace = trace_of(config, weights)
    found = alti_shares(config, weights, trace)
    memory = np.eye(5)
    for layer in range(config.num_layers):
        x = trace.encoder_hidden[0, layer]
        name = f"encoder/layer_{layer}/self_attention"
        attention, values = trace.attention.encoder[0, layer], trace.encoder_values[0, layer]
        memory = by_hand(config, weights, name, x, attention, values, is_self=True)[0] @ memory
    source, prefix = np.zeros((4, 5)), np.eye(4)
    for layer in range(config.num_layers):
        x = trace.decoder_hidden[0, layer]
        name = f"decoder/layer_{layer}/self_attention"
        attention, values = trace.attention.decoder[0, layer], trace.decoder_values[0, layer]
        mixing, x = by_hand(config, weights, name, x, attention, values, is_self=True)
        name = f"decoder/layer_{layer}/cross_attention"
        attention, values = trace.attention.cross[0, layer], trace.cross_values[0, layer]
        looked, x = by_hand(config, weights, name, x, attention, values, is_self=False)
        source = looked[:, -1:] * (mixing @ source) + looked[:, :-1] @ memory
        prefix = looked[:, -1:] * (mixing @ prefix)
        assert np.allclose(
            fed_forward(config, weights, f"decoder/layer_{layer}", x),
            trace.decoder_hidden[0, layer + 1],
            atol=1e-4,
        )
    assert np.allclose(found.source, source, atol=1e-4)
    assert np.allclose(found.prefix, prefix, atol=1e-4)
    assert np.allclose(found.source.sum(axis=1) + found.prefix.sum(axis=1), 1, atol=1e-5)
    assert not np.triu(found.prefix, k=1).any()  # nothing ahead


def by_hand(
    config: ModelConfig,
    weights: Weights,
    name: str,
    x: np.ndarray,
    attention: np.ndarray,
    values: np.ndarray,
    is_self: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Shares of one block, in double precision, and its output."""
    kernel, bias = weights[f"{name}/output/kernel"].astype(float), weights[f"{name}/output/bias"]
    gamma, beta = weights[f"{name}_residual/norm/gamma"], weights[f"{name}_residual/norm/beta"]
    width = config.head_dim
    rows, outputs = [], []
    for t in range(len(x)):
        parts = [
            sum(
                attention[h, t, s] * (values[h, s] @ kernel[h * width : (h + 1) * width])
                for h in range(config.num_heads)
            )
            for s in range(values.shape[1])
        ]
        output = x[t] + sum(parts) + bias
        if is_self:
            parts[t] = parts[t] + x[t]
        else:
            parts.append(x[t].astype(float))
        if config.norm == "post":
            deviation = np.sqrt(np.var(output) + 1e-6)
            parts = [gamma * (part - part.mean()) / deviation for part in parts]
            output = gamma * (output - output.mean()) / deviation + beta
        nearer = [max(0.0, np.abs(output).sum() - np.abs(output - part).sum()) for part in parts]
        rows.append(np.array(nearer) / sum(nearer))
        outputs.append(output)
    return np.stack(rows), np.stack(outputs)


def fed_forward(config: ModelConfig, weights: Weights, name: str, x: np.ndarray) -> np.ndarray:
    """The rest of a layer, which shows that the block's output was the model's."""

    def norm(values: np.ndarray) -> np.ndarray:
        gamma, beta = (weights[f"{name}/feed_forward_residual/norm/{part}"] for part in ("gamma", "beta"))
        centred = values - values.mean(axis=-1, keepdims=True)
        result: np.ndarray = gamma * centred / np.sqrt(values.var(axis=-1, keepdims=True) + 1e-6) + beta
        return result

    inner, outer = (f"{name}/feed_forward/{part}" for part in ("inner", "outer"))
    read = norm(x) if config.norm == "pre" else x
    hidden = np.maximum(read @ weights[f"{inner}/kernel"] + weights[f"{inner}/bias"], 0)
    summed = x + hidden @ weights[f"{outer}/kernel"] + weights[f"{outer}/bias"]
    return summed if config.norm == "pre" else norm(summed)


@PRE_AND_POST
def test_a_decoder_that_does_not_look_takes_nothing_from_the_source(config: ModelConfig) -> None:
    weights = random_weights(config)
    for layer in range(config.num_layers):
        name = f"decoder/layer_{layer}/cross_attention/output/kernel"
        weights[name] = np.zeros_like(weights[name])
    found = alti_shares(config, weights, trace_of(config, weights))
    assert (found.source == 0).all()
    assert np.allclose(found.prefix.sum(axis=1), 1)


def test_a_block_that_no_vector_comes_near_keeps_what_it_has() -> None:
    """All heads and the input are 0, only the bias is not."""
    config = TINY.replace(norm="pre", num_layers=1)
    weights = {name: np.zeros_like(array) for name, array in random_weights(config).items()}
    weights["decoder/layer_0/cross_attention/output/bias"][:] = 1
    trace = trace_of(config, weights)
    trace = trace._replace(decoder_hidden=np.zeros_like(trace.decoder_hidden))
    assert np.array_equal(alti_shares(config, weights, trace).prefix, np.eye(4))
