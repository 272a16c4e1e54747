from __future__ import annotations

import threading

from core.classroom.jobs.training_job import TrainingJob


class RecentJobs:
    """Keeps only the last few large trainings ready to continue: each of them holds hundreds of megabytes.

    Args:
        most: trainings that may rest and go on later.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._jobs: list[TrainingJob] = []

    def add(self, job: TrainingJob) -> None:
        """Add a training that begins; where there are too many, the oldest one at rest can no longer continue."""
        with self._lock:
            self._jobs = [*(known for known in self._jobs if known is not job), job]
            surplus = len(self._jobs) - self._most
            resting = [known for known in self._jobs if not known.active and known is not job]
            for known in resting[: max(0, surplus)]:
                known.forget()
                self._jobs.remove(known)
