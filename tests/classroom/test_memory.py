from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.classroom import memory
from core.classroom.memory import MemoryFullError, ceiling, has_room_for_programs, make_room, used_megabytes
from core.model.programs.kept_graphs import forget_all_graphs, keeps_graphs
from tests.conftest import TINY, ChangeSetting

CEILING = ceiling()
AMPLE, ENOUGH = CEILING - memory.ROOM_FOR_LARGE_ONE, CEILING - memory.ROOM_FOR_ONE


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """What the system says is used, one number a question; the last one again and again."""
    numbers: list[float] = []
    monkeypatch.setattr(memory, "used_megabytes", lambda: numbers.pop(0) if len(numbers) > 1 else numbers[0])
    yield numbers
    forget_all_graphs()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says")
def test_what_is_used_grows_with_what_is_made() -> None:
    before = used_megabytes()
    made = np.ones(40 * 1024 * 1024, np.uint8)
    assert 30 < used_megabytes() - before < 60
    assert made[0]


def test_below_the_ceiling_nothing_is_dropped(used: list[float]) -> None:
    kept = keeps_graphs(most=2)(lambda config: config)
    kept(TINY)
    used.append(AMPLE - 1.0)
    make_room()
    assert len(kept) == 1


@pytest.mark.slow
def test_at_the_ceiling_unused_graphs_are_dropped(used: list[float]) -> None:
    kept = keeps_graphs(most=2)(lambda config: config)
    kept(TINY)
    used += [AMPLE + more for more in (2.0, 1.0, -1.0)]
    make_room()
    assert len(kept) == 0


@pytest.mark.slow
def test_a_small_one_may_come_where_a_large_one_would_not_fit(used: list[float]) -> None:
    used.append(ENOUGH - 1.0)
    make_room()


@pytest.mark.slow
def test_where_that_is_not_enough_people_read_the_limit(used: list[float]) -> None:
    used.append(ENOUGH + 1.0)
    with pytest.raises(MemoryFullError, match=f"limit is {CEILING:,} MB"):
        make_room()


def test_programs_that_are_never_freed_leave_room(used: list[float]) -> None:
    used.append(CEILING - 10.0)
    assert not has_room_for_programs()
    used[0] = 100.0
    assert has_room_for_programs()


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (str(1024 * memory.MB), 819),
        (str(512 * memory.MB), 800),
        ("max", None),
        (str(64 * 1024 * memory.MB), None),
    ],
)
def test_the_ceiling_follows_the_container(
    limit: str, expected: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "memory.max").write_text(f"{limit}\n")
    monkeypatch.setattr(memory, "_CONTAINER_LIMITS", (tmp_path / "memory.max", tmp_path / "absent"))
    monkeypatch.setattr(memory, "_machine_megabytes", lambda: 16_384.0)
    ceiling.cache_clear()
    try:
        assert ceiling() == (expected or memory.MAX_CEILING)
    finally:
        ceiling.cache_clear()


def test_a_setting_decides_on_the_ceiling(change_setting: ChangeSetting) -> None:
    change_setting("max_memory", "1234")
    ceiling.cache_clear()
    assert ceiling() == 1234
    ceiling.cache_clear()
