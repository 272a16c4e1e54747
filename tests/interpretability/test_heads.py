"""What heads do; heads switched off, in translating, and what that costs."""

from __future__ import annotations

import numpy as np
import pytest

from core.corpora.toy import PAIRS
from core.inference.translator import Translator
from core.interpretability.heads import HEAD_KINDS, Head, all_heads, head_costs, head_facts, translate_without
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.presets import CLASSROOM
from core.training.pairs import PreparedPairs
from tests.conftest import random_weights
from tests.interpretability.conftest import pair_of, random_attention

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


def test_head_facts_by_loops() -> None:
    decoder = random_attention(5, 5, causal=True)
    facts = head_facts(decoder, within_one_sentence=True)
    weights = decoder[1, 2]
    entropy = -np.mean([sum(w * np.log2(w) for w in row if w > 0) for row in weights])
    assert facts.entropy[1, 2] == pytest.approx(entropy, abs=1e-5)
    assert facts.previous[1, 2] == pytest.approx(np.mean([weights[t, t - 1] for t in range(1, 5)]))
    assert facts.max_entropy == pytest.approx(
        np.log2([1, 2, 3, 4, 5]).mean()
    )  # the future cannot be attended to
    assert facts.next[1, 2] == 0


def test_of_two_sentences_positions_say_nothing_and_one_token_has_facts() -> None:
    facts = head_facts(random_attention(5, 4), within_one_sentence=False)
    assert np.isnan(facts.previous).all() and np.isnan(facts.distance).all()
    assert facts.name(0, 0) in ("mixed", "attends to all tokens about equally", "attends to the last token")
    facts = head_facts(np.ones((1, 1, 1, 1), np.float32), within_one_sentence=True)
    assert facts.name(0, 0) == "attends to itself"


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
    expected = _log_probability(Tracer(whole), pair) - _log_probability(Tracer(other), pair)
    cost = head_costs(Tracer(whole), pair).costs[HEAD_KINDS.index(head.kind), head.layer, head.head]
    assert cost == pytest.approx(expected / len(pair.predicted), abs=1e-4)


def test_the_costliest_head_comes_first(tracer: Tracer) -> None:
    costs = head_costs(tracer, pair_of(tracer.translator, PAIRS[0].source, PAIRS[0].target))
    ranked = costs.ranked()
    assert [cost for _, cost in ranked] == sorted(costs.costs.ravel(), reverse=True)
    assert {head for head, _ in ranked} == set(all_heads(tracer.config))


def _log_probability(tracer: Tracer, pair: ForcedPair) -> float:
    ids = (pair.source[None], pair.decoder_input[None], pair.predicted[None])
    return float(tracer.log_probabilities(*ids).sum())
