"""Rollout against a walk over one graph."""

from __future__ import annotations

import numpy as np

from core.interpretability.rollout import rollout
from tests.interpretability.conftest import random_attention

S, T = 4, 5


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
    assert np.allclose(found.encoder.sum(-1), 1, atol=1e-6)
    assert (np.triu(found.decoder[-1], 1) == 0).all()  # nothing of what lies ahead
