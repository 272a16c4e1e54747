"""Heads switched off: in translating, and what that costs."""

from __future__ import annotations

import pytest

from core.corpora.toy import PAIRS
from core.inference.translator import Translator
from core.interpretability.heads.gated_translation import translate_without
from core.interpretability.heads.gates import HEAD_KINDS, Head, all_heads, gates_without
from core.interpretability.heads.importance import head_costs
from core.interpretability.teacher_forcing import ForcedPair
from core.interpretability.tracer import Tracer
from core.presets import CLASSROOM
from core.training.pairs import PreparedPairs
from tests.conftest import random_weights

SOURCES = [pair.source for pair in PAIRS]


@pytest.mark.slow
def test_with_all_heads_on_it_is_the_greedy_translation(
    translator: Translator, untrained: Translator
) -> None:
    for each in (translator, untrained):
        for translation in each.translate(SOURCES):
            source = each.source_tokenizer.encode(translation.source)
            assert translate_without(each, source, []) == translation.best.ids


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
    assert found != [each.best.ids for each in whole.translate(SOURCES)]
    pair = ForcedPair.of_texts(whole, PAIRS[0].source, PAIRS[0].target)
    expected = _log_probability(Tracer(whole), pair) - _log_probability(Tracer(other), pair)
    cost = head_costs(Tracer(whole), pair).costs[HEAD_KINDS.index(head.kind), head.layer, head.head]
    assert cost == pytest.approx(expected / len(pair.predicted), abs=1e-4)


def test_without_any_head_it_still_ends(translator: Translator) -> None:
    written = translate_without(translator, [5, 6], all_heads(translator.config))
    assert 0 < len(written) <= translator.config.max_target_length


def test_a_head_that_there_is_not(translator: Translator) -> None:
    with pytest.raises(ValueError, match="no such head"):
        gates_without(translator.config, [[Head("cross", 0, 99)]])


def test_the_costliest_head_comes_first(tracer: Tracer) -> None:
    costs = head_costs(tracer, ForcedPair.of_texts(tracer.translator, PAIRS[0].source, PAIRS[0].target))
    ranked = costs.ranked()
    assert [cost for _, cost in ranked] == sorted(costs.costs.ravel(), reverse=True)
    assert {head for head, _ in ranked} == set(all_heads(tracer.config))


def _log_probability(tracer: Tracer, pair: ForcedPair) -> float:
    ids = (pair.source[None], pair.decoder_input[None], pair.predicted[None])
    return float(tracer.log_probabilities(*ids).sum())
