"""Two replicas of `python -m core serve` against one, and requests while one is killed.

pip install -r requirements-cluster.txt; python -m tests.benchmarks.cluster

Prints sentences a second of one replica and of two, their ratio, and what became of every request sent while a
replica was killed. Ends with 1 where two are less than 1.5 times one, or a request was lost. Each replica has one core,
so this needs a machine with two that has nothing else to do.
"""

import json
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import ray

from core.checkpoints.shipped import find_checkpoint
from core.cluster.connection import start_cluster
from core.cluster.serving import ServingPlan, start_serving, stop_serving
from core.server.settings import Settings

NEEDED_RATIO = 1.5
MODEL = "ted_pt_en"
PORT = 8123
PATIENCE = 600.0  # seconds that a request may take
SENTENCES = 8  # of the text of one request
ROUNDS = 3  # of each number of replicas
SECONDS = 12.0  # of a round
VISITORS = 32  # who send a text each, again and again: two replicas have full batches then


def plan(replicas: int) -> ServingPlan:
    checkpoints = {MODEL: str(find_checkpoint(MODEL))}
    settings = Settings(max_translation_seconds=PATIENCE)
    return ServingPlan(checkpoints, settings, port=PORT, min_replicas=replicas, max_replicas=replicas)


def visit(seconds: float) -> tuple[int, int]:
    """Ask for translations until the time is over; returns how many sentences came, and how many did not."""
    text = "\n".join(["eu gosto de livros .", "onde fica a estação ?"] * (SENTENCES // 2))
    request = json.dumps({"model": MODEL, "text": text, "beam_size": 4}).encode()
    end = time.monotonic() + seconds

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
    return answered, lost


def ask(request: bytes) -> int:
    """Send a text, a second time where its replica died under it; returns how many sentences came back."""
    for is_last in (False, True):
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{PORT}/translate", request, timeout=PATIENCE
            ) as answer:
                return len(json.loads(answer.read())["sentences"])
        except urllib.error.HTTPError:
            if is_last:
                raise
    raise AssertionError


def rate(replicas: int) -> float:
    """Return the sentences a second."""
    start_serving(plan(replicas))
    begin = time.monotonic()
    answered, _ = visit(SECONDS)
    return answered / (time.monotonic() - begin)


def kill_one() -> None:
    """End one replica at once, as a machine that goes down does."""
    actors: Iterable[dict[str, str]] = ray.util.list_named_actors(all_namespaces=True)
    name = next(each["name"] for each in actors if each["name"].startswith("SERVE_REPLICA"))
    ray.kill(ray.get_actor(name, namespace="serve"), no_restart=True)


def main() -> int:
    start_cluster(None)
    try:
        rates = {replicas: [rate(replicas) for _ in range(ROUNDS)] for replicas in (1, 2)}
        ratio = median(rates[2]) / median(rates[1])
        print(
            f"sentences a second by replicas: {rates}; ratio {ratio:.2f} (needed: {NEEDED_RATIO})", flush=True
        )
        with ThreadPoolExecutor(1) as pool:
            visitors = pool.submit(visit, SECONDS)
            time.sleep(SECONDS / 3)
            kill_one()
            answered, lost = visitors.result()
        print(f"one of them was killed: {answered} sentences answered, {lost} lost")
        return 0 if ratio >= NEEDED_RATIO and answered and not lost else 1
    finally:
        stop_serving(joined=False)


if __name__ == "__main__":
    sys.exit(main())
