"""What the three pages that look inside cost: a fresh server, both shipped models, a visitor without a browser.

    python -m tests.benchmarks.look_inside                 # all, about ten minutes
    python -m tests.benchmarks.look_inside --only pages    # or sizes, memory, sources

Every opening has a sentence that the server has not seen, so that all is computed anew; what is traced and compiled
once a server has come to rest before. A figure is the smaller of the seconds that somebody waits and of the server's CPU
time, the median of some rounds: other work on the machine lengthens the one, the server's own other threads the
other. Exits with 1 where a mark is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

import numpy as np

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from core.corpora.catalogue import CORPORA, sample_pairs
from core.interpretability.contributions import alti_shares, possible_hallucinations
from core.interpretability.faithfulness import erasure_curves
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.words import attention_of_words, merged_words
from tests.benchmarks.server_memory import resident_bytes
from tests.benchmarks.server_time import cpu_seconds, server_of, wait_until_quiet
from tests.benchmarks.visitor import Visitor
from tests.browser.app import running_app

ROUNDS = 5
TED = "ted_pt_en"
SENTENCES = 20  # of the memory's mark
TRACED, ERASED = 70, 30  # validation sentences: for the source's share of each word; erased word by word

View = tuple[str, dict[str, str]]  # page, and its address

MAPS: tuple[View, ...] = tuple(
    ("attention_maps", {"view": view}) for view in ("overview", "head", "lines", "words", "facts")
)
DECODING: tuple[View, ...] = (
    ("decoding", {"search": "greedy"}),
    ("decoding", {"search": "beam", "beams": "4"}),
    ("decoding", {"search": "sample"}),
)
INSIDE: tuple[View, ...] = tuple(
    ("inside", {"inside": view}) for view in ("lens", "heads", "source", "honest", "patch")
)


class Marks:
    """Prints figures beside their marks, and remembers whether one was missed."""

    missed = False

    def say(self, name: str, value: float, most: float, unit: str) -> None:
        """One figure."""
        self.missed |= value > most
        print(
            f"{name}: {value:.3g} {unit} (at most {most:g}){'  MISSED' if value > most else ''}", flush=True
        )


def sentence(checkpoint: Checkpoint, tokens: int, number: int) -> str:
    """A sentence of so many tokens of a model's, another one for each number."""
    tokenizer = checkpoint.source_tokenizer
    texts = [pair.source.rstrip("?. ") for pair in checkpoint.examples]
    words: list[str] = []
    place = number
    while len(tokenizer.encode(" ".join([*words, "."]))) < tokens:
        words += [*texts[place % len(texts)].split(), ","]
        place += 1 + number // len(texts)
    while len(tokenizer.encode(" ".join([*words, "."]))) > tokens:
        words.pop()
    return " ".join([*words, "."])


async def opened(visitor: Visitor, view: View, model: str, text: str) -> int:
    """Open a view by a link; bytes that came. Long computations are followed to their end."""
    page, address = view
    await visitor.open(page, urlencode({"model": model, "sentence": text, **address}))
    most = visitor.screen.bytes
    while visitor.working:
        await visitor.follow()
        most = max(most, visitor.screen.bytes)
    return most


async def seconds_of(server: int, works: Iterable[Callable[[], Awaitable[object]]]) -> float:
    """What some works of one kind take, one after another."""
    found = []
    for work in works:
        wall, cpu = time.perf_counter(), cpu_seconds(server)
        await work()
        found.append(min(time.perf_counter() - wall, cpu_seconds(server) - cpu))
    return median(found)


async def warm(address: str, server: int, checkpoints: dict[str, Checkpoint]) -> Visitor:
    """A visitor who has seen every view with both models; everything is traced and compiled."""
    visitor = await Visitor(address).__aenter__()
    await visitor.open()
    for model, checkpoint in checkpoints.items():
        for view in (*MAPS, *DECODING, *INSIDE):
            begin = time.perf_counter()
            await opened(visitor, view, model, sentence(checkpoint, 20, 0))
            print(f"first opening, {model}, {view[1]}: {time.perf_counter() - begin:.1f} s", flush=True)
    wait_until_quiet(server)
    return visitor


async def pages(visitor: Visitor, server: int, ted: Checkpoint, marks: Marks) -> None:
    """Openings of sentences that are new, and presses."""

    def openings(view: View, first: int) -> list[Callable[[], Awaitable[object]]]:
        texts = [sentence(ted, 20, first + number) for number in range(ROUNDS)]
        greedy = (
            view[0],
            {"search": "greedy", **view[1]},
        )  # the views before have left the tab with sampling
        return [partial(opened, visitor, greedy, TED, text) for text in texts]

    for number, (view, most) in enumerate(
        ((MAPS[0], 0.5), (MAPS[1], 0.25), (DECODING[0], 0.25), (INSIDE[0], 0.25))
    ):
        seconds = await seconds_of(server, openings(view, (number + 1) * ROUNDS))
        marks.say(f"opening a new sentence of 20 tokens, {view[0]} {view[1]}", seconds, most, "s")

    text = sentence(ted, 20, 0)
    ids = ted.target_tokenizer.encode("we they you he she it")
    presses: dict[str, list[View]] = {
        "a step": [("decoding", {"at": str(step)}) for step in range(2, 2 + ROUNDS)],
        "a forced token": [("decoding", {"said": f"f{token}"}) for token in ids[:ROUNDS]],
        "a head switched off": [
            ("inside", {"inside": "heads", "off_cross": f"{head // 4 + 1}.{head % 4 + 1}"})
            for head in range(ROUNDS)
        ],
    }
    for name, views in presses.items():
        await opened(
            visitor, (views[0][0], {"inside": "heads"} if views[0][0] == "inside" else {}), TED, text
        )
        works = [partial(opened, visitor, view, TED, text) for view in views]
        marks.say(name, await seconds_of(server, works), 0.15, "s")


async def sizes(visitor: Visitor, ted: Checkpoint, marks: Marks) -> None:
    """What is sent to the browser, the most of all views."""
    for tokens, most in ((30, 1.0), (128, 4.0)):
        text = sentence(ted, tokens, 1)
        found = {
            str(view): await opened(visitor, view, TED, text) / 1e6 for view in (*MAPS, *DECODING, *INSIDE)
        }
        largest = max(found, key=found.__getitem__)
        marks.say(f"sent for {tokens} tokens, {largest}", found[largest], most, "MB")


async def memory(visitor: Visitor, server: int, checkpoints: dict[str, Checkpoint], marks: Marks) -> None:
    """Sentences through every view with both models, as somebody does in ten minutes."""
    before = resident_bytes(os.getpid())
    for number in range(SENTENCES):
        for model, checkpoint in checkpoints.items():
            for view in (*MAPS, *DECODING, *INSIDE):
                await opened(visitor, view, model, sentence(checkpoint, 12 + number, 40 + number))
    wait_until_quiet(server)
    marks.say("memory added", (resident_bytes(os.getpid()) - before) / 1e6, 150, "MB")


def sources() -> None:
    """What the measures of *What the model computes* find on validation sentences; there is no mark."""
    checkpoint = Checkpoint.load(shipped_checkpoints()[TED])
    translator = checkpoint.translator()
    tracer = Tracer(translator)
    texts = [pair.source for pair in sample_pairs(CORPORA[TED].read("validation"), TRACED)]
    written = [found.best.ids for found in translator.translate(texts)]
    read = [translator.source_tokenizer.encode(text) for text in texts]
    for what, shift in (("its own translations", 0), ("those of other sentences", 1)):
        low = words = 0
        for ids, target in zip(read, written[shift:] + written[:shift], strict=True):
            pair = ForcedPair.of_ids(translator, ids, target)
            trace = tracer.trace(pair.source[None], pair.decoder_input[None])
            target_words, source_words = merged_words(pair.predicted_tokens), merged_words(pair.source_tokens)
            shares = alti_shares(translator.config, checkpoint.weights, trace).source
            share = attention_of_words(shares, target_words, source_words).sum(axis=1)
            low += len(possible_hallucinations(target_words, share))
            words += len(
                possible_hallucinations(target_words, np.zeros_like(share))
            )  # all that may be marked
        print(
            f"less than half from the source by ALTI+, in {what}: {low} of {words} words ({low / words:.3f})"
        )
    areas: dict[str, list[float]] = {}
    for ids, target in list(zip(read, written, strict=True))[:ERASED]:
        pair = ForcedPair.of_ids(translator, ids, target)
        curves = erasure_curves(tracer, checkpoint.weights, pair, merged_words(pair.source_tokens))
        for measure in curves.curves:
            areas.setdefault(measure, []).append(curves.area(measure))
    for measure, found_areas in sorted(areas.items(), key=lambda item: sum(item[1])):
        print(f"mean log P while words are erased by {measure}: {np.mean(found_areas):.2f}")


async def on_a_server(parts: set[str], marks: Marks) -> None:
    checkpoints = {name: Checkpoint.load(folder) for name, folder in shipped_checkpoints().items()}
    with running_app(Path(tempfile.mkdtemp()) / "server.log") as address:
        server = server_of(os.getpid())
        visitor = await warm(address, server, checkpoints)
        if "pages" in parts:
            await pages(visitor, server, checkpoints[TED], marks)
        if "sizes" in parts:
            await sizes(visitor, checkpoints[TED], marks)
        if "memory" in parts:
            await memory(visitor, server, checkpoints, marks)
        await visitor.__aexit__()


def main() -> int:
    parts = ("pages", "sizes", "memory", "sources")
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=parts)
    only = parser.parse_args().only
    chosen = {only} if only else set(parts)
    marks = Marks()
    if chosen - {"sources"}:
        asyncio.run(on_a_server(chosen, marks))
    if "sources" in chosen:
        sources()
    return int(marks.missed)


if __name__ == "__main__":
    sys.exit(main())
