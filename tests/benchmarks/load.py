"""A class on one link: visitors who translate, look around and train at the same time, on a fresh server.

    python -m tests.benchmarks.load               # 30 visitors for 3 minutes
    python -m tests.benchmarks.load --visitors 60

All arrive within a minute and click every 3 to 10 s; two of them train the classroom model again and again. In the
end all press Translate in the same second. They speak Streamlit's protocol (tests/benchmarks/visitor.py) from a
process of their own. Prints how long people wait and what the server weighs; exits with 1 where a target is missed.
Nothing else should run on the machine.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from core.trainer.client import IDLE_SECONDS
from tests.benchmarks.visitor import Visitor, VisitorError, megabytes_of, server_processes
from tests.browser.app import running_app

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

Seconds = dict[str, list[float]]  # that people have waited, by kind


class Targets(NamedTuple):
    """What is allowed, by the number of visitors."""

    translation: float  # seconds, p95
    opening: float  # seconds until the app is drawn for somebody who comes, p95
    page: float  # seconds, p95
    health: float  # seconds, p95, of the server's own check
    training: float  # seconds with its waiting, p95
    together: float  # seconds until the last of all who press in the same second has an answer
    server: float  # MB at most, of the web process
    everything: float  # MB at most, of it and the trainer
    afterwards: float  # MB, when everyone has left and the trainer has ended


TARGETS = {
    30: Targets(0.6, 0.6, 0.25, 0.05, 30.0, 2.5, 450, 1250, 450),
    60: Targets(4.0, 4.0, 4.0, 1.0, 60.0, 5.0, 600, 1400, 600),
}


async def translate(visitor: Visitor, text: str) -> float:
    """Return how long a visitor on Translate waits for a translation."""
    begin = time.perf_counter()
    await visitor.type("A text", text, press="Translate")
    await visitor.wait_for("What the model reads")
    return time.perf_counter() - begin


async def train(visitor: Visitor, button: str) -> float:
    """Return how long a visitor on Train waits for a trained model."""
    begin = time.perf_counter()
    await visitor.press(button)
    while visitor.working:
        await visitor.follow()
    return time.perf_counter() - begin


async def student(address: str, number: int, end: float, waited: Seconds) -> None:
    """Translate, and look at pages in between."""
    chance = random.Random(number)
    async with Visitor(address) as visitor:
        waited["opening"].append(await visitor.open())
        while time.perf_counter() < end:
            await asyncio.sleep(chance.uniform(*PAUSE_SECONDS))
            if chance.random() < 0.5:
                waited["page"].append(await visitor.open(chance.choice(PAGES)))
                continue
            if visitor.page != "translate":  # other pages have such a box too
                waited["page"].append(await visitor.open("translate"))
                await asyncio.sleep(chance.uniform(1.0, 3.0))  # reading and typing
            text = chance.choice(SENTENCES)
            if chance.random() < 0.5:  # the others type the same example
                text = f"{chance.choice(WORDS)} {chance.choice(WORDS)} {text}"
            waited["translation"].append(await translate(visitor, text))


async def trainer(address: str, number: int, end: float, waited: Seconds) -> None:
    """Train the classroom model, look at it learning, and begin again."""
    chance, button = random.Random(number), "Start"
    async with Visitor(address, "train") as visitor:
        waited["opening"].append(await visitor.open())
        while time.perf_counter() < end:
            waited["training"].append(await train(visitor, button))
            button = "Retrain from scratch"
            await asyncio.sleep(chance.uniform(*PAUSE_SECONDS))


async def all_together(address: str, visitors: int) -> list[float]:
    """Return how long each waits for a translation where all press in the same second."""
    ready = asyncio.Barrier(visitors)

    async def come(number: int) -> float:
        async with Visitor(address, "translate") as visitor:
            await visitor.open()
            await ready.wait()
            return await translate(visitor, f"{WORDS[number % 8]} {SENTENCES[number % 10]}")

    return await asyncio.gather(*(come(number) for number in range(visitors)))


def check_health(address: str) -> float:
    """Return how long the server takes to say that it lives, which a platform asks."""
    begin = time.perf_counter()
    with urllib.request.urlopen(f"{address}/_stcore/health", timeout=30):
        return time.perf_counter() - begin


def weigh() -> tuple[float, float]:
    """Return the megabytes of the web process, and of it and the trainer together."""
    processes = {kind: megabytes_of(pid) for pid, kind in server_processes().items()}
    return processes["server"], sum(processes.values())


async def a_class(address: str, visitors: int, seconds: float) -> tuple[Seconds, list[str]]:
    """Let a class use the app; returns what it waited, with its megabytes, and what went wrong."""
    waited: Seconds = defaultdict(list)
    errors: list[str] = []
    end = time.perf_counter() + ARRIVAL_SECONDS + seconds

    async def come(number: int) -> None:
        await asyncio.sleep(ARRIVAL_SECONDS * number / visitors)
        visit = trainer if number % (visitors // NUM_TRAINING) == 1 else student
        try:
            await visit(address, number, end, waited)
        except (VisitorError, TimeoutError, OSError) as error:
            errors.append(f"visitor {number}: {error!r:.300}")

    async def watch() -> None:
        while time.perf_counter() < end:
            server, everything = weigh()
            waited["server"].append(server)
            waited["everything"].append(everything)
            waited["health"].append(await asyncio.to_thread(check_health, address))
            await asyncio.sleep(1.0)

    await asyncio.gather(watch(), *(come(number) for number in range(visitors)))
    waited["together"] = await all_together(address, visitors)
    return waited, errors


def percentile_95(seconds: list[float]) -> float:
    """Of some times; infinity where there are none."""
    if len(seconds) < 2:
        return seconds[0] if seconds else float("inf")
    return quantiles(seconds, n=20, method="inclusive")[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--visitors", type=int, choices=sorted(TARGETS), default=30)
    parser.add_argument("--seconds", type=float, default=180.0, help="after all have arrived")
    options = parser.parse_args()
    with running_app(Path(tempfile.mkdtemp()) / "server.log") as address:
        waited, errors = asyncio.run(a_class(address, options.visitors, options.seconds))
        print(f"all have left; in {IDLE_SECONDS:.0f} s the trainer ends", flush=True)
        time.sleep(IDLE_SECONDS + 10)
        waited["afterwards"].append(weigh()[1])
    targets = TARGETS[options.visitors]._asdict()
    most = ("together", "server", "everything", "afterwards")
    found = {
        kind: max(waited[kind]) if kind in most else percentile_95(waited[kind]) for kind in Targets._fields
    }
    for kind, value in found.items():
        print(f"{kind}: {value:.2f} (at most {targets[kind]:g}); measured {len(waited[kind])} times")
    if waited["training"]:
        print(f"training, median: {median(waited['training']):.1f} s")
    print(f"{len(errors)} errors", *errors[:10], sep="\n  ")
    return int(bool(errors) or any(value > targets[kind] for kind, value in found.items()))


if __name__ == "__main__":
    sys.exit(main())
