import threading
import time

import pytest

from core.config import DecodingConfig
from core.server import translation_job
from core.server.queue import Gate
from core.server.trained_model import TrainedModel
from core.server.translation_job import TranslationJob, TranslationRequest, TranslationWork
from tests.conftest import subword_checkpoint


class CountedGate(Gate):
    """Knows how many threads stand in its line or have a place."""

    def __init__(self) -> None:
        super().__init__(1)
        self.inside = 0
        self._counting = threading.Lock()

    def enter(self) -> None:
        with self._counting:
            self.inside += 1
        super().enter()

    def leave(self) -> None:
        with self._counting:
            self.inside -= 1
        super().leave()


@pytest.mark.slow
def test_a_short_text_waits_for_few_batches_of_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = CountedGate()
    monkeypatch.setattr(translation_job, "compute_gate", lambda: gate)
    model = TrainedModel("Tiny", subword_checkpoint())
    text = " ".join(f"casa {number}." for number in range(1000))
    request = TranslationRequest(model, (text,), DecodingConfig())
    jobs = [TranslationJob(TranslationWork(request), 1000.0).start() for _ in range(12)]
    while any(job.state().progress.done == 0 for job in jobs):
        time.sleep(0.01)
    with gate:
        while gate.inside < 5:
            time.sleep(0.01)
        time.sleep(0.2)
        assert gate.inside == 5  # this thread, and four long texts
    for job in jobs:
        job.stop()
    assert all(job.wait(60) for job in jobs)
