"""Translating against CTranslate2 with the same weights, and against the tutorial's own loop.

    pip install ctranslate2
    python -m tests.benchmarks.translation

First random weights of the tutorial's 4 x 128 sizes, tokens to tokens: sentences of 20 tokens, whose translations
have 20 too, since one channel makes the twentieth an end, as a trained model's sentences end long before the limit.
Then the shipped checkpoint `ted_pt_en` over its validation split, text to text; left out where the corpus is not.

CTranslate2 has as many threads as we, in float32, in the better of two arrangements (all threads for each sentence
or batch, or one each for as many batches), and then int8, its fastest. Greedy search must find its tokens, but for
ties. Exits with 1 where a figure the project promises is missed.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.config import DecodingConfig, ModelConfig
from core.corpora.catalogue import CORPORA
from core.decoding.batches import batches_by_length
from core.decoding.side_by_side import num_cores, side_by_side
from core.storage.checkpoint import Checkpoint
from core.storage.shipped import FIRST, shipped_checkpoints
from core.theory.positional_encoding import sinusoidal_encoding
from core.weights import Weights, initial_weights

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
CASES = ((1, 1), (BATCH, 1), (1, 4), (BATCH, 4))  # sentences, beams
ONE_RATIO, BATCH_RATIO, CORPUS_RATIO, EAGER_RATIO, BEAM_RATIO = 1.0, 1.0, 0.9, 200.0, 2.2
SAME_TOKENS = 0.99  # of the validation split: the others have ties, which rounding decides

Ids = list[list[int]]
Search = Callable[[], Ids]
OURS, SAME, INT8 = "ours", "CTranslate2", "CTranslate2 int8"


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
        from core.decoding.packed_weights import WeightTensors

        self.weights = WeightTensors.of(CONFIG, weights)
        self.source = np.pad(source, ((0, 0), (0, SOURCE_BUCKET - source.shape[1])))

    def search(self, rows: int, beam_size: int) -> Search:
        """A search for the best translations of the first sentences."""
        from core.decoding.compiled import compiled_search

        search = compiled_search(CONFIG, beam_size)
        lengths = dict.fromkeys(range(rows), LENGTH)
        batches = [
            self.source[numbers]
            for numbers in batches_by_length(lengths, CONFIG, DecodingConfig(beam_size=beam_size))
        ]
        search.compile_now(self.weights, batches[0])

        def found(batch: NDArray[np.int32]) -> Ids:
            best = search(self.weights, batch, 0.6).ids.numpy()[: len(batch), 0]
            return [[id_ for id_ in ids if id_] for ids in best.tolist()]

        return lambda: [ids for batch in side_by_side(found, batches) for ids in batch]


class CTranslate2:
    """The same weights in CTranslate2."""

    def __init__(
        self, config: ModelConfig, weights: Weights, folder: Path, threads: int, many: bool, compute_type: str
    ) -> None:
        import ctranslate2

        from tests.benchmarks.ctranslate2_model import save_for_ctranslate2, token_name

        if not folder.exists():
            save_for_ctranslate2(config, weights, folder)
        inter, intra = (threads, 1) if many else (1, threads)
        self.translator = ctranslate2.Translator(
            str(folder), compute_type=compute_type, inter_threads=inter, intra_threads=intra
        )
        self.name_of = token_name
        self.id_of = {token_name(id_): id_ for id_ in range(config.target_vocab_size)}

    def translate(self, source: Ids, beam_size: int, length_penalty: float) -> Ids:
        """The best translations, end included."""
        found = self.translator.translate_batch(
            [[self.name_of(id_) for id_ in ids] for ids in source],
            beam_size=beam_size,
            length_penalty=length_penalty,
            max_batch_size=32,
            max_decoding_length=256,
            return_end_token=True,
        )
        return [[self.id_of[token] for token in each.hypotheses[0]] for each in found]


def contenders(
    config: ModelConfig, weights: Weights, folder: Path, rows: int
) -> dict[str, list[CTranslate2]]:
    """CTranslate2 by its name here, each in the arrangements that may be the fastest."""
    arrangements = (False,) if rows == 1 else (False, True)
    threads = (1, num_cores()) if rows == 1 else (num_cores(),)
    return {
        name: [
            CTranslate2(config, weights, folder, number, many, compute_type)
            for number in threads
            for many in arrangements
        ]
        for name, compute_type in ((SAME, "float32"), (INT8, "int8"))
    }


def seconds(searches: Mapping[str, Sequence[Search]], turns: int, calls: int) -> dict[str, float]:
    """The shortest time of each name: the longer ones hold other programs' time.

    They take turns, to see the same machine, of several calls, to find their weights in the caches.
    """
    shortest = dict.fromkeys(searches, float("inf"))
    for _ in range(turns):
        for name, each in searches.items():
            for search in each:
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


def measure_synthetic(folder: Path) -> list[tuple[str, float, float, bool]]:
    """Print each case; returns the ratios with their marks, and whether the mark is the least."""
    source = np.random.default_rng(0).integers(4, CONFIG.source_vocab_size, (BATCH, LENGTH)).astype(np.int32)
    weights = ending_weights(CONFIG, 1, LENGTH)
    ours = Ours(weights, source)
    took: dict[tuple[int, int], dict[str, float]] = {}
    for rows, beam_size in CASES:
        ids: Ids = source[:rows].tolist()
        searches: dict[str, list[Search]] = {OURS: [ours.search(rows, beam_size)]}
        for name, each in contenders(CONFIG, weights, folder, rows).items():
            searches[name] = [partial(peer.translate, ids, beam_size, 0.6) for peer in each]
        found, expected = searches[OURS][0](), searches[SAME][0]()
        assert {len(each) for each in found} == {LENGTH}, [len(each) for each in found]
        same = sum(a == b for a, b in zip(found, expected, strict=True))
        took[rows, beam_size] = seconds(searches, 10, 30 if rows == 1 else 2)
        print_rows(f"{rows} sentences, beam {beam_size}", rows * LENGTH, took[rows, beam_size], same, rows)
        assert beam_size > 1 or same == rows, "greedy search must find the same tokens"
    eager = eager_seconds(source)
    print(f"the tutorial's loop, one sentence {1000 * eager:9.1f} ms")
    one = took[1, 1]
    batches = {beam_size: took[BATCH, beam_size] for beam_size in (1, 4)}
    return [
        ("one sentence, our time / CTranslate2's", one[OURS] / one[SAME], ONE_RATIO, False),
        ("one sentence, beam 4 / greedy", took[1, 4][OURS] / one[OURS], BEAM_RATIO, False),
        ("one sentence, the tutorial's loop / ours", eager / one[OURS], EAGER_RATIO, True),
        *(
            (
                f"64 sentences, beam {beam_size}, our tokens a second / CTranslate2's",
                each[SAME] / each[OURS],
                BATCH_RATIO,
                True,
            )
            for beam_size, each in batches.items()
        ),
    ]


class Compared(NamedTuple):
    """How one case went."""

    took: dict[str, float]  # seconds of each contender
    same: float  # the share of translations that have CTranslate2's tokens


class Shipped:
    """The shipped checkpoint, text to text, by us and by CTranslate2."""

    def __init__(self) -> None:
        self.checkpoint = Checkpoint.load(shipped_checkpoints()[FIRST])
        self.translator = self.checkpoint.translator()

    def compare(
        self,
        case: str,
        texts: Sequence[str],
        decoding: DecodingConfig,
        peers: Mapping[str, Sequence[CTranslate2]],
        turns: int,
        calls: int,
    ) -> Compared:
        """Translate the texts by all, as often as `seconds` does, and print how it went."""
        searches: dict[str, list[Search]] = {OURS: [partial(self.by_us, decoding, texts)]}
        for name, each in peers.items():
            searches[name] = [partial(self.by_them, peer, decoding, texts) for peer in each]
        found, expected = searches[OURS][0](), searches[SAME][0]()
        same = sum(a == b for a, b in zip(found, expected, strict=True))
        took = seconds(searches, turns, calls)
        print_rows(f"{case}, beam {decoding.beam_size}", sum(map(len, found)), took, same, len(texts))
        return Compared(took, same / len(texts))

    def by_us(self, decoding: DecodingConfig, texts: Sequence[str]) -> Ids:
        found = self.translator.translate(texts, decoding, best_only=True)
        return [list(each.best.ids) for each in found]

    def by_them(self, peer: CTranslate2, decoding: DecodingConfig, texts: Sequence[str]) -> Ids:
        read = [self.checkpoint.source_tokenizer.encode(text) for text in texts]
        found = peer.translate(read, decoding.beam_size, decoding.length_penalty)
        for ids in found:
            self.checkpoint.target_tokenizer.decode(ids)
        return found


def measure_shipped(folder: Path) -> list[tuple[str, float, float, bool]]:
    """As `measure_synthetic`, text to text with the shipped checkpoint."""
    shipped = Shipped()
    config, weights = shipped.checkpoint.config, shipped.checkpoint.weights
    texts = [pair.source for pair in CORPORA[FIRST].read("validation")]
    one = [next(text for text in texts if len(shipped.checkpoint.source_tokenizer.encode(text)) == LENGTH)]
    peers = contenders(config, weights, folder, len(texts))
    peers_of_one = contenders(config, weights, folder, 1)
    ratios = []
    for beam_size in (1, 4):
        decoding = DecodingConfig(beam_size=beam_size, length_penalty=1.0 if beam_size > 1 else 0.6)
        corpus = shipped.compare(f"{len(texts):,} sentences of TED", texts, decoding, peers, turns=2, calls=1)
        shipped.compare("one of them", one, decoding, peers_of_one, turns=10, calls=10)
        ratio = corpus.took[SAME] / corpus.took[OURS]
        name = f"TED, text to text, beam {beam_size}, our tokens a second / CTranslate2's"
        ratios.append((name, ratio, CORPUS_RATIO, True))
        if beam_size == 1:
            ratios.append(("TED, the same tokens, greedy", corpus.same, SAME_TOKENS, True))
    return ratios


def print_rows(case: str, tokens: int, took: Mapping[str, float], same: int, rows: int) -> None:
    """One comparison, in milliseconds and tokens a second."""
    for name, each in took.items():
        print(f"{case}, {name:<18}{1000 * each:11.2f} ms{tokens / each:10,.0f} tokens/s", flush=True)
    print(f"{case}: the same tokens in {same:,} of {rows:,}", flush=True)


def main() -> int:
    try:
        import ctranslate2
    except ImportError:
        print("This benchmark needs CTranslate2: pip install ctranslate2", file=sys.stderr)
        return 2
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")  # as where the app and the commands translate
    print(f"CTranslate2 {ctranslate2.__version__}, {num_cores()} threads each")
    with tempfile.TemporaryDirectory() as folder:
        ratios = measure_synthetic(Path(folder) / "synthetic")
        if CORPORA[FIRST].is_here:
            ratios += measure_shipped(Path(folder) / "shipped")
        else:
            print(f"{FIRST} is not measured: its corpus is not on this machine")
    for name, ratio, mark, is_least in ratios:
        print(f"{name:<66}{ratio:8.2f}   ({'at least' if is_least else 'at most'} {mark:g})")
    return int(any(ratio < mark if is_least else ratio > mark for _, ratio, mark, is_least in ratios))


if __name__ == "__main__":
    sys.exit(main())
