"""Translating `ted_pt_en` against CTranslate2 with the same weights: float32, two threads, text to text.

    pip install ctranslate2
    python -m tests.benchmarks.translation

One sentence of about 19 tokens, and all 1,193 validation sentences, greedy and beam 4. CTranslate2 has the better of
two arrangements: all threads for each batch, or one for each of several batches. Greedy search must find its tokens.
Both take turns, to see the same machine. Exits with 1 where a mark is missed, with 2 where something is not here.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as where the app and the commands translate

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import FIRST, shipped_checkpoints
from core.config import DecodingConfig
from core.corpora.catalogue import CORPORA
from core.inference.translator import Translator, num_cores

LENGTHS = range(18, 21)  # tokens of the single sentences
SINGLE, ROUNDS, CORPUS_ROUNDS = 20, 5, 3
MOST_TIME = {1: 1.6, 4: 2.0}  # of one sentence, ours / CTranslate2's, by beams
LEAST_SPEED = {1: 0.55, 4: 0.5}  # of the corpus, our tokens a second / CTranslate2's
SAME_TOKENS = 0.99  # of the corpus: the others have ties, which rounding decides

Ids = list[list[int]]


class CTranslate2:
    """The same weights in CTranslate2."""

    def __init__(self, checkpoint: Checkpoint, folder: Path, inter_threads: int, intra_threads: int) -> None:
        import ctranslate2

        from tests.benchmarks.ctranslate2_model import save_for_ctranslate2, token_name

        if not folder.exists():
            save_for_ctranslate2(checkpoint.config, checkpoint.weights, folder)
        self._translator = ctranslate2.Translator(
            str(folder), compute_type="float32", inter_threads=inter_threads, intra_threads=intra_threads
        )
        self._checkpoint = checkpoint
        self._name_of = token_name
        self._id_of = {token_name(id_): id_ for id_ in range(checkpoint.config.target_vocab_size)}

    def translate(self, texts: Sequence[str], decoding: DecodingConfig) -> Ids:
        """Return the ids of the best translations, end included, after writing them as text."""
        source = [self._checkpoint.source_tokenizer.encode(text) for text in texts]
        found = self._translator.translate_batch(
            [[self._name_of(id_) for id_ in ids] for ids in source],
            beam_size=decoding.beam_size,
            length_penalty=decoding.length_penalty,
            max_batch_size=32,
            max_decoding_length=256,
            return_end_token=True,
        )
        ids = [[self._id_of[token] for token in each.hypotheses[0]] for each in found]
        for each in ids:
            self._checkpoint.target_tokenizer.decode(each)
        return ids


def translate_by_us(translator: Translator, texts: Sequence[str], decoding: DecodingConfig) -> Ids:
    """Return the ids of our best translations, which are written as text too."""
    return [list(each.best.ids) for each in translator.translate(texts, decoding, best_only=True)]


def seconds_of(searches: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Return the median time of each search; they take turns."""
    took: list[list[float]] = [[] for _ in searches]
    for _ in range(rounds):
        for search, times in zip(searches, took, strict=True):
            begin = time.perf_counter()
            search()
            times.append(time.perf_counter() - begin)
    return [median(times) for times in took]


def main() -> int:
    try:
        import ctranslate2  # noqa: F401
    except ImportError:
        print("This benchmark needs CTranslate2: pip install ctranslate2", file=sys.stderr)
        return 2
    if not CORPORA[FIRST].is_here:
        print(f"This benchmark needs the corpus {FIRST}.", file=sys.stderr)
        return 2
    checkpoint = Checkpoint.load(shipped_checkpoints()[FIRST])
    translator, cores = checkpoint.translator(), num_cores()
    texts = [pair.source for pair in CORPORA[FIRST].read("validation")]
    single = [text for text in texts if len(checkpoint.source_tokenizer.encode(text)) in LENGTHS][:SINGLE]
    with tempfile.TemporaryDirectory() as name:
        peers = [
            CTranslate2(checkpoint, Path(name) / "model", *threads) for threads in ((1, cores), (cores, 1))
        ]
        kept = []
        for beams in (1, 4):
            decoding = DecodingConfig(beam_size=beams, length_penalty=1.0)
            kept.append(compare_single(translator, peers[0], single, decoding))
            kept.append(compare_corpus(translator, peers, texts, decoding))
    return int(not all(kept))


def compare_single(
    translator: Translator, peer: CTranslate2, texts: Sequence[str], decoding: DecodingConfig
) -> bool:
    """Translate some sentences one by one; returns whether the mark is met."""
    rows = []
    for text in texts:
        searches = [
            partial(translate_by_us, translator, [text], decoding),
            partial(peer.translate, [text], decoding),
        ]
        ours, theirs = seconds_of(searches, ROUNDS)
        rows.append((1000 * ours, 1000 * theirs, ours / theirs))
    ours, theirs, ratio = (median(each) for each in zip(*rows, strict=True))
    most = MOST_TIME[decoding.beam_size]
    print(f"one sentence, beam {decoding.beam_size}: {ours:.1f} ms, CTranslate2 {theirs:.1f} ms; ", end="")
    print(f"ratio {ratio:.2f} (at most {most})", flush=True)
    return ratio <= most


def compare_corpus(
    translator: Translator, peers: Sequence[CTranslate2], texts: Sequence[str], decoding: DecodingConfig
) -> bool:
    """Translate all sentences at once; returns whether the marks are met."""
    searches = [partial(translate_by_us, translator, texts, decoding)]
    searches += [partial(peer.translate, texts, decoding) for peer in peers]
    found, expected = searches[0](), searches[1]()
    ours, *of_peers = seconds_of(searches, CORPUS_ROUNDS)
    tokens, ratio, least = sum(map(len, found)), min(of_peers) / ours, LEAST_SPEED[decoding.beam_size]
    same = sum(a == b for a, b in zip(found, expected, strict=True)) / len(texts)
    print(f"{len(texts):,} sentences, beam {decoding.beam_size}: {tokens / ours:,.0f} tokens/s, ", end="")
    print(f"CTranslate2 {tokens / min(of_peers):,.0f}; ratio {ratio:.2f} (at least {least}); ", end="")
    print(f"the same tokens in {same:.1%}", flush=True)
    return ratio >= least and (decoding.beam_size > 1 or same >= SAME_TOKENS)


if __name__ == "__main__":
    sys.exit(main())
