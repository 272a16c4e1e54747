import threading

import pytest

from core.decoding import side_by_side as module
from core.decoding.side_by_side import side_by_side


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "num_cores", lambda: 2)


@pytest.mark.usefixtures("two_cores")
def test_two_batches_are_under_way_at_a_time_and_come_in_order() -> None:
    meeting = threading.Barrier(2, timeout=60)  # one alone would wait for ever

    def search(batch: int) -> tuple[int, str]:
        meeting.wait()
        return batch, threading.current_thread().name

    found = side_by_side(search, range(4))
    assert [batch for batch, _ in found] == [0, 1, 2, 3]
    assert len({name for _, name in found}) == 2


@pytest.mark.usefixtures("two_cores")
def test_one_batch_needs_no_thread() -> None:
    assert side_by_side(lambda _: threading.current_thread(), [0]) == [threading.current_thread()]


@pytest.mark.usefixtures("two_cores")
def test_the_first_failure_is_raised() -> None:
    def search(batch: int) -> int:
        if batch:
            raise ValueError(f"batch {batch}")
        return batch

    with pytest.raises(ValueError, match="batch 1"):
        side_by_side(search, range(3))


def test_a_process_has_a_core() -> None:
    assert module.num_cores() >= 1


@pytest.mark.parametrize(("allowed", "cores"), [("1", 1), ("0", 1), ("many", None), ("999999", None)])
def test_a_process_keeps_to_the_cores_it_was_given(
    monkeypatch: pytest.MonkeyPatch, allowed: str, cores: int | None
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    everything = module.num_cores()
    monkeypatch.setenv("OMP_NUM_THREADS", allowed)
    assert module.num_cores() == (cores or everything)
