"""Which measure is right about the source words."""

from __future__ import annotations

import numpy as np
import pytest

from core.interpretability.faithfulness import (
    erasure_curves,
    log_probabilities_without,
    source_scores,
)
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.words import Words, single_tokens
from core.records.analysis import CHANCE
from tests.interpretability.conftest import log_probabilities


@pytest.mark.slow
def test_curves_begin_and_end_alike(tracer: Tracer, pair: ForcedPair) -> None:
    found = erasure_curves(tracer, pair)
    assert set(found.curves) == {*found.scores, CHANCE}
    for curve in found.curves.values():
        assert curve[0] == pytest.approx(log_probabilities(tracer, pair).mean(), abs=1e-4)
        assert curve[-1] == pytest.approx(found.curves[CHANCE][-1], abs=1e-4)
    assert found.erased == (0, 1, 2, 3, 4)
    assert found.area("occlusion") < found.area(CHANCE)
    assert found.order("occlusion")[0] == found.scores["occlusion"].argmax()


def test_scores_of_a_word_are_its_tokens_together(tracer: Tracer, pair: ForcedPair) -> None:
    tokens = source_scores(tracer, pair, single_tokens(pair.source_tokens))
    cross = tracer.trace(pair.source[None], pair.decoder_input[None]).attention.cross[0]
    assert tokens["raw"] == pytest.approx(cross.mean(axis=(0, 1)).sum(axis=0), rel=1e-4)
    words = source_scores(tracer, pair, Words(("first", "rest"), ((0, 1), (2, 3))))
    for name in set(tokens) - {"occlusion"}:
        assert words[name] == pytest.approx([tokens[name][:2].sum(), tokens[name][2:].sum()], rel=1e-4)
    erased = log_probabilities_without(tracer, pair, [(), (0, 1)]).sum(axis=1)
    assert words["occlusion"][0] == pytest.approx(erased[0] - erased[1], abs=1e-4)


def test_erasing_the_last_word_is_the_sentence_without_it(tracer: Tracer, pair: ForcedPair) -> None:
    """Nothing moves: the hole is at the end."""
    whole, without = log_probabilities_without(tracer, pair, [(), (len(pair.source) - 1,)])
    assert np.allclose(whole, log_probabilities(tracer, pair), atol=1e-4)
    assert np.allclose(without, log_probabilities(tracer, pair, pair.source[:-1]), atol=1e-4)
