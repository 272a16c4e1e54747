"""What the pages that look inside cost: a fresh server, both shipped models, a visitor without a browser.

    python -m tests.benchmarks.look_inside

Opens each view, and the living picture, for the first time since the server's start, with sentences of 20 tokens;
then prints the memory of the server, which has trained nothing. Exits with 1 where a target is missed. Nothing else
should run on the machine.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from pages.content.reader import PAGE_TEXTS
from tests.benchmarks.visitor import Visitor, megabytes_of, server_processes
from tests.browser.app import running_app

MAX_SECONDS, MAX_MEGABYTES = 0.5, 350
TOKENS = 20
VIEWS = (  # page, and its address
    *(("attention_maps", {"maps_view": title}) for title in ("Heat maps", "Linked words", "Head statistics")),
    *(("decoding", {"search": title}) for title in ("Greedy", "Beam search", "Sampling")),
    *(("inside", {"inside_view": texts.title}) for texts in PAGE_TEXTS["inside"].views.values()),
    ("architecture", {"architecture_view": "Living picture"}),
)


def sentence(checkpoint: Checkpoint, number: int) -> str:
    """Return a sentence of at most TOKENS tokens, another one for each number."""
    texts = [pair.source.rstrip("?. ") for pair in checkpoint.examples]
    words = [word for place in range(3) for word in (*texts[(number + place) % len(texts)].split(), ",")]
    while len(checkpoint.source_tokenizer.encode(" ".join([*words, "."]))) > TOKENS:
        words.pop()
    return " ".join([*words, "."])


async def seconds_to_open(visitor: Visitor, page: str, address: dict[str, str]) -> float:
    """Open a view by a link; long computations are followed to their end."""
    begin = time.perf_counter()
    await visitor.open(page, urlencode(address))
    while visitor.working:
        await visitor.follow()
    return time.perf_counter() - begin


async def open_all(address: str) -> float:
    """Open every view with both models; return the longest time."""
    slowest = 0.0
    async with Visitor(address) as visitor:
        await visitor.open()
        for name, file in shipped_checkpoints().items():
            checkpoint = Checkpoint.load(file)
            for number, (page, view) in enumerate(VIEWS):
                link = {
                    "model": checkpoint.name,
                    "sentence": sentence(checkpoint, number),
                    "search": "Greedy",
                    **view,
                }
                seconds = await seconds_to_open(visitor, page, link)
                slowest = max(slowest, seconds)
                print(f"{name}, {page} {view}: {seconds:.2f} s", flush=True)
    return slowest


def main() -> int:
    with running_app(Path(tempfile.mkdtemp()) / "server.log") as address:
        slowest = asyncio.run(open_all(address))
        (server,) = server_processes()
        megabytes = megabytes_of(server)
    print(f"slowest first opening / target: {slowest:.2f} s / {MAX_SECONDS} s = {slowest / MAX_SECONDS:.2f}")
    print(f"memory / target: {megabytes:.0f} MB / {MAX_MEGABYTES} MB = {megabytes / MAX_MEGABYTES:.2f}")
    return int(slowest > MAX_SECONDS or megabytes > MAX_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
