from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from core.decoding import compiled
from core.decoding.packed_weights import WeightTensors
from core.model.programs import xla_programs
from core.model.programs.kept_graphs import share_with_everybody
from core.training import step
from tests.conftest import TINY, random_weights


@pytest.fixture
def by_xla(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each function that is told whether to be compiled by XLA: whether it is."""
    told: list[bool] = []
    original = tf.function

    def function(*arguments: Any, **options: Any) -> Any:
        if "jit_compile" in options:
            told.append(options["jit_compile"])
        return original(*arguments, **options)

    monkeypatch.setattr(tf, "function", function)
    return told


def test_no_more_programs_than_there_is_room_for(with_xla: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xla_programs, "MAX_XLA_PROGRAMS", 2)
    assert [xla_programs.may_compile(TINY) for _ in range(4)] == [True, True, False, False]


def test_visitors_leave_programs_to_the_servers_own_models(
    with_xla: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xla_programs, "MAX_VISITORS_PROGRAMS", 2)
    share_with_everybody(TINY.replace(dropout_rate=0.3))
    visitors = [xla_programs.may_compile(TINY.replace(d_ff=8 * n)) for n in range(4, 8)]
    assert visitors == [True, True, False, False]
    assert all(xla_programs.may_compile(TINY.replace(dropout_rate=0.0)) for _ in range(4))


def test_no_program_where_memory_is_short(with_xla: None) -> None:
    room = True
    xla_programs.compile_while(lambda: room)
    assert xla_programs.may_compile(TINY)
    room = False
    assert not xla_programs.may_compile(TINY)


def test_a_server_compiles_nothing_ahead(with_xla: None) -> None:
    assert xla_programs.may_compile(TINY, ahead=True)
    xla_programs.compile_while(lambda: True)
    assert not xla_programs.may_compile(TINY, ahead=True)
    assert xla_programs.may_compile(TINY)


def test_only_updates_of_many_weights_are_compiled(with_xla: None, by_xla: list[bool]) -> None:
    for number in (999_999, 1_000_000):
        step.compiled_update(number)
    assert by_xla == [False, True]


@pytest.mark.slow
def test_tests_use_plain_graphs() -> None:
    """Unless they ask for XLA, so that none depends on how many programs earlier ones compiled."""
    weights = WeightTensors.of(TINY, random_weights(TINY))
    search = compiled.CompiledSearch(TINY, 1)
    source = np.array([[4, 5, 0, 0, 0, 0, 0, 0]], np.int32)
    search.compile_now(weights, source)
    search(weights, source, 0.6)
    assert not search.has_program((1, 8))
