"""What somebody asks about the inside of a model, as a job where it takes long."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from typing import Any

from core.classroom.jobs.job import Job, Outcome, Progress, Work

Pause = Callable[[], None]
"""Called between two batches; does not return where somebody has pressed Stop."""


class FindingWork(Work[Progress]):
    """Computes one finding in batches; may be stopped between two of them, and keeps nothing then.

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
        batches = 0

        def pause() -> None:
            nonlocal batches
            report(f"Looking inside: batch {batches + 1}." if batches else "Preparing the model.")
            batches += 1

        self.found = self._find(pause)
        self._progress = Progress(1, 1)
        yield

    def finish(self) -> Outcome:
        return Outcome(finished=True)


FindingJob = Job[FindingWork, Progress]
