"""A class on one link: visitors who translate, look around and train at the same time, on a fresh server.

    python -m tests.benchmarks.load               # 30 visitors for 3 minutes
    python -m tests.benchmarks.load --visitors 60

All arrive within a minute and click every 3 to 10 s; two of them train the classroom model again and again. In the
end all press Translate in the same second. They speak Streamlit's protocol (tests/benchmarks/visitor.py) from a
process of their own. Prints how long people wait and what the server weighs; exits with 1 where a mark is missed.
Nothing else should run on the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

from tests.benchmarks.server_process import resident_megabytes, server_of
from tests.benchmarks.visitor import Visitor, VisitorError
from tests.browser.app import running_app

os.environ.setdefault("MALLOC_ARENA_MAX", "2")  # the server's, as in the Dockerfile
ARRIVAL_SECONDS = 60.0
PAUSE_SECONDS = (3.0, 10.0)
NUM_TRAINING = 2
PAGES = (
    "", "text_as_numbers", "positional_encoding", "attention_by_hand", "masks", "learning_rate", "architecture",
    "attention_maps", "train", "checkpoints",
)  # fmt: skip
SENTENCES = (
    "este é um problema que temos que resolver.", "os meus amigos moram em lisboa.", "eu gosto de ler livros.",
    "onde fica a estação de comboios?", "a música é uma língua.", "as crianças aprendem depressa.",
    "o mundo está a mudar.", "obrigado a todos.", "isto não é fácil.", "nós vivemos numa cidade pequena.",
)  # fmt: skip
WORDS = ("hoje", "amanhã", "agora", "sempre", "talvez", "depois", "então", "aqui")


@dataclass(frozen=True)
class Marks:
    """Seconds that people may wait, and megabytes."""

    translation_p95: float = 0.3
    page_p95: float = 2.0
    health_p95: float = 0.2
    training_p95: float = 30.0
    together: float = 2.5  # until the last of all who press in the same second has an answer
    megabytes: float = 900


MARKS = {30: Marks(), 60: Marks(4.0, 4.0, 4.0, 60.0, 5.0, 1000)}


@dataclass
class Measured:
    """What a class has waited for."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # by kind
    errors: list[str] = field(default_factory=list)
    most_megabytes: float = 0.0


async def student(address: str, number: int, end: float, measured: Measured) -> None:
    """Translate, and look at pages in between."""
    chance = random.Random(number)
    async with Visitor(address) as visitor:
        await visitor.open()
        while time.perf_counter() < end:
            await asyncio.sleep(chance.uniform(*PAUSE_SECONDS))
            if chance.random() < 0.5:
                await _translate(visitor, chance, measured)
            else:
                measured.seconds["page"].append(await visitor.open(chance.choice(PAGES)))


async def _translate(visitor: Visitor, chance: random.Random, measured: Measured) -> None:
    if visitor.page != "translate":  # other pages have such a box too
        measured.seconds["page"].append(await visitor.open("translate"))
        await asyncio.sleep(chance.uniform(1.0, 3.0))  # reading and typing
    text = chance.choice(SENTENCES)
    if chance.random() < 0.5:  # the others type the same example
        text = f"{chance.choice(WORDS)} {chance.choice(WORDS)} {text}"
    begin = time.perf_counter()
    await visitor.type("A text", text, press="Translate")
    await visitor.wait_for("What the model reads")
    measured.seconds["translation"].append(time.perf_counter() - begin)


async def trainer(address: str, number: int, end: float, measured: Measured) -> None:
    """Train the classroom model, look at it learning, and begin again."""
    chance = random.Random(number)
    async with Visitor(address, "train") as visitor:
        await visitor.open()
        button = "Start"
        while time.perf_counter() < end:
            begin = time.perf_counter()
            await visitor.press(button)
            button = "Retrain from scratch"
            while visitor.working:
                await visitor.follow()
            measured.seconds["training"].append(time.perf_counter() - begin)
            await asyncio.sleep(chance.uniform(*PAUSE_SECONDS))


async def watch_health(address: str, end: float, measured: Measured) -> None:
    """Ask once a second whether the server is there, and what it weighs."""

    def ask() -> float:
        begin = time.perf_counter()
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=60):
            return time.perf_counter() - begin

    while time.perf_counter() < end:
        measured.seconds["health"].append(await asyncio.to_thread(ask))
        measured.most_megabytes = max(measured.most_megabytes, resident_megabytes(server_of(os.getpid())))
        await asyncio.sleep(1.0)


async def all_together(address: str, visitors: int) -> list[float]:
    """Return how long each waits for a translation where all press in the same second."""

    async def come(number: int, ready: asyncio.Barrier) -> float:
        async with Visitor(address, "translate") as visitor:
            await visitor.open()
            text = f"{WORDS[number % len(WORDS)]} {SENTENCES[number % len(SENTENCES)]}"
            await ready.wait()
            begin = time.perf_counter()
            await visitor.type("A text", text, press="Translate")
            await visitor.wait_for("What the model reads")
            return time.perf_counter() - begin

    ready = asyncio.Barrier(visitors)
    return await asyncio.gather(*(come(number, ready) for number in range(visitors)))


async def a_class(address: str, visitors: int, seconds: float) -> Measured:
    """Let a class use the app."""
    measured = Measured()
    end = time.perf_counter() + ARRIVAL_SECONDS + seconds

    async def come(number: int) -> None:
        await asyncio.sleep(ARRIVAL_SECONDS * number / visitors)
        visit = trainer if number % (visitors // NUM_TRAINING) == 1 else student
        try:
            await visit(address, number, end, measured)
        except (VisitorError, TimeoutError, OSError) as error:
            measured.errors.append(f"visitor {number}: {error!r:.300}")

    await asyncio.gather(watch_health(address, end, measured), *(come(number) for number in range(visitors)))
    measured.seconds["together"] = await all_together(address, visitors)
    return measured


def percentile(seconds: list[float], part: int) -> float:
    """Of some times; infinity where there are none."""
    if len(seconds) < 2:
        return seconds[0] if seconds else float("inf")
    return quantiles(seconds, n=100, method="inclusive")[part - 1]


def report(measured: Measured, marks: Marks) -> bool:
    """Print all figures beside their marks; whether all are met."""
    figures = {
        "translation, p95": (percentile(measured.seconds["translation"], 95), marks.translation_p95),
        "any page, p95": (percentile(measured.seconds["page"], 95), marks.page_p95),
        "health, p95": (percentile(measured.seconds["health"], 95), marks.health_p95),
        "training with its waiting, p95": (percentile(measured.seconds["training"], 95), marks.training_p95),
        "the last of all who press together": (max(measured.seconds["together"]), marks.together),
    }
    for name, (value, mark) in figures.items():
        print(f"{name}: {value:.2f} s (at most {mark:g})")
    print(f"memory at most: {measured.most_megabytes:.0f} MB (at most {marks.megabytes:g})")
    counts = ", ".join(f"{len(values)} × {kind}" for kind, values in sorted(measured.seconds.items()))
    print(f"{counts}; {len(measured.errors)} errors", *measured.errors[:10], sep="\n  ")
    return (
        not measured.errors
        and all(value <= mark for value, mark in figures.values())
        and measured.most_megabytes <= marks.megabytes
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--visitors", type=int, choices=sorted(MARKS), default=30)
    parser.add_argument("--seconds", type=float, default=180.0, help="after all have arrived")
    options = parser.parse_args()
    with running_app(Path(tempfile.mkdtemp()) / "server.log") as address:
        measured = asyncio.run(a_class(address, options.visitors, options.seconds))
    return 0 if report(measured, MARKS[options.visitors]) else 1


if __name__ == "__main__":
    sys.exit(main())
