"""Training steps on TED talks with the tutorial's 4 x 128 sizes: ours against the tutorial's recipe.

    python -m tests.benchmarks.training [--float32] [--vocabulary FILE] [--data-dir FOLDER]

The tutorial's: `MultiHeadAttention(num_heads=8, key_dim=128)` and random batches of 64 sentences, padded to the
longest. Ours: the same layers with heads d_model / num_heads wide, as in the paper, and batches of like length.
Both see the same sentences, cut into the same pieces, with Adam and dropout. Where the processor gains by bfloat16,
ours multiplies matrices in it, as `train --mixed-precision` would; the tutorial's recipe is float32. The measure is
target tokens (pads not counted) a second, over steps after the first. Exits with 1 below the promised ratio.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from core.config import ModelConfig, TrainingConfig
from core.corpora.ted import read_ted
from core.pipeline import BucketedPairs, RaggedIds, pad
from core.subword_pairs import encode_subwords
from core.tokens.subword import SubwordTokenizer
from core.tokens.subword_settings import SubwordSettings

SHIPPED = Path(__file__).parents[2] / "core" / "pretrained" / "ted_pt_en" / "source_vocabulary.txt"
LONGEST = 128  # tokens, the tutorial's MAX_TOKENS
PAIRS = 20_000  # of the 51,785; enough for every length
TURNS, OUR_STEPS, THEIR_STEPS = 8, 10, 4  # theirs differ more, with the longest of 64 sentences
RATIO = 20.0


def read_pairs(vocabulary: Path, data_dir: Path | None) -> BucketedPairs:
    """The first pairs of the training split."""
    source, target = (
        SubwordTokenizer.from_vocabulary(vocabulary, SubwordSettings(language=language))
        for language in ("pt", "en")
    )
    pairs = islice(read_ted("train", data_dir=data_dir), PAIRS)
    return encode_subwords(pairs, source, target, LONGEST, LONGEST - 2).pairs


class Speed:
    """Target tokens a second of a training, step by step.

    Args:
        steps: does a step at each turn, and gives its target tokens.
    """

    def __init__(self, steps: Iterator[int]) -> None:
        self._steps = steps
        self._tokens, self._seconds = 0, 0.0
        next(steps)  # compiles

    def measure(self, number: int) -> None:
        """Do some steps more."""
        begin = time.perf_counter()
        self._tokens += sum(islice(self._steps, number))
        self._seconds += time.perf_counter() - begin

    @property
    def tokens_a_second(self) -> float:
        return self._tokens / self._seconds


def our_steps(model: ModelConfig, pairs: BucketedPairs) -> Iterator[int]:
    """This project's training."""
    from core.training.loop import TrainingRun

    training = TrainingConfig(epochs=1, batch_tokens=4096, schedule="warmup", warmup_steps=4000)
    for report in TrainingRun(model, training, pairs).steps():
        yield report.tokens


def their_steps(model: ModelConfig, pairs: BucketedPairs) -> Iterator[int]:
    """The tutorial's training."""
    from tests.benchmarks.tutorial import Tutorial, training_step

    assert isinstance(pairs.source, RaggedIds) and isinstance(pairs.target, RaggedIds)
    step = training_step(Tutorial(model))
    rows = np.random.default_rng(0).permutation(len(pairs))
    for first in range(0, len(rows), 64):
        batch = rows[first : first + 64]
        source, target = pad(pairs.source.rows(batch)), pad(pairs.target.rows(batch))
        step(source, target[:, :-1], target[:, 1:]).numpy()
        yield int(np.count_nonzero(target[:, 1:]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vocabulary", type=Path, default=SHIPPED)
    parser.add_argument(
        "--data-dir", type=Path, help="of tensorflow-datasets (default: as the project looks for it)"
    )
    parser.add_argument("--float32", action="store_true", help="also where the processor gains by bfloat16")
    options = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    pairs = read_pairs(options.vocabulary, options.data_dir)
    entries = len(options.vocabulary.read_text(encoding="utf-8").splitlines())
    model = ModelConfig(
        source_vocab_size=entries,
        target_vocab_size=entries,
        num_layers=4,
        d_model=128,
        num_heads=8,
        d_ff=512,
        max_source_length=LONGEST,
        max_target_length=LONGEST,
    )
    from core.training.precision import use_bfloat16, use_mixed_precision

    products = None if options.float32 else use_mixed_precision()
    our_speed = Speed(our_steps(model, pairs))
    use_bfloat16(False)
    their_speed = Speed(their_steps(model, pairs))
    for _ in range(TURNS):  # both see the same machine
        our_speed.measure(OUR_STEPS)
        their_speed.measure(THEIR_STEPS)
    ours, theirs = our_speed.tokens_a_second, their_speed.tokens_a_second
    print(f"{os.cpu_count()} cores; ours with {products or 'float32'} matrix products")
    print(f"ours                  {ours:8,.0f} target tokens/s")
    print(f"the tutorial's recipe {theirs:8,.0f} target tokens/s")
    print(f"ours / the tutorial's {ours / theirs:8.1f} x   (at least {RATIO:g})")
    return 0 if ours / theirs >= RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
