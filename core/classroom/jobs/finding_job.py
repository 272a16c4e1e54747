"""What somebody asks about the inside of a model, as a job where it takes long."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from typing import Any

from core.classroom.duration import duration
from core.classroom.gate import compute_gate
from core.classroom.jobs.job import Job, Outcome, Progress, Work

Pause = Callable[[], None]
"""Called between two batches, to let others compute; raises where somebody has pressed Stop, or the time is up."""


class FindingWork(Work[Progress]):
    """Computes one finding in batches. It may be stopped between two of them; it keeps nothing then.

    Args:
        key: all that the finding depends on.
        find: computes it, pausing between batches.
    """

    failure_message = "The analysis failed on the server. Try another sentence."

    def __init__(self, key: Hashable, find: Callable[[Pause], Any]) -> None:
        self.key = key
        self.found: Any = None  # when it is finished
        self._find = find
        self._progress = Progress(0, 1)

    def progress(self) -> Progress:
        return self._progress

    def steps(self, report: Callable[[str], None]) -> Generator[None]:
        yield  # the time begins
        gate = compute_gate()

        def pause() -> None:
            gate.leave()
            gate.enter()
            report("")

        with gate:
            self.found = self._find(pause)
        self._progress = Progress(1, 1)
        yield

    def finish(self) -> Outcome:
        return Outcome(finished=self._progress.done == 1)

    def time_limit_message(self, seconds: float) -> str:
        return f"This analysis reached its time limit of {duration(seconds)}. Try a shorter sentence."


FindingJob = Job[FindingWork, Progress]
