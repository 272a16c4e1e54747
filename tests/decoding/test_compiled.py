from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import pytest

from core.decoding import compiled, rounds
from core.decoding.background_compiler import MAX_QUEUED, NICENESS, compiler
from core.decoding.batches import MAX_COMPILED_ROWS, target_limit
from core.decoding.compiled import (
    BATCHES_BEFORE_XLA,
    USES_BEFORE_XLA,
    CompiledSearch,
    compiled_search,
)
from core.decoding.continuations import CHUNK
from core.decoding.packed_weights import WeightTensors
from core.decoding.rounds import SearchResult
from core.model.programs import xla_programs
from core.pipeline import Ids
from core.presets import CLASSROOM
from tests.conftest import TINY, random_weights

CONFIG = CLASSROOM.model.replace(max_source_length=100, max_target_length=90)
PATIENCE = 600  # seconds; machines that run tests may be busy
SMALL = TINY.replace(num_layers=1, target_vocab_size=2 * CHUNK + 3)  # XLA compiles each layer anew
LONG = SMALL.replace(max_source_length=64, max_target_length=90)
WEIGHTS = WeightTensors.of(SMALL, random_weights(SMALL))


def test_a_translation_is_at_most_fifty_tokens_longer_or_the_models_limit() -> None:
    assert target_limit(16, CONFIG) == 66  # Vaswani et al. 2017, section 6.1
    assert target_limit(8, CONFIG) == 66  # as everything of its bucket
    assert target_limit(64, CONFIG) == 90


def test_one_compiled_search_for_everybody() -> None:
    assert compiled_search(TINY, 1) is compiled_search(TINY.replace(), 1)
    assert compiled_search(TINY, 1) is not compiled_search(TINY, 2)


@pytest.fixture
def search(with_xla: None) -> Iterator[CompiledSearch]:
    yield CompiledSearch(SMALL, 1)
    assert compiler.wait(PATIENCE)


@pytest.fixture
def held() -> Iterator[Callable[[], None]]:
    """The background is busy until this is called."""
    let = threading.Event()
    compiler.add(lambda: cast(None, let.wait(PATIENCE)))
    yield let.set
    let.set()
    assert compiler.wait(PATIENCE)


def ids(rows: int, length: int, seed: int = 0) -> Ids:
    """Sentences of different lengths, padded."""
    random = np.random.default_rng(seed)
    source = random.integers(2, SMALL.source_vocab_size, (rows, length)).astype(np.int32)
    source[np.arange(length) >= random.integers(1, length + 1, (rows, 1))] = 0
    return source


@pytest.mark.slow
@pytest.mark.parametrize(("beam_size", "tied"), [(1, False), (3, False), (2, True)])
def test_a_plain_graph_finds_what_xla_finds(with_xla: None, beam_size: int, tied: bool) -> None:
    """Whoever asks must not see which of both answered."""
    config = SMALL.replace(tie_embeddings=tied)
    weights = WeightTensors.of(config, random_weights(config))
    search = CompiledSearch(config, beam_size)
    shapes = [(1, 4), (3, 8)]  # one of them with rows to spare
    plain = [search(weights, ids(*shape), 1) for shape in shapes]  # as a request may say it, for 1.0
    assert "transposed" not in vars(weights)  # memory for XLA alone
    for shape in shapes:
        search.compile_now(weights, ids(*shape))
    assert search.has_program((4, 8))
    assert len(weights.transposed) == tied
    for shape, expected in zip(shapes, plain, strict=True):
        found = [values.numpy()[: shape[0]] for values in search(weights, ids(*shape), 1)]
        assert np.array_equal(found[0], expected.ids)
        assert np.allclose(found[1], expected.log_probability, atol=1e-4)
        assert np.allclose(found[2], expected.score, atol=1e-4)
        assert np.array_equal(found[3], expected.finished)
    if tied:  # the program multiplies by this matrix, and by no other
        vars(weights)["transposed"] = (-weights.transposed[0],)
        assert not np.array_equal(search(weights, ids(1, 4), 1).ids, plain[0].ids)


@pytest.mark.slow
@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_large_batch_finds_what_each_sentence_finds_alone(
    monkeypatch: pytest.MonkeyPatch, beam_size: int
) -> None:
    """Its cache grows, here after every two steps, and it is padded to its longest sentence alone."""
    monkeypatch.setattr(rounds, "STEPS", 2)
    search = CompiledSearch(SMALL, beam_size)
    source = ids(MAX_COMPILED_ROWS + 9, 8)
    source[:, 6:] = 0
    together = search(WEIGHTS, source, 0.6)
    for row in range(len(source)):
        alone = search(WEIGHTS, source[row : row + 1], 0.6)
        assert np.array_equal(together.ids[row], alone.ids[0])
        assert np.allclose(together.score[row], alone.score[0], atol=1e-4)
        assert np.array_equal(together.finished[row], alone.finished[0])


def test_a_large_batch_needs_no_program(search: CompiledSearch) -> None:
    for _ in range(BATCHES_BEFORE_XLA + 1):
        search(WEIGHTS, ids(MAX_COMPILED_ROWS + 1, 8), 0.6)
    search.compile_now(WEIGHTS, ids(MAX_COMPILED_ROWS + 1, 8))
    search.compile_later(WEIGHTS, ids(MAX_COMPILED_ROWS + 1, 8))
    assert compiler.wait(PATIENCE)
    assert not search._states


def test_sentences_of_different_limits_need_no_program(with_xla: None) -> None:
    """A short one is cut off where it is alone, though a longer one of its batch goes on."""
    weights = random_weights(LONG)
    weights["output/bias"][3] = -1e4  # no sentence ends
    tensors = WeightTensors.of(LONG, weights)
    search = CompiledSearch(LONG, 2)
    together = np.full((3, 32), 5, np.int32)
    together[0, 6:] = 0
    found = search(tensors, together, 0.6)
    search._uses[4, 32] = BATCHES_BEFORE_XLA
    search(tensors, together, 0.6)
    search.compile_now(tensors, together)
    search.compile_later(tensors, together)
    assert compiler.wait(PATIENCE)
    assert not search._states
    assert (found.ids.numpy() != 0).sum(axis=2).tolist() == [[66, 66], [82, 82], [82, 82]]
    alone = search(tensors, together[:1, :16], 0.6)
    assert np.array_equal(found.ids[0, :, :66], alone.ids[0])
    assert np.allclose(found.score[0], alone.score[0], atol=1e-4)


def test_what_is_left_over_of_many_sentences_is_compiled_late(
    search: CompiledSearch, held: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[int, int]] = []
    monkeypatch.setattr(search, "_compile", lambda shape, *_: made.append(shape))
    monkeypatch.setattr(search, "_by_graph", lambda *_: None)
    for _ in range(BATCHES_BEFORE_XLA - 1):
        search(WEIGHTS, ids(3, 8), 0.6)
    assert not search._states
    search(WEIGHTS, ids(3, 8), 0.6)
    held()
    assert compiler.wait(PATIENCE)
    assert made == [(4, 8)]


def test_one_plain_graph_serves_all_shapes(search: CompiledSearch, monkeypatch: pytest.MonkeyPatch) -> None:
    traced: list[int] = []
    original = compiled.search_translations

    def counted(*arguments: Any, **options: Any) -> SearchResult:
        traced.append(1)
        return original(*arguments, **options)

    monkeypatch.setattr(compiled, "search_translations", counted)
    for shape in ((1, 4), (2, 8), (5, 8)):
        search(WEIGHTS, ids(*shape), 0.6)
    assert len(traced) == 1


@pytest.mark.slow
def test_a_shape_is_compiled_once(
    search: CompiledSearch, held: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where somebody needs at once what the background was asked for."""
    traced: list[object] = []
    original = search._traced

    def counted(*arguments: Any, **options: Any) -> Any:
        traced.append(arguments)
        return original(*arguments, **options)

    monkeypatch.setattr(search, "_traced", counted)
    search.compile_later(WEIGHTS, ids(1, 8))
    search.compile_now(WEIGHTS, ids(1, 8))
    assert search.has_program((1, 8))
    held()
    assert compiler.wait(PATIENCE)
    assert len(traced) == 1


@pytest.mark.slow
def test_nobody_waits_while_xla_compiles(search: CompiledSearch, held: Callable[[], None]) -> None:
    answers = [search(WEIGHTS, ids(1, 8), 0.6).ids.numpy() for _ in range(USES_BEFORE_XLA + 1)]
    assert not search.has_program((1, 8))  # the background has not begun, and still there were answers
    held()
    assert compiler.wait(PATIENCE)
    assert search.has_program((1, 8))
    assert np.array_equal(search(WEIGHTS, ids(1, 8), 0.6).ids, answers[0])


def test_a_shape_seldom_used_is_not_compiled(search: CompiledSearch) -> None:
    for _ in range(USES_BEFORE_XLA - 1):
        search(WEIGHTS, ids(1, 8), 0.6)
    assert compiler.wait(PATIENCE)
    assert not search.has_program((1, 8))


def test_programs_are_made_in_the_order_they_are_asked_for(
    search: CompiledSearch, held: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[int, int]] = []
    monkeypatch.setattr(search, "_compile", lambda shape, *_: made.append(shape))
    for rows, length in ((2, 4), (1, 8), (1, 8), (1, 4)):
        search.compile_later(WEIGHTS, ids(rows, length))
    held()
    assert compiler.wait(PATIENCE)
    assert made == [(4, 4), (1, 8), (1, 4)]  # nothing twice


@pytest.mark.slow
def test_what_waits_is_bounded(search: CompiledSearch, held: Callable[[], None]) -> None:
    for _ in range(MAX_QUEUED):
        compiler.add(lambda: None)
    search.compile_later(WEIGHTS, ids(1, 8))
    held()
    assert compiler.wait(PATIENCE)
    assert not search.has_program((1, 8))
    search.compile_later(WEIGHTS, ids(1, 8))  # asked for again, it has its turn
    assert compiler.wait(PATIENCE)
    assert search.has_program((1, 8))


@pytest.mark.slow
def test_beyond_the_budget_the_plain_graph_answers(
    search: CompiledSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xla_programs, "MAX_XLA_PROGRAMS", 1)
    for length in (4, 8):
        search.compile_now(WEIGHTS, ids(1, length))
    assert [search.has_program((1, length)) for length in (4, 8)] == [True, False]
    assert search(WEIGHTS, ids(1, 8), 0.6).ids.shape[0] == 1


def test_a_shape_refused_for_lack_of_memory_is_asked_for_again(
    search: CompiledSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not at every use, since looking for room takes a while, and nobody else waits for it."""
    asked: list[bool] = []  # whether everybody's lock was held
    made: list[tuple[int, int]] = []

    def may_compile(_: object, ahead: bool) -> bool:
        assert ahead
        asked.append(search._lock.locked())
        return len(asked) > 2

    monkeypatch.setattr("core.decoding.compiled.may_compile", may_compile)
    monkeypatch.setattr(search, "_compile", lambda shape, *_: made.append(shape))
    monkeypatch.setattr(search, "_by_graph", lambda *_: None)
    asked_after = []
    for _ in range(5 * USES_BEFORE_XLA):
        search(WEIGHTS, ids(1, 8), 0.6)
        asked_after.append(len(asked))
    assert compiler.wait(PATIENCE)
    assert [asked_after.index(count) + 1 for count in (1, 2, 3)] == [
        USES_BEFORE_XLA * factor for factor in (1, 2, 4)
    ]
    assert asked == [False] * 3
    assert made == [(1, 8)]


@pytest.mark.slow
def test_whoever_waits_gets_a_program_that_nobody_got_ahead(search: CompiledSearch) -> None:
    xla_programs.compile_while(lambda: True)
    for _ in range(2 * USES_BEFORE_XLA):
        search(WEIGHTS, ids(1, 8), 0.6)
    assert compiler.wait(PATIENCE)
    assert not search.has_program((1, 8))
    search.compile_now(WEIGHTS, ids(1, 8))
    assert search.has_program((1, 8))


def test_the_plain_graph_answers_where_xla_fails(
    search: CompiledSearch, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("no such kernel")

    monkeypatch.setattr(search, "_traced", fail)
    search.compile_later(WEIGHTS, ids(1, 8))
    assert compiler.wait(PATIENCE)
    assert "could not compile" in caplog.text
    assert not search.has_program((1, 8))
    assert search(WEIGHTS, ids(1, 8), 0.6).ids.shape[0] == 1


ENDING = """
import time
from core.decoding.background_compiler import compiler
compiler.add(lambda: (time.sleep(0.5), print("ended", flush=True)))
for _ in range(20): compiler.add(lambda: time.sleep(60))
"""
PRIORITIES = f"""
import os
from core.decoding.background_compiler import compiler
def priorities():
    found = []
    for task in os.listdir("/proc/self/task"):
        try:
            found.append(os.getpriority(os.PRIO_PROCESS, int(task)))
        except ProcessLookupError:  # it has ended meanwhile
            continue
    return found
before = set(priorities())
compiler.add(lambda: None)
assert compiler.wait({PATIENCE})
print(before, {NICENESS} in priorities(), flush=True)
"""


def output_of(code: str) -> list[str]:
    """What a process of its own prints, which must end as it should."""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


@pytest.mark.slow
def test_a_process_may_end_while_xla_compiles() -> None:
    """Its threads would be torn down under its feet. Here it ends before the first of them has begun."""
    assert output_of(ENDING) in ([], ["ended"])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="priorities of threads are Linux's")
def test_xla_stands_back() -> None:
    """Its threads, which start at the first program, have low priority; those that translate do not.

    And the process may end while they work.
    """
    found = output_of(PRIORITIES + ENDING + "time.sleep(0.05)")
    here = os.getpriority(os.PRIO_PROCESS, 0)
    assert found[0] == f"{{{here}}} True"
    assert found[1:] in ([], ["ended"])
