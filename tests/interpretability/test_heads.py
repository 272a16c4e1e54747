"""What heads do; heads switched off, in translating, and what that costs."""

from __future__ import annotations

import numpy as np
import pytest

from core.corpora.toy import PAIRS
from core.inference.translator import Translator
from core.interpretability.heads import Head, all_heads, head_costs, head_facts, translate_without
from core.interpretability.teacher_forcing import Tracer
from core.presets import CLASSROOM
from core.training.pairs import PreparedPairs
from tests.conftest import random_weights
from tests.interpretability.conftest import log_probabilities, pair_of, random_attention

SOURCES = [pair.source for pair in PAIRS]
S = 4


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
    causal = head_facts(random_attention(5, 5, causal=True), within_one_sentence=True)
    assert causal.max_entropy == pytest.approx(np.log2([1, 2, 3, 4, 5]).mean())  # nothing ahead
    assert not causal.next.any()
    crossing = head_facts(random_attention(5, 4), within_one_sentence=False)
    assert np.isnan(crossing.previous).all() and np.isnan(crossing.distance).all()
    assert (
        head_facts(np.ones((1, 1, 1, 1), np.float32), within_one_sentence=True).name(0, 0)
        == "attends to itself"
    )


@pytest.mark.slow
@pytest.mark.parametrize("head", [Head("encoder", 0, 1), Head("decoder", 1, 0), Head("cross", 1, 2)])
def test_a_head_that_is_off_is_a_head_whose_projection_is_zero(toy: PreparedPairs, head: Head) -> None:
    """The rows of W_O that read the head are 0 in another model. Random weights: a trained one hardly needs a head."""
    config = CLASSROOM.model
    weights = random_weights(config, 3)
    stack, sublayer = ("decoder", "cross") if head.kind == "cross" else (head.kind, "self")
    name = f"{stack}/layer_{head.layer}/{sublayer}_attention/output/kernel"
    kernel = weights[name].copy()
    kernel[head.head * config.head_dim : (head.head + 1) * config.head_dim] = 0
    tokenizers = (toy.source_tokenizer, toy.target_tokenizer)
    whole, other = (Translator(config, each, *tokenizers) for each in (weights, {**weights, name: kernel}))
    found = []
    for translation in other.translate(SOURCES):
        source = other.source_tokenizer.encode(translation.source)
        found.append(translate_without(whole, source, [head]))
        assert found[-1] == translation.best.ids
    greedy = [each.best.ids for each in whole.translate(SOURCES)]
    assert found != greedy
    assert translate_without(whole, whole.source_tokenizer.encode(SOURCES[0]), []) == greedy[0]
    pair = pair_of(whole, PAIRS[0].source, PAIRS[0].target)
    expected = log_probabilities(Tracer(whole), pair) - log_probabilities(Tracer(other), pair)
    ranked = head_costs(Tracer(whole), pair).ranked()
    assert dict(ranked)[head] == pytest.approx(expected.mean(), abs=1e-4)
    assert [cost for _, cost in ranked] == sorted((cost for _, cost in ranked), reverse=True)
    assert {each for each, _ in ranked} == set(all_heads(config))
