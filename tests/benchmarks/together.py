"""Thirty people who press Translate in the same second: after how long the last one has an answer.

    python -m tests.benchmarks.together

Each translates another sentence with a shipped checkpoint and has its attention explained, in a thread of its own and
through the app's gate, as pages do. Exits with 1 where the last answer comes too late.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the app has it

import sys
import time
from concurrent.futures import ThreadPoolExecutor

from core.checkpoints.shipped import FIRST, shipped_checkpoints
from core.classroom.gate import compute_gate
from core.classroom.shipped_models import open_shipped
from core.classroom.trained_model import TrainedModel

PEOPLE = 30
SECONDS = 2.5
TURNS = 3  # the slowest counts


def sentences_of(model: TrainedModel) -> list[str]:
    """As many different sentences as there are people: beginnings of the checkpoint's examples."""
    words = [pair.source.split() for pair in model.checkpoint.examples]
    beginnings = [" ".join(each[:length]) for length in range(5, 12) for each in words if len(each) >= length]
    return [beginnings[number % len(beginnings)] for number in range(PEOPLE)]


def seconds_to_answer(model: TrainedModel, sentences: list[str]) -> list[float]:
    """How long each waits, all asking at once."""
    began = time.perf_counter()

    def ask(sentence: str) -> float:
        with compute_gate():
            translation = model.translator.translate_typed([sentence])[0]
        with compute_gate():
            model.translator.explain(translation)
        return time.perf_counter() - began

    with ThreadPoolExecutor(PEOPLE) as people:
        return sorted(people.map(ask, sentences))


def main() -> int:
    model = open_shipped(FIRST, shipped_checkpoints()[FIRST])
    assert model is not None
    sentences = sentences_of(model)
    slowest = 0.0
    for _ in range(TURNS):
        waited = seconds_to_answer(model, sentences)
        slowest = max(slowest, waited[-1])
        print(f"half have an answer after {waited[PEOPLE // 2]:.2f} s, all after {waited[-1]:.2f} s")
    print(f"the last at most after {slowest:.2f} s (at most {SECONDS:g})")
    return int(slowest > SECONDS)


if __name__ == "__main__":
    sys.exit(main())
