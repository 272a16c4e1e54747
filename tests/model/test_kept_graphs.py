from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest
from tensorflow.python.framework.func_graph import FuncGraph

from core.config import ModelConfig, TrainingConfig
from core.corpora.toy import PAIRS
from core.model.programs.kept_graphs import (
    KeptGraphs,
    forget_all_graphs,
    forget_unused_graphs,
    keeps_graphs,
    share_with_everybody,
)
from core.training.recipe import prepare_word_training
from tests.conftest import TINY

CONFIGS = [TINY.replace(d_ff=8 * number) for number in range(1, 6)]


@pytest.fixture
def made() -> Iterator[list[ModelConfig]]:
    yield []
    forget_all_graphs()


@pytest.fixture
def function(made: list[ModelConfig]) -> KeptGraphs[int]:
    @keeps_graphs(most=2)
    def function(config: ModelConfig) -> int:
        made.append(config)
        return config.d_ff

    return function


def test_each_is_made_once(function: KeptGraphs[int], made: list[ModelConfig]) -> None:
    assert [function(config) for config in (CONFIGS[0], CONFIGS[1], CONFIGS[0])] == [8, 16, 8]
    assert made == CONFIGS[:2]


def test_what_was_used_longest_ago_goes_first(function: KeptGraphs[int], made: list[ModelConfig]) -> None:
    for number in (0, 1, 0, 2, 0):
        function(CONFIGS[number])
    assert made == CONFIGS[:3]  # the first was still there
    function(CONFIGS[1])
    assert made == [*CONFIGS[:3], CONFIGS[1]]


def test_visitors_configurations_take_no_place_of_everybodys(
    function: KeptGraphs[int], made: list[ModelConfig]
) -> None:
    share_with_everybody(CONFIGS[0])
    for config in (*CONFIGS, CONFIGS[0]):
        function(config)
    assert made == CONFIGS
    assert len(function) == 3


def test_those_of_everybody_are_bounded_too(function: KeptGraphs[int]) -> None:
    for config in CONFIGS:
        share_with_everybody(config)
        function(config)
    assert len(function) == 2


def test_only_what_nobody_uses_is_forgotten(function: KeptGraphs[int], made: list[ModelConfig]) -> None:
    share_with_everybody(CONFIGS[0])
    function(CONFIGS[0])
    function(CONFIGS[1])
    forget_unused_graphs(unused_seconds=1000.0)
    assert len(function) == 2
    forget_unused_graphs(unused_seconds=0.0)
    function(CONFIGS[0])
    function(CONFIGS[1])
    assert made == [CONFIGS[0], CONFIGS[1], CONFIGS[1]]


@pytest.mark.slow
def test_tensorflow_gives_a_forgotten_training_back() -> None:
    """As it does not where an operation has a custom gradient: it keeps that function for good."""
    forget_all_graphs()
    gc.collect()
    before = _num_graphs()
    model = ModelConfig(50, 50, num_layers=1, d_model=8, num_heads=2, d_ff=24)
    run = prepare_word_training(PAIRS[:2], model, TrainingConfig(epochs=1)).new_run()
    list(run.steps())
    assert _num_graphs() > before
    assert np.isfinite(run.log.reports[-1].loss)
    del run
    forget_all_graphs()
    gc.collect()
    assert _num_graphs() <= before


def _num_graphs() -> int:
    return sum(isinstance(thing, FuncGraph) for thing in gc.get_objects())
