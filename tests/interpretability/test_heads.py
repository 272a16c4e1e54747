"""What heads do; heads switched off, in translating, and what that costs."""

import dataclasses

import numpy as np
import pytest

from core.corpora.toy import PAIRS
from core.inference.translator import Translator
from core.interpretability.heads import (
    alignment_scores,
    all_heads,
    clearest_head,
    costliest,
    head_costs,
    head_facts,
    head_roles,
    run_without,
)
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.presets import CLASSROOM
from core.records.attention import AttentionRecord, Head
from core.tokens.vocabulary import START
from core.training.recipe import PreparedTraining
from tests.conftest import random_weights
from tests.interpretability.conftest import log_probabilities, pair_of, random_attention

SOURCES = [pair.source for pair in PAIRS]
S = 4


def record_of(encoder: np.ndarray | None = None, cross: np.ndarray | None = None) -> AttentionRecord:
    """Three words and a full stop, translated into the same; the weights are of the heads of one layer."""
    words = ("uma", "casa", "azul", ".")
    usual = np.full((1, S, S), 1 / S)
    encoder, cross = ((usual if each is None else each)[None].astype(np.float32) for each in (encoder, cross))
    causal = np.tri(S, dtype=np.float32)[None, None]
    return AttentionRecord(
        words, (START, *words[:-1]), words, encoder, causal / causal.sum(-1, keepdims=True), cross
    )


def test_the_head_that_aligns_is_told_from_one_that_is_late() -> None:
    now, to_stop = np.eye(S), np.zeros((S, S))
    late = np.eye(S, k=-1)
    late[0, -1] = to_stop[:, -1] = 1
    half = 0.5 * now + 0.5 / S
    turned = np.eye(S)[[2, 1, 0, 3]]  # each word has one of its own, and not its translation
    record = record_of(cross=np.stack([late, half, now, to_stop, np.full((S, S), 1 / S), turned]))
    assert head_roles(record, "cross") == (
        ("one step late", "mixes", "aligns", "full stop", "all alike", "mixes"),
    )
    assert clearest_head([record.of_kind("cross")]) == (0, 2)
    assert clearest_head([record_of(cross=np.stack([late, half])).of_kind("cross")]) == (0, 1)
    empty = dataclasses.replace(record, predicted_tokens=(".",) * S)
    assert not alignment_scores(empty.of_kind("cross")).any()


def test_a_head_aligns_only_if_it_does_so_in_this_sentence_and_in_others() -> None:
    alone, usual = np.eye(S), np.full((S, S), 1 / S)
    record = record_of(cross=np.stack([alone, alone, usual]))
    examples = np.array([[[0.9, 0.3, 0.9]], [[0.2, 0.2, 0.2]]], np.float32)
    assert head_roles(record, "cross", examples) == (("aligns", "mixes", "all alike"),)


def test_head_facts_of_heads_whose_facts_are_known() -> None:
    previous = np.eye(S, k=-1)
    previous[0, 0] = 1
    to_last = np.zeros((S, S))
    to_last[:, -1] = 1
    following = np.eye(S, k=1) + np.diag([0, 0, 0, 1.0])
    apart = np.roll(np.eye(S), 2, axis=0)  # two tokens further
    most, half = 0.55 * np.eye(S) + 0.45 * apart, 0.45 * np.eye(S) + 0.55 * apart
    weights = np.stack([np.eye(S), previous, following, to_last, np.full((S, S), 1 / S), most, half])
    record = record_of(encoder=weights)
    assert head_roles(record, "encoder") == (
        ("itself", "previous token", "next token", "full stop", "all alike", "itself", "mixes"),
    )
    assert clearest_head([record.of_kind("encoder")], "encoder") == (0, 1)
    facts = head_facts(record.encoder, within_one_sentence=True)
    mixed = -0.55 * np.log2(0.55) - 0.45 * np.log2(0.45)
    assert np.allclose(facts.entropy[0], [0, 0, 0, 0, 2, mixed, mixed])  # bits
    assert np.allclose(facts.distance[0], [0, 3 / 4, 3 / 4, 6 / 4, 20 / 16, 0.9, 1.1])
    assert facts.max_entropy == 2
    causal = head_facts(random_attention(5, 5, causal=True), within_one_sentence=True)
    assert causal.max_entropy == pytest.approx(np.log2([1, 2, 3, 4, 5]).mean())  # nothing ahead
    assert not causal.next.any()
    crossing = head_facts(random_attention(5, 4), within_one_sentence=False)
    assert np.isnan(crossing.previous).all() and np.isnan(crossing.distance).all()


@pytest.mark.slow
@pytest.mark.parametrize("head", [Head("encoder", 0, 1), Head("decoder", 1, 0), Head("cross", 1, 2)])
def test_a_head_that_is_off_is_a_head_whose_projection_is_zero(toy: PreparedTraining, head: Head) -> None:
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
        pair = ForcedPair.of_translation(whole, translation)
        without = run_without(Tracer(whole), pair, [head])
        found.append(without.translation)
        assert (without.translation, without.finished) == (translation.text, translation.best.finished)
    greedy = [each.text for each in whole.translate(SOURCES)]
    assert found != greedy
    pair = pair_of(whole, PAIRS[0].source, PAIRS[0].target)
    expected = log_probabilities(Tracer(whole), pair) - log_probabilities(Tracer(other), pair)
    ranked = costliest(head_costs(Tracer(whole), pair))
    assert dict(ranked)[head] == pytest.approx(expected.mean(), abs=1e-4)
    assert [cost for _, cost in ranked] == sorted((cost for _, cost in ranked), reverse=True)
    assert {each for each, _ in ranked} == set(all_heads(config))
