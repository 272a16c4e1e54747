"""Heads switched off: in translating, and what that costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.corpora.toy import PAIRS
from core.decoding.translator import TranslationError, Translator
from core.interpretability.heads import gated_translation as module
from core.interpretability.heads.gated_translation import translate_without
from core.interpretability.heads.gates import Head, all_heads, gates_without
from core.interpretability.heads.importance import HeadRanking, head_costs, readable_pairs
from core.interpretability.teacher_forcing import ForcedPair
from core.interpretability.tracer import Tracer
from core.pipeline import PreparedPairs
from core.presets import CLASSROOM
from core.records import Pair
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
    cost = head_costs(Tracer(whole), pair).cost(head)
    assert cost == pytest.approx(expected / len(pair.predicted), abs=1e-4)


@pytest.mark.slow
def test_a_draft_saves_the_search_and_changes_nothing(
    translator: Translator, untrained: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    (found,) = translator.translate(["je suis étudiant"])
    source, draft = translator.source_tokenizer.encode(found.read), found.best.ids
    for head in all_heads(translator.config):
        for other in (draft, (*draft[:1], 5, *draft[2:]), (7, 7, *draft[2:]), draft[:1], ()):
            assert translate_without(translator, source, [head], other) == translate_without(
                translator, source, [head]
            )
    everything = all_heads(untrained.config)
    assert translate_without(untrained, source, everything, draft) == translate_without(
        untrained, source, everything
    )
    monkeypatch.setattr(module, "_compiled_search", lambda _: pytest.fail("searched"))
    assert translate_without(translator, source, [], draft) == draft
    assert translate_without(translator, source, [], (*draft[:1], 5, *draft[2:])) == draft  # corrected


def test_one_graph_for_all_heads_and_lengths(translator: Translator) -> None:
    for source in ([5], [5, 6, 7]):
        for head in all_heads(translator.config)[:3]:
            translate_without(translator, source, [head])
    graph: Any = module._compiled_search(translator.config.replace(dropout_rate=0.0))
    assert graph.experimental_get_tracing_count() == 1


def test_without_any_head_it_still_ends(translator: Translator) -> None:
    written = translate_without(translator, [5, 6], all_heads(translator.config))
    assert 0 < len(written) <= translator.config.max_target_length


def test_a_head_that_there_is_not(translator: Translator) -> None:
    with pytest.raises(ValueError, match="no such head"):
        gates_without(translator.config, [[Head("cross", 0, 99)]])


def test_a_ranking_is_the_mean_over_all_tokens(tracer: Tracer) -> None:
    pairs = readable_pairs(tracer, PAIRS[:4], 64)
    run = HeadRanking(tracer, pairs)
    assert [*run.steps()] == [1, 2, 3, 4]
    found = run.result()
    alone = [head_costs(tracer, pair) for pair in pairs]
    expected = sum(each.costs * each.tokens for each in alone) / sum(each.tokens for each in alone)
    assert np.allclose(found.costs, expected, atol=1e-5)
    assert found.sentences == 4
    ranked = found.ranked()
    assert [cost for _, cost in ranked] == sorted(found.costs.ravel(), reverse=True)
    assert found.rank(ranked[0][0]) == 1
    assert found.cost(ranked[3][0]) == ranked[3][1]


def test_portions_let_it_stop_within_a_sentence(tracer: Tracer, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = readable_pairs(tracer, PAIRS[:2], 64)
    whole = HeadRanking(tracer, pairs)
    assert len([*whole.steps()]) == 2
    monkeypatch.setattr("core.interpretability.teacher_forcing.MAX_NUMBERS", 1)
    run = HeadRanking(tracer, pairs)
    steps = run.steps()
    assert next(steps) == 0
    with pytest.raises(TranslationError, match="No sentence"):
        run.result()
    assert len([*steps]) == 2 * (1 + len(all_heads(tracer.config))) - 1
    assert np.allclose(run.result().costs, whole.result().costs, atol=1e-5)


def test_pairs_that_cannot_be_read_are_left_out(tracer: Tracer) -> None:
    pairs = [Pair("", "nothing"), Pair("merci", "thanks"), Pair("merci " * 99, "thanks")]
    assert len(readable_pairs(tracer, pairs, 64)) == 1


def _log_probability(tracer: Tracer, pair: ForcedPair) -> float:
    ids = (pair.source[None], pair.decoder_input[None], pair.predicted[None])
    return float(tracer.log_probabilities(*ids).sum())
