"""Translating with the tutorial's 4 x 128 sizes: against CTranslate2, and against the tutorial's own loop.

    pip install ctranslate2
    python -m tests.benchmarks.translation

CTranslate2 opens the same weights, in float32 on one thread; both must find the same tokens. The weights are
random, but for one channel that makes the twentieth token an end, as a trained model's sentences end long
before the limit. Sentences have 20 tokens, the translations too. Exits with 1 where a figure the project
promises is missed.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig
from core.model.weight_shapes import Weights, initial_weights, weight_shapes
from core.theory.positional_encoding import sinusoidal_encoding

LENGTH = 20  # tokens of each sentence and of its translation, end included
BATCH = 64
SOURCE_BUCKET = 32  # what the app pads 20 tokens to
CONFIG = ModelConfig(
    source_vocab_size=8000,
    target_vocab_size=8000,
    num_layers=4,
    d_model=128,
    num_heads=8,
    d_ff=512,
    max_source_length=128,
    max_target_length=128,
    positional_encoding="learned",
)
ONE_RATIO, BATCH_RATIO, EAGER_RATIO, BEAM_RATIO = 1.2, 1.0, 200.0, 3.0

Search = Callable[[], list[list[int]]]


def ending_weights(config: ModelConfig, seed: int, length: int) -> Weights:
    """Random weights of a model that ends each sentence with its token number `length`.

    Channel 0 of the target's hidden states is kept for that: positions alone write to it, the output alone
    reads from it.
    """
    random = np.random.default_rng(seed)
    weights = initial_weights(config, seed)
    for name, array in weights.items():
        if name.endswith(("bias", "beta")):
            array += 0.1 * random.standard_normal(array.shape).astype(np.float32)
        if name.startswith("decoder") and name.endswith(("output/kernel", "outer/kernel")):
            array[:, 0] = 0
        if name.startswith("decoder") and name.endswith(("output/bias", "outer/bias", "beta")):
            array[0] = 0
    weights["target_embedding/tokens/embeddings"] *= 4  # so that the next token depends on the last
    weights["target_embedding/tokens/embeddings"][:, 0] = 0
    positions = sinusoidal_encoding(config.max_target_length, config.d_model) / config.d_model**0.5
    positions[:, 0] = -0.5
    positions[length - 1, 0] = 30
    weights["target_embedding/positions/embeddings"][:] = positions
    kernel, bias = weights["output/kernel"], weights["output/bias"]
    kernel *= 32  # sharp, like a trained model
    kernel[0], kernel[:, 3] = 0, 0
    kernel[0, 3] = 100
    bias[:3] = -1e4  # CTranslate2 would say pad, unknown and start
    return weights


class Ours:
    """The compiled searches that the app uses."""

    def __init__(self, weights: Weights, source: NDArray[np.int32]) -> None:
        import tensorflow as tf

        from core.decoding.compiled import pack

        self.weights = pack([tf.constant(weights[name]) for name in weight_shapes(CONFIG)])
        self.source = np.pad(source, ((0, 0), (0, SOURCE_BUCKET - source.shape[1])))

    def search(self, rows: int, beam_size: int) -> Search:
        """A search for the best translations of the first sentences."""
        from core.decoding.compiled import compiled_search

        search = compiled_search(CONFIG, beam_size)
        source = self.source[:rows]
        search.compile_now(self.weights, source)
        return lambda: [
            [id_ for id_ in ids if id_]
            for ids in search(self.weights, source, 0.6).ids.numpy()[:, 0].tolist()
        ]


class CTranslate2:
    """The same weights in CTranslate2."""

    def __init__(self, weights: Weights, source: NDArray[np.int32], folder: Path) -> None:
        import ctranslate2

        from tests.benchmarks.ctranslate2_model import save_for_ctranslate2, token_name

        save_for_ctranslate2(CONFIG, weights, folder)
        self.version = ctranslate2.__version__
        self.translator = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)
        self.source = [[token_name(id_) for id_ in row] for row in source.tolist()]
        self.id_of = {token_name(id_): id_ for id_ in range(CONFIG.target_vocab_size)}

    def search(self, rows: int, beam_size: int) -> Search:
        """A search for the best translations of the first sentences."""
        source = self.source[:rows]

        def search() -> list[list[int]]:
            found = self.translator.translate_batch(
                source, beam_size=beam_size, max_decoding_length=SOURCE_BUCKET + 50, return_end_token=True
            )
            return [[self.id_of[token] for token in each.hypotheses[0]] for each in found]

        return search


def seconds(searches: dict[str, Search], turns: int, calls: int) -> dict[str, float]:
    """The shortest time of each: the longer ones hold other programs' time.

    They take turns, to see the same machine, of several calls, to find their weights in the caches.
    """
    shortest = dict.fromkeys(searches, float("inf"))
    for _ in range(turns):
        for name, search in searches.items():
            for _ in range(calls):
                begin = time.perf_counter()
                search()
                shortest[name] = min(shortest[name], time.perf_counter() - begin)
    return shortest


def eager_seconds(source: NDArray[np.int32]) -> float:
    """One sentence by the tutorial's model and loop: all again for each token, nothing compiled."""
    from tests.benchmarks.tutorial import Tutorial, translate

    model = Tutorial(CONFIG)
    translate(model, source[:1], 1)
    begin = time.perf_counter()
    translate(model, source[:1], LENGTH)
    return time.perf_counter() - begin


def main() -> int:
    try:
        import ctranslate2  # noqa: F401
    except ImportError:
        print("This benchmark needs CTranslate2: pip install ctranslate2", file=sys.stderr)
        return 2
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    source = np.random.default_rng(0).integers(4, CONFIG.source_vocab_size, (BATCH, LENGTH)).astype(np.int32)
    weights = ending_weights(CONFIG, 1, LENGTH)
    ours = Ours(weights, source)
    with tempfile.TemporaryDirectory() as folder:
        theirs = CTranslate2(weights, source, Path(folder))
    took: dict[tuple[int, int], dict[str, float]] = {}
    for rows, beam_size in ((1, 1), (BATCH, 1), (1, 4), (BATCH, 4)):
        searches = {"ours": ours.search(rows, beam_size), "theirs": theirs.search(rows, beam_size)}
        found, expected = searches["ours"](), searches["theirs"]()
        assert {len(ids) for ids in found} == {LENGTH}, [len(ids) for ids in found]
        same = sum(a == b for a, b in zip(found, expected, strict=True))
        took[rows, beam_size] = seconds(searches, 10, 30 if rows == 1 else 2)
        print_row(rows, beam_size, took[rows, beam_size], same)
        assert beam_size > 1 or same == rows, "greedy search must find the same tokens"
    eager = eager_seconds(source)
    one, batch = took[1, 1], took[BATCH, 1]
    print(f"CTranslate2 {theirs.version}: float32, one thread; ours: TensorFlow with {os.cpu_count()} cores")
    print(f"the tutorial's loop, one sentence {1000 * eager:9.1f} ms")
    ratios = [
        ("one sentence, ours / CTranslate2", one["ours"] / one["theirs"], ONE_RATIO, False),
        (
            "64 sentences, tokens a second, ours / CTranslate2",
            batch["theirs"] / batch["ours"],
            BATCH_RATIO,
            True,
        ),
        ("one sentence, the tutorial's loop / ours", eager / one["ours"], EAGER_RATIO, True),
        ("one sentence, beam 4 / greedy", took[1, 4]["ours"] / one["ours"], BEAM_RATIO, False),
    ]
    beams, theirs_too = (took[BATCH, 4][name] / batch[name] for name in ("ours", "theirs"))
    print(f"64 sentences, beam 4 / greedy: ours {beams:.2f} x, CTranslate2 {theirs_too:.2f} x")
    for name, ratio, mark, is_least in ratios:
        print(f"{name:<50}{ratio:8.2f} x   ({'at least' if is_least else 'at most'} {mark:g})")
    return (
        0 if all(ratio >= mark if is_least else ratio <= mark for _, ratio, mark, is_least in ratios) else 1
    )


def print_row(rows: int, beam_size: int, took: dict[str, float], same: int) -> None:
    """One comparison, in milliseconds and tokens a second."""
    for name, label in (("ours", "ours"), ("theirs", "CTranslate2")):
        print(
            f"{rows:3} sentences, beam {beam_size}, {label:<12}{1000 * took[name]:9.2f} ms"
            f"{rows * LENGTH / took[name]:10,.0f} tokens/s   the same tokens in {same} of {rows}"
        )


if __name__ == "__main__":
    sys.exit(main())
