"""Two hundred people who press Translate at once, against as many one after another.

    python -m tests.benchmarks.together

All go through the app's own jobs, queue and shared batches, with a shipped checkpoint. Programs are compiled before
the clock starts. Exits with 1 where the ratio of both throughputs is below the mark.
"""

from __future__ import annotations

import os
import sys
import time

from core.checkpoints.shipped import FIRST, shipped_checkpoints
from core.classroom.jobs.queue import JobQueue
from core.classroom.jobs.shared_batches import MAX_TRANSLATIONS
from core.classroom.jobs.translation_job import TranslationJob, TranslationRequest, TranslationWork
from core.classroom.shipped_models import open_shipped
from core.classroom.trained_model import TrainedModel
from core.config import DecodingConfig

PEOPLE = 200
RATIO = 4.0
TURNS = 3  # of each; the shortest counts


def texts_of(model: TrainedModel) -> list[str]:
    """As many different texts as there are people: beginnings of the checkpoint's examples."""
    words = [pair.source.split() for pair in model.checkpoint.examples]
    beginnings = [" ".join(each[:length]) for length in range(3, 12) for each in words if len(each) >= length]
    return [beginnings[number % len(beginnings)] for number in range(PEOPLE)]


def job_of(model: TrainedModel, text: str, queue: JobQueue) -> TranslationJob:
    """One person's job, not yet started."""
    work = TranslationWork(TranslationRequest(model, (text,), DecodingConfig()), lambda: True)
    return TranslationJob(work, queue, 1000.0)


def seconds(model: TrainedModel, texts: list[str], at_once: bool) -> tuple[float, list[str]]:
    """How long all take, and their translations."""
    queue = JobQueue(MAX_TRANSLATIONS, PEOPLE)
    jobs = [job_of(model, text, queue) for text in texts]
    begin = time.perf_counter()
    for job in jobs:
        job.start()
        if not at_once:
            job.wait()
    for job in jobs:
        job.wait()
    took = time.perf_counter() - begin
    return took, [job.view().progress.texts[0].text for job in jobs]


def main() -> int:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    model = open_shipped(FIRST, shipped_checkpoints()[FIRST])
    assert model is not None
    texts = texts_of(model)
    for rows in (1, 4, 16):
        model.translator.compile_now(texts[:rows])
    apart, together = float("inf"), float("inf")
    for _ in range(TURNS):
        took, expected = seconds(model, texts, at_once=False)
        apart = min(apart, took)
        took, found = seconds(model, texts, at_once=True)
        together = min(together, took)
        same = sum(a == b for a, b in zip(found, expected, strict=True))
        assert same == PEOPLE, f"only {same} translations are what they are alone"
    print(f"one after another {PEOPLE / apart:6.0f} translations a second")
    print(f"at once           {PEOPLE / together:6.0f} translations a second")
    print(f"{apart / together:.1f} x (at least {RATIO:g})")
    return int(apart / together < RATIO)


if __name__ == "__main__":
    sys.exit(main())
