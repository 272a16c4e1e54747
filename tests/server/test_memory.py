import mmap
import sys
from pathlib import Path

import pytest

from core.server import memory
from core.server.memory import MB, ceiling, free_memory, used_megabytes
from tests.conftest import ChangeSetting

CEILING = ceiling()
ENOUGH = CEILING - memory.MEMORY_FOR_ONE


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the system says is used, one number a question; the last one again and again."""
    numbers: list[float] = []
    monkeypatch.setattr(memory, "used_megabytes", lambda: numbers.pop(0) if len(numbers) > 1 else numbers[0])
    return numbers


@pytest.fixture
def released(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes when what can be spared is dropped."""
    calls: list[str] = []
    monkeypatch.setattr(memory, "_releases", [lambda: calls.append("dropped")])
    return calls


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says")
def test_what_is_used_grows_with_what_is_made() -> None:
    before = used_megabytes()
    with mmap.mmap(-1, 40 * MB) as made:  # not from what Python has freed and kept
        made.write(bytes(40 * MB))
        assert 30 < used_megabytes() - before < 100


def test_only_at_the_ceiling_what_can_be_spared_is_dropped(used: list[float], released: list[str]) -> None:
    used.append(ENOUGH - 1.0)
    free_memory()
    assert released == []
    used.insert(0, ENOUGH + 1.0)
    free_memory()
    assert released == ["dropped"]


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
