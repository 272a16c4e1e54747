"""Which measure is right about the source words."""

import numpy as np
import pytest

from core.inference.model import attention_weights
from core.interpretability.contributions import alti_names, alti_shares
from core.interpretability.faithfulness import (
    CHANCE_ORDERS,
    erasure_curves,
    log_probabilities_without,
    source_scores,
)
from core.interpretability.rollout import rollout
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.value_norms import value_norms
from core.interpretability.words import Words, single_tokens
from core.records.analysis import CHANCE, ErasureCurves
from tests.interpretability.conftest import log_probabilities


@pytest.mark.slow
def test_a_curve_is_the_translation_with_words_erased_in_a_measure_s_order(
    tracer: Tracer, pair: ForcedPair
) -> None:
    found = erasure_curves(tracer, pair)
    assert set(found.curves) == {*found.scores, CHANCE}
    assert found.erased == (0, 1, 2, 3, 4)

    def erased(order: list[int]) -> np.ndarray:
        gone = [order[:number] for number in found.erased]
        return np.array(log_probabilities_without(tracer, pair, gone).mean(axis=1))

    for measure in found.scores:
        assert np.allclose(found.curves[measure], erased(found.order(measure)), atol=1e-4)
        assert found.curves[measure][0] == pytest.approx(log_probabilities(tracer, pair).mean(), abs=1e-4)
    random = np.random.default_rng(0)
    orders = [random.permutation(4).tolist() for _ in range(CHANCE_ORDERS)]
    assert np.allclose(found.curves[CHANCE], np.mean([*map(erased, orders)], axis=0), atol=1e-4)
    assert found.area("occlusion") < found.area(CHANCE)
    assert found.order("occlusion")[0] == found.scores["occlusion"].argmax()


def test_the_area_is_the_mean_height_of_a_line_however_far_its_points_are_apart() -> None:
    curves = {
        name: np.array(curve, np.float32) for name, curve in (("level", [-2] * 3), ("falls", [0, -1, -1]))
    }
    found = ErasureCurves(("a",) * 4, {}, (0, 1, 4), curves)
    assert found.area("level") == -2
    assert found.area("falls") == pytest.approx((-0.5 * 1 - 1 * 3) / 4)
    assert found.ranked() == ["level", "falls"]


def test_scores_of_a_word_are_its_tokens_together(tracer: Tracer, pair: ForcedPair) -> None:
    tokens = source_scores(tracer, pair, single_tokens(pair.source_tokens))
    found = tracer.results(pair, alti_names(tracer.config))
    attention = attention_weights(found, tracer.config)
    cross = attention["cross"]
    norms = value_norms(tracer, pair)["cross"]
    by_name = {
        "raw": cross.mean(axis=(0, 1)).sum(axis=0),
        "norm": np.einsum("lhts,lhs->s", cross, norms),
        "rollout": rollout(**attention).cross[-1].sum(axis=0),  # into the last layer
        "alti": alti_shares(tracer.translator.model.forward, found).source.sum(axis=0),
    }
    for name, expected in by_name.items():
        assert tokens[name] == pytest.approx(expected, rel=1e-4), name
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
