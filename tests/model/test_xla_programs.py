from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from core.decoding import compiled
from core.model import xla_programs
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
    assert [xla_programs.may_compile() for _ in range(4)] == [True, True, False, False]


def test_searches_are_compiled_while_there_is_room(
    with_xla: None, by_xla: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xla_programs, "MAX_XLA_PROGRAMS", 1)
    for beam_size in (1, 1, 2):  # the second is the first
        compiled.compiled_search(TINY, 1, 8, beam_size)
    assert by_xla == [True, False]


def test_only_updates_of_many_weights_are_compiled(with_xla: None, by_xla: list[bool]) -> None:
    for number in (999_999, 1_000_000):
        step._compiled_update(number)
    assert by_xla == [False, True]


def test_tests_use_plain_graphs(by_xla: list[bool]) -> None:
    """Unless they ask for XLA, so that none depends on how many programs earlier ones compiled."""
    weights = compiled.pack([tf.constant(array) for array in random_weights(TINY).values()])
    search = compiled._compiled_search.__wrapped__(TINY, 1, 8, 1)
    search(weights, np.array([[4, 5, 0, 0, 0, 0, 0, 0]], np.int32), 0.6)
    assert by_xla == [False]
