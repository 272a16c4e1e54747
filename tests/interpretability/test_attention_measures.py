"""Rollout, norms, facts about heads, and words, each against another calculation."""

import numpy as np
import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.inference.translator import Translator
from core.interpretability.heads import head_facts
from core.interpretability.norms import transformed_norms
from core.interpretability.rollout import rollout
from core.interpretability.teacher_forcing import Tracer
from core.interpretability.words import (
    attention_links,
    attention_of_words,
    is_punctuation,
    is_special,
    merged_words,
    single_tokens,
)

L, H, S, T, K = 2, 3, 4, 5, 6


def random_attention(rows: int, columns: int, causal: bool = False, seed: int = 0) -> np.ndarray:
    scores = np.random.default_rng(seed).standard_normal((L, H, rows, columns))
    if causal:
        scores = np.where(np.tri(rows, columns, dtype=bool), scores, -np.inf)
    weights = np.exp(scores)
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


ENCODER, DECODER, CROSS = random_attention(S, S), random_attention(T, T, True), random_attention(T, S)


def test_rollout_equals_a_walk_over_one_graph() -> None:
    """All nodes of source and target in one matrix, multiplied sublayer by sublayer."""
    found = rollout(ENCODER, DECODER, CROSS)
    graph = np.eye(S)
    for layer in ENCODER.mean(1):
        graph = (layer + np.eye(S)) / 2 @ graph
    assert np.allclose(found.encoder[-1], graph, atol=1e-6)

    nodes = np.eye(S + T)
    nodes[:S, :S] = graph
    for own, cross in zip(DECODER.mean(1), CROSS.mean(1), strict=True):
        step = np.eye(S + T)
        step[S:, S:] = (own + np.eye(T)) / 2
        nodes = step @ nodes
        step = np.eye(S + T)
        step[S:, :S], step[S:, S:] = cross / 2, np.eye(T) / 2
        nodes = step @ nodes
    assert np.allclose(found.cross[-1], nodes[S:, :S], atol=1e-6)
    assert np.allclose(found.decoder[-1], nodes[S:, S:], atol=1e-6)
    assert np.allclose(found.cross.sum(-1) + found.decoder.sum(-1), 1, atol=1e-6)
    assert np.allclose(found.encoder.sum(-1), 1, atol=1e-6)
    assert (np.triu(found.decoder[-1], 1) == 0).all()  # nothing of what lies ahead


def test_norms_equal_the_vectors_summed_one_by_one(checkpoint: Checkpoint, translator: Translator) -> None:
    source = np.array([translator.source_tokenizer.encode("je suis étudiant")], np.int32)
    trace = Tracer(translator).trace(source, np.array([[2, 4, 5]], np.int32))
    config = checkpoint.config
    for kind in ("encoder", "decoder", "cross"):
        weights, values = getattr(trace.attention, kind)[0], getattr(trace, f"{kind}_values")[0]
        found = weights * transformed_norms(values, checkpoint.weights, kind)[:, :, None]
        layer, head, query, key = config.num_layers - 1, config.num_heads - 1, 1, 0
        width = config.head_dim
        stack, sublayer = ("decoder", "cross") if kind == "cross" else (kind, "self")
        kernel = checkpoint.weights[f"{stack}/layer_{layer}/{sublayer}_attention/output/kernel"]
        moved = values[layer, head, key] @ kernel[head * width : (head + 1) * width]
        expected = np.linalg.norm(weights[layer, head, query, key] * moved)
        assert found[layer, head, query, key] == pytest.approx(expected, rel=1e-4)
        assert found.shape == weights.shape


def test_head_facts_of_heads_whose_facts_are_known() -> None:
    previous = np.eye(S, k=-1)
    previous[0, 0] = 1
    to_last = np.zeros((S, S))
    to_last[:, -1] = 1
    weights = np.stack(
        [np.eye(S), previous, np.eye(S, k=1) + np.diag([0, 0, 0, 1.0]), to_last, np.full((S, S), 1 / S)]
    )
    facts = head_facts(weights[None].astype(np.float32), within_one_sentence=True)
    assert [facts.name(0, head) for head in range(5)] == [
        "attends to itself",
        "attends to the previous token",
        "attends to the next token",
        "attends to the last token",
        "attends to all tokens about equally",
    ]
    assert np.allclose(facts.entropy[0], [0, 0, 0, 0, 2])  # bits
    assert np.allclose(facts.distance[0], [0, 3 / 4, 3 / 4, 6 / 4, 20 / 16])
    assert facts.max_entropy == 2


def test_head_facts_by_loops() -> None:
    facts = head_facts(DECODER, within_one_sentence=True)
    weights = DECODER[1, 2]
    entropy = -np.mean([sum(w * np.log2(w) for w in row if w > 0) for row in weights])
    assert facts.entropy[1, 2] == pytest.approx(entropy, abs=1e-5)
    assert facts.previous[1, 2] == pytest.approx(np.mean([weights[t, t - 1] for t in range(1, T)]))
    assert facts.max_entropy == pytest.approx(
        np.log2([1, 2, 3, 4, 5]).mean()
    )  # the future cannot be attended to
    assert facts.next[1, 2] == 0


def test_of_two_sentences_positions_say_nothing() -> None:
    facts = head_facts(CROSS, within_one_sentence=False)
    assert np.isnan(facts.previous).all() and np.isnan(facts.distance).all()
    assert facts.name(0, 0) in ("mixed", "attends to all tokens about equally", "attends to the last token")


def test_one_token_has_facts() -> None:
    facts = head_facts(np.ones((1, 1, 1, 1), np.float32), within_one_sentence=True)
    assert facts.name(0, 0) == "attends to itself"


def test_subwords_become_words() -> None:
    words = merged_words(["es", "##ta", "##ção", "é", "##", "[END]"])
    assert words.texts == ("estação", "é", "##", "[END]")
    assert words.positions == ((0, 1, 2), (3,), (4,), (5,))
    assert merged_words(["##s", "a"]).texts == ("##s", "a")
    assert [is_special(text) for text in words.texts] == [False, False, False, True]
    assert [is_punctuation(text) for text in ("?", "...", "a.", "##")] == [True, True, False, True]


def test_rows_are_averaged_and_columns_summed() -> None:
    rows, columns = merged_words(["a", "##b", "c", "d", "e"]), merged_words(["x", "y", "##z", "w"])
    found = attention_of_words(CROSS, rows, columns)
    assert found.shape == (L, H, 4, 3)
    assert found[1, 2, 0, 1] == pytest.approx(CROSS[1, 2, :2, 1:3].sum() / 2)
    assert np.allclose(found.sum(-1), 1, atol=1e-6)
    assert np.array_equal(attention_of_words(CROSS, single_tokens("abcde"), single_tokens("wxyz")), CROSS)


def test_hidden_columns_leave_what_is_left() -> None:
    rows, columns = single_tokens("abcde"), single_tokens("wxyz").keep([True, False, True, False])
    assert np.allclose(attention_of_words(CROSS, rows, columns), CROSS[..., [0, 2]])


def test_the_strongest_link_of_each_word() -> None:
    assert attention_links(np.array([[0.1, 0.9], [0.8, 0.2]])) == {(1, 0), (0, 1)}
