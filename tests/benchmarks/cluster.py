"""Two replicas of `python -m core serve` against one, and requests while one is killed.

pip install -r requirements-cluster.txt; python -m tests.benchmarks.cluster

Prints sentences a second of one replica and of two, their ratio, and what became of every request sent while a
replica was killed. Ends with 1 where two are less than 1.5 times one, or a request was lost. Each replica has one core,
so this needs a machine with two that has nothing else to do; rounds of one and of two replicas take turns.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import ray

from core.checkpoints.shipped import find_checkpoint
from core.classroom.settings import Settings
from core.cluster.connection import start_cluster
from core.cluster.serving import ServingPlan, start_serving, stop_serving

NEEDED_RATIO = 1.5
MODEL = "ted_pt_en"
PORT = 8123
PATIENCE = 600.0  # seconds that a request may take
SENTENCES = 8  # of the text of one request
ROUNDS = 3  # of each number of replicas, unless --rounds says otherwise
SECONDS = 12.0  # of a round
VISITORS = 32  # who send a text each, again and again: two replicas have full batches then


def plan(replicas: int) -> ServingPlan:
    checkpoints = {MODEL: str(find_checkpoint(MODEL))}
    settings = Settings(max_translation_seconds=PATIENCE)
    return ServingPlan(checkpoints, settings, port=PORT, min_replicas=replicas, max_replicas=replicas)


def visit(seconds: float) -> None:
    """Ask for translations until the time is over; prints how many came, how many did not, and the seconds."""
    text = "\n".join(["eu gosto de livros .", "onde fica a estação ?"] * (SENTENCES // 2))
    request = json.dumps({"model": MODEL, "text": text, "beam_size": 4}).encode()
    start = time.monotonic()
    end = start + seconds

    def person(number: int) -> tuple[int, int]:
        answered = lost = 0
        while time.monotonic() < end:
            try:
                answered += ask(request)
            except urllib.error.URLError as error:
                print(error, file=sys.stderr)
                lost += SENTENCES
        return answered, lost

    with ThreadPoolExecutor(VISITORS) as pool:
        answered, lost = (sum(each) for each in zip(*pool.map(person, range(VISITORS)), strict=True))
    print(answered, lost, time.monotonic() - start)


def ask(request: bytes) -> int:
    """Send a text, a second time where its replica died under it; returns how many sentences came back."""
    address = f"http://127.0.0.1:{PORT}/translate"
    try:
        with urllib.request.urlopen(address, request, timeout=PATIENCE) as answer:
            return len(json.loads(answer.read())["sentences"])
    except urllib.error.HTTPError:
        with urllib.request.urlopen(address, request, timeout=PATIENCE) as answer:
            return len(json.loads(answer.read())["sentences"])


def visitors(seconds: float) -> subprocess.Popen[str]:
    """Visitors in a process of their own, so that they do not wait for what this one does."""
    command = [sys.executable, "-m", "tests.benchmarks.cluster", "--visit", str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def outcome(process: subprocess.Popen[str]) -> tuple[int, int, float]:
    """Sentences answered, sentences lost, seconds."""
    answered, lost, seconds = process.communicate()[0].split()
    return int(answered), int(lost), float(seconds)


def rate(replicas: int) -> float:
    """Sentences a second."""
    start_serving(plan(replicas))
    answered, _, seconds = outcome(visitors(SECONDS))
    return answered / seconds


def kill_one() -> str:
    """End one replica at once, as a machine that goes down does; returns its name."""
    names: Iterable[str] = (each["name"] for each in ray.util.list_named_actors(all_namespaces=True))
    name = next(name for name in names if name.startswith("SERVE_REPLICA"))
    ray.kill(ray.get_actor(name, namespace="serve"), no_restart=True)
    return name


def main(rounds: int) -> int:
    start_cluster(None)
    try:
        rates: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(rounds):
            for replicas, found in rates.items():
                found.append(rate(replicas))
                print(
                    f"{replicas} replica{'s' if replicas > 1 else ''}: {found[-1]:.1f} sentences a second",
                    flush=True,
                )
        ratio = median(rates[2]) / median(rates[1])
        print(f"two against one: {ratio:.2f} (needed: {NEEDED_RATIO})", flush=True)
        process = visitors(SECONDS)
        time.sleep(SECONDS / 3)
        killed = kill_one()
        answered, lost, _ = outcome(process)
        print(f"{killed} was killed: {answered} sentences answered, {lost} lost")
        return 0 if ratio >= NEEDED_RATIO and answered and not lost else 1
    finally:
        stop_serving(joined=False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--visit", type=float)
    options = parser.parse_args()
    if options.visit is None:
        sys.exit(main(options.rounds))
    visit(options.visit)
