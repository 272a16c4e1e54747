from __future__ import annotations

import threading

from core.classroom.jobs.training_job import TrainingJob


class RecentJobs:
    """Lets only the last few large trainings be continued: each at rest holds hundreds of megabytes.

    Args:
        most: trainings that may rest and go on later.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._jobs: list[TrainingJob] = []

    def add(self, job: TrainingJob) -> None:
        """A training that begins; the oldest at rest beyond the most forgets how to go on."""
        with self._lock:
            self._jobs = [*(known for known in self._jobs if known is not job), job]
            surplus = len(self._jobs) - self._most
            resting = [known for known in self._jobs if not known.active and known is not job]
            for known in resting[: max(0, surplus)]:
                known.forget()
                self._jobs.remove(known)
