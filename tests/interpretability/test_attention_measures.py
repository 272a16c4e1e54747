"""Rollout, norms and ALTI+ against the papers' sums, written out."""

import numpy as np
import pytest

from core.config import ModelConfig
from core.inference.model import InferenceModel, attention_names, stacked, state_names
from core.inference.translator import Translator
from core.interpretability.contributions import (
    alti_names,
    alti_shares,
    possible_hallucinations,
    word_contributions,
)
from core.interpretability.rollout import rollout
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.value_norms import value_norms
from core.interpretability.words import single_tokens
from core.records.attention import AttentionKind
from core.theory.model_parts import SIDES
from core.weights import Weights
from tests.conftest import TINY, random_weights
from tests.interpretability.conftest import random_attention

SOURCE, TARGET = np.array([[4, 5, 6, 7, 8]], np.int32), np.array([[2, 4, 5, 6]], np.int32)
S, T = SOURCE.size, TARGET.size


def test_rollout_equals_a_walk_over_one_graph() -> None:
    """All nodes of source and target in one matrix, multiplied sublayer by sublayer."""
    encoder, cross = random_attention(S, S), random_attention(T, S)
    decoder = random_attention(T, T, causal=True)
    found = rollout(encoder, decoder, cross)
    graph = np.eye(S)
    for layer in encoder.mean(1):
        graph = (layer + np.eye(S)) / 2 @ graph
    assert np.allclose(found.encoder[-1], graph, atol=1e-6)

    nodes = np.eye(S + T)
    nodes[:S, :S] = graph
    for own, looked in zip(decoder.mean(1), cross.mean(1), strict=True):
        step = np.eye(S + T)
        step[S:, S:] = (own + np.eye(T)) / 2
        nodes = step @ nodes
        step = np.eye(S + T)
        step[S:, :S], step[S:, S:] = looked / 2, np.eye(T) / 2
        nodes = step @ nodes
    assert np.allclose(found.cross[-1], nodes[S:, :S], atol=1e-6)
    assert np.allclose(found.decoder[-1], nodes[S:, S:], atol=1e-6)
    assert np.allclose(found.cross.sum(-1) + found.decoder.sum(-1), 1, atol=1e-6)


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_norms_equal_the_vectors_one_by_one(translator: Translator, kind: AttentionKind) -> None:
    translation = translator.translate(["je suis malade"])[0]
    pair = ForcedPair.of_translation(translator, translation)
    norms = value_norms(Tracer(translator), pair)[kind]
    names = attention_names(kind, "values", translator.config)
    values = stacked(Tracer(translator).results(pair, names), names)
    assert norms.shape == values.shape[:3]
    stack, sublayer = ("decoder", "cross") if kind == "cross" else (kind, "self")
    layer, head, key, width = 1, 3, 2, translator.config.head_dim
    kernel = translator.weights[f"{stack}/layer_{layer}/{sublayer}_attention/output/kernel"]
    moved = values[layer, head, key] @ kernel[head * width : (head + 1) * width]
    assert norms[layer, head, key] == pytest.approx(np.sqrt((moved**2).sum()), rel=1e-4)


@pytest.mark.parametrize(
    "config",
    [TINY, TINY.replace(norm="pre"), TINY.replace(norm_kind="rms", positional_encoding="rotary")],
    ids=["post", "pre", "rms"],
)
def test_alti_by_the_paper_s_sums(config: ModelConfig) -> None:
    """Token by token and head by head, as the paper writes it."""
    weights = random_weights(config)
    model = InferenceModel(config, weights)
    results = model.results(SOURCE, TARGET, alti_names(config))
    found = alti_shares(model.forward, results)

    def block(name: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        attention, values = (results[f"{name}/{each}"][0] for each in ("weights", "values"))
        return alti_block(config, weights, name, x, attention, values)

    states = {side: [results[name][0] for name in state_names(side, config)] for side in SIDES}
    memory, source, prefix = np.eye(S), np.zeros((T, S)), np.eye(T)
    for layer in range(config.num_layers):
        memory = block(f"encoder/layer_{layer}/self_attention", states["encoder"][layer])[0] @ memory
    for layer in range(config.num_layers):
        mixing, x = block(f"decoder/layer_{layer}/self_attention", states["decoder"][layer])
        looked, _ = block(f"decoder/layer_{layer}/cross_attention", x)
        source = looked[:, -1:] * (mixing @ source) + looked[:, :-1] @ memory
        prefix = looked[:, -1:] * (mixing @ prefix)
    assert np.allclose(found.source, source, atol=1e-4)
    assert np.allclose(found.prefix, prefix, atol=1e-4)
    assert np.allclose(found.source.sum(axis=1) + found.prefix.sum(axis=1), 1, atol=1e-5)
    assert not np.triu(found.prefix, k=1).any()  # nothing ahead


def test_the_shares_of_words_are_those_of_their_tokens(tracer: Tracer, pair: ForcedPair) -> None:
    """Of a model of whole words, which reads each one after it has written it."""
    found = word_contributions(tracer, pair)
    results = tracer.results(pair, alti_names(tracer.config))
    shares = alti_shares(tracer.translator.model.forward, results)
    assert np.allclose(found.source, shares.source, atol=1e-6)
    assert np.allclose(np.nan_to_num(found.prefix), shares.prefix, atol=1e-6)
    assert np.isnan(found.prefix).sum() == len(found.words) * (len(found.words) - 1) / 2
    assert found.prefix_words == pair.decoder_input_tokens


def test_only_words_that_hardly_come_from_the_source_may_be_made_up() -> None:
    words = single_tokens(["the", "house", "don", "'", "t", ".", "[END]"])
    low = np.array([0.49, 0.5, 0.1, 0.1, 0.1, 0.1, 0.1], np.float32)
    assert possible_hallucinations(words, low) == {0, 2}


def alti_block(
    config: ModelConfig, weights: Weights, name: str, x: np.ndarray, attention: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Shares of one block, in double precision, and its output."""
    kernel, bias = weights[f"{name}/output/kernel"].astype(float), weights[f"{name}/output/bias"]
    gamma, beta = weights[f"{name}_residual/norm/gamma"], weights.get(f"{name}_residual/norm/beta", 0.0)
    heads = kernel.reshape(config.num_heads, config.head_dim, -1)
    rows, outputs = [], []
    for t in range(len(x)):
        parts = [
            sum(attention[h, t, s] * (values[h, s] @ heads[h]) for h in range(config.num_heads))
            for s in range(values.shape[1])
        ]
        output = x[t] + sum(parts) + bias
        if name.endswith("self_attention"):
            parts[t] = parts[t] + x[t]
        else:
            parts.append(x[t].astype(float))
        if config.norm == "post":
            if config.norm_kind == "layer":
                output, *parts = (each - each.mean() for each in (output, *parts))
            size = np.sqrt(np.mean(output**2) + 1e-6)
            parts = [gamma * part / size for part in parts]
            output = gamma * output / size + beta
        nearer = [max(0.0, np.abs(output).sum() - np.abs(output - part).sum()) for part in parts]
        rows.append(np.array(nearer) / sum(nearer))
        outputs.append(output)
    return np.stack(rows), np.stack(outputs)
