"""Which measure is right about the source words."""

from __future__ import annotations

import numpy as np
import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.inference.transformer import Ids
from core.interpretability.faithfulness import (
    CHANCE,
    ErasureCurves,
    erasure_curves,
    log_probabilities_without,
    source_scores,
)
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.words import Words, single_tokens
from tests.interpretability.conftest import pair_of


@pytest.mark.slow
def test_curves_begin_and_end_alike(tracer: Tracer, checkpoint: Checkpoint, pair: ForcedPair) -> None:
    found = erasure_curves(tracer, checkpoint.weights, pair, single_tokens(pair.source_tokens))
    assert set(found.curves) == {*found.scores, CHANCE}
    whole = log_probabilities(tracer, pair.source, pair).mean()
    ends = [curve[-1] for curve in found.curves.values()]
    for curve in found.curves.values():
        assert curve[0] == pytest.approx(whole, abs=1e-4)
    assert np.allclose(ends, ends[0], atol=1e-4)
    assert found.erased == (0, 1, 2, 3, 4)
    assert found.ranked()[0] != CHANCE
    assert found.area("occlusion") < found.area(CHANCE)


def test_the_order_is_by_the_score() -> None:
    curves = {"raw": np.array([0.0, -2.0, -4.0]), CHANCE: np.array([0.0, -1.0, -4.0])}
    found = ErasureCurves(("a", "b"), {"raw": np.array([1.0, 2.0])}, (0, 1, 2), curves)
    assert found.order("raw") == [1, 0]
    assert found.area("raw") == -2.0
    assert found.area(CHANCE) == -1.5
    assert found.ranked() == ["raw", CHANCE]


def test_scores_of_a_word_are_its_tokens_together(
    tracer: Tracer, checkpoint: Checkpoint, pair: ForcedPair
) -> None:
    tokens = source_scores(tracer, checkpoint.weights, pair, single_tokens(pair.source_tokens))
    cross = tracer.trace(pair.source[None], pair.decoder_input[None]).attention.cross[0]
    assert tokens["raw"] == pytest.approx(cross.mean(axis=(0, 1)).sum(axis=0), rel=1e-4)
    joined = Words(("first", "rest"), ((0, 1), (2, 3)))
    words = source_scores(tracer, checkpoint.weights, pair, joined)
    for name in set(tokens) - {"occlusion"}:
        assert words[name] == pytest.approx([tokens[name][:2].sum(), tokens[name][2:].sum()], rel=1e-4)
    erased = log_probabilities_without(tracer, pair, [(), (0, 1)]).sum(axis=1)
    assert words["occlusion"][0] == pytest.approx(erased[0] - erased[1], abs=1e-4)


def test_erasing_a_word_is_another_sentence_with_a_hole(tracer: Tracer, pair: ForcedPair) -> None:
    """The erased row, run alone, with nothing but the ids changed."""
    last = len(pair.source) - 1
    whole, without = log_probabilities_without(tracer, pair, [(), (last,)])
    assert np.allclose(whole, log_probabilities(tracer, pair.source, pair), atol=1e-4)
    # The place of the last word is at the end: nothing moves.
    assert np.allclose(without, log_probabilities(tracer, pair.source[:-1], pair), atol=1e-4)


def test_a_source_of_one_word_can_be_erased(tracer: Tracer, checkpoint: Checkpoint) -> None:
    pair = pair_of(tracer.translator, "merci", "thanks")
    whole, without = log_probabilities_without(tracer, pair, [(), (0,)])
    assert np.abs(whole - without).max() > 0.1
    words = single_tokens(pair.source_tokens)
    assert erasure_curves(tracer, checkpoint.weights, pair, words).erased == (0, 1)


def log_probabilities(tracer: Tracer, source: Ids, pair: ForcedPair) -> np.ndarray:
    return tracer.log_probabilities(source[None], pair.decoder_input[None], pair.predicted[None])[0]
