from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from core.model.stateless import bound, shared_model
from core.training.adam import AdamRates
from core.training.risk import RiskBatch, RiskResult, compiled_risk_step, expected_costs
from core.training.step import StepSettings, TrainingState
from tests.conftest import TINY, random_weights

STILL = TINY.replace(dropout_rate=0.0)
START, END = 2, 3


def batch(costs: list[list[float]], pads: int = 0) -> RiskBatch:
    """Two sources with two hypotheses and a target each; `pads` more positions."""
    labels = [[5, 6, END], [4, END, 0], [5, END, 0], [7, 8, END], [6, END, 0], [4, 4, END]]
    for row in (0, 1):
        for column in (0, 1):
            if math.isnan(costs[row][column]):
                labels[3 * row + column] = [0, 0, 0]
    ids = np.array(labels, np.int32)
    shifted = np.roll(ids, 1, axis=1)
    shifted[:, 0] = START
    source = np.array([[4, 5, 6], [7, 3, 0]], np.int32)
    source, shifted, ids = (np.pad(each, ((0, 0), (0, pads))) for each in (source, shifted * (ids != 0), ids))
    return RiskBatch(source, shifted, ids, np.array(costs, np.float32))


def step(found: RiskBatch, weight: float, rate: float = 0.0, start: np.ndarray | None = None) -> RiskResult:
    state = TrainingState.new(random_weights(STILL))
    parameters = state.parameters if start is None else tf.constant(start)
    settings = StepSettings(AdamRates(rate, 0.9, 0.98, 1e-9), 0.1, math.inf, np.zeros(2, np.int64))
    return compiled_risk_step(STILL, 2, weight)(parameters, state.moments, 1.0, settings, found)


def test_the_expected_cost_is_the_mean_under_the_models_own_probabilities() -> None:
    nats = np.log(np.array([[0.5, 0.25], [0.1, 0.1]], np.float32))
    costs = np.array([[0.0, 1.0], [0.2, 0.6]], np.float32)
    # Probabilities to the power of 5: 1/32 and 1/1024.
    assert expected_costs(nats, costs).numpy() == pytest.approx([1 / 33, 0.4], rel=1e-5)


def test_what_is_no_hypothesis_has_no_part_in_it() -> None:
    nats, costs = [[-1.0, -2.0, 0.0]], [[0.3, 0.3, math.nan]]
    assert expected_costs(tf.constant(nats), tf.constant(costs)).numpy() == pytest.approx([0.3])


@pytest.mark.slow
def test_a_step_makes_the_near_ones_likelier() -> None:
    """Small steps along the gradient lower the risk, and a cost that is the same for all has no gradient."""
    found = batch([[0.1, 0.9], [0.8, 0.2]])
    result = step(found, weight=1000.0)
    before = float(result.risk)
    for number in range(5):
        result = step(found, weight=1000.0, rate=1e-3, start=result.parameters.numpy())
        assert bool(result.healthy), number
    assert float(step(found, 1000.0, start=result.parameters.numpy()).risk) < before - 0.01
    same, without = (step(batch([[0.5, 0.5], [0.5, 0.5]]), weight, rate=1e-3) for weight in (1000.0, 0.0))
    np.testing.assert_allclose(same.moments.first, without.moments.first, atol=1e-4)


@pytest.mark.slow
def test_pads_and_missing_hypotheses_change_nothing() -> None:
    costs = [[0.1, 0.9], [0.8, math.nan]]
    one, wider = step(batch(costs), 20.0, rate=1e-3), step(batch(costs, pads=3), 20.0, rate=1e-3)
    assert float(one.risk) == pytest.approx(float(wider.risk), rel=1e-5)
    assert float(one.loss) == pytest.approx(float(wider.loss), rel=1e-5)
    np.testing.assert_allclose(one.moments.first, wider.moments.first, atol=1e-6)
    assert not np.isnan(one.parameters).any()


@pytest.mark.slow
def test_several_targets_of_a_source_are_read_as_with_the_source_again() -> None:
    model, found = shared_model(STILL), batch([[0.1, 0.9], [0.8, 0.2]])
    weights = [tf.constant(array) for array in random_weights(STILL).values()]

    @tf.function(autograph=False)
    def hidden(source: Any, rows: int) -> Any:
        with bound(model, weights):
            return model.hidden(source, found.decoder_input, targets_per_source=rows)[0]

    once, again = hidden(found.source, 3), hidden(np.repeat(found.source, 3, axis=0), 1)
    real = found.labels != 0
    np.testing.assert_allclose(once.numpy()[real], again.numpy()[real], atol=1e-5)


@pytest.mark.slow
def test_what_is_no_number_is_noticed() -> None:
    weights = TrainingState.new(random_weights(STILL)).parameters.numpy() * np.nan
    assert not bool(step(batch([[0.1, 0.9], [0.8, 0.2]]), 20.0, start=weights).healthy)
