"""What somebody asks about the inside of a model, as a job where it takes long."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from typing import Any

from core.classroom.duration import duration
from core.classroom.jobs.job import Job, Outcome, Progress, Work

Pause = Callable[[], None]
"""Called between two batches; does not return where somebody has pressed Stop, or nobody is there."""


class _NobodyThereError(Exception):
    """The tab that has asked has gone."""


class FindingWork(Work[Progress]):
    """Computes one finding in batches, and lets others have their turns between two of them.

    It may be stopped there, and stops by itself when nobody is there; it keeps nothing then.

    Args:
        key: all that the finding depends on.
        find: computes it, pausing between batches.
        keep_on: whether anybody still waits for it; asked between batches.
    """

    failure_message = "The analysis failed on the server. Try another sentence."
    reports_batches = True

    def __init__(self, key: Hashable, find: Callable[[Pause], Any], keep_on: Callable[[], bool]) -> None:
        self.key = key
        self.found: Any = None  # when it is finished
        self._find = find
        self._keep_on = keep_on
        self._progress = Progress(0, 1)

    def progress(self) -> Progress:
        return self._progress

    def steps(self, report: Callable[[str], None]) -> Generator[None]:
        batches = 0

        def pause() -> None:
            nonlocal batches
            if not self._keep_on():
                raise _NobodyThereError
            report(f"Looking inside: batch {batches + 1}." if batches else "Preparing the model.")
            batches += 1

        try:
            self.found = self._find(pause)
        except _NobodyThereError:
            return
        self._progress = Progress(1, 1)
        yield

    def finish(self) -> Outcome:
        if self.progress().done:
            return Outcome(finished=True)
        return Outcome(
            False, "The analysis stopped when its tab was closed. Press Continue to start it over."
        )

    def time_limit_message(self, seconds: float) -> str:
        return f"An analysis stops by itself after {duration(seconds)}, to let others work. Try a shorter sentence."


FindingJob = Job[FindingWork, Progress]
