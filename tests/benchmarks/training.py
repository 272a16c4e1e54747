"""Training steps on TED talks with the tutorial's 4 x 128 sizes: ours against PyTorch and the tutorial's recipe.

    python -m tests.benchmarks.training

All see the same sentences, cut into the same subwords, with Adam and dropout, and use as many threads as there are
cores. The measure is target tokens (padding not counted) a second, over steps after the first. Without `pip install
torch` PyTorch is left out, and the mark with it.

PyTorch's: `torch.nn.Transformer` with fused Adam, on exactly our batches. The tutorial's: `MultiHeadAttention(
num_heads=8, key_dim=128)` and random batches of 64 sentences, padded to the longest. Ours: heads d_model / num_heads
wide, as in the paper, and batches of like length. Exits with 1 below a mark.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from core.config import ModelConfig, TrainingConfig
from core.corpora.ted import read_ted
from core.tokens.base import pad
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary
from core.training.batches import BucketedPairs, RaggedIds
from core.training.pairs import encode_subwords

SHIPPED = Path(__file__).parents[2] / "core" / "pretrained" / "ted_pt_en" / "source_vocabulary.txt"
LONGEST = 128  # tokens, the tutorial's MAX_TOKENS
PAIRS = 20_000  # of the 51,785; enough for every length
TURNS, STEPS, TUTORIAL_STEPS = 8, 10, 4
TRAINING = TrainingConfig(epochs=1, batch_tokens=4096, schedule="warmup", warmup_steps=4000)
TUTORIAL = "the tutorial's recipe"
OVER_TORCH = 1.5
"""At least: ours over PyTorch's."""

Train = Callable[[int], tuple[int, float]]  # does some steps, and gives their target tokens and seconds


def read_pairs() -> BucketedPairs:
    """The first pairs of the training split."""
    vocabulary = Vocabulary.from_text(SHIPPED.read_text(encoding="utf-8"))
    source, target = (
        SubwordTokenizer(vocabulary, SubwordSettings(language=language)) for language in ("pt", "en")
    )
    pairs = islice(read_ted("train"), PAIRS)
    return encode_subwords(pairs, source, target, LONGEST, LONGEST - 2)[0]


class Speed:
    """Target tokens a second of a training."""

    def __init__(self, train: Train) -> None:
        self._train = train
        self._tokens, self._seconds = 0, 0.0
        train(1)  # compiles

    def measure(self, number: int) -> None:
        """Do some steps more."""
        tokens, seconds = self._train(number)
        self._tokens += tokens
        self._seconds += seconds

    @property
    def tokens_a_second(self) -> float:
        return self._tokens / self._seconds


def timed(steps: Iterator[int]) -> Train:
    """A training in this process, which gives the target tokens of each step."""

    def train(number: int) -> tuple[int, float]:
        begin = time.perf_counter()
        tokens = sum(islice(steps, number))
        return tokens, time.perf_counter() - begin

    return train


@contextmanager
def torch_process(model: ModelConfig, pairs: BucketedPairs) -> Iterator[Train]:
    """PyTorch's training in a process of its own, on the same batches."""
    with TemporaryDirectory() as folder:
        config, batches = Path(folder) / "config.json", Path(folder) / "batches.npz"
        config.write_text(json.dumps(model.to_dict()), encoding="utf-8")
        arrays: dict[str, Any] = {}
        for number, batch in enumerate(islice(pairs.batches(TRAINING, 1), TURNS * STEPS + 1)):
            arrays[f"source{number}"] = batch.source
            arrays[f"input{number}"] = batch.decoder_input
            arrays[f"labels{number}"] = batch.labels
        np.savez(batches, **arrays)
        command = [sys.executable, "-m", "tests.benchmarks.torch_training", str(config), str(batches)]
        with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
            assert process.stdin is not None and process.stdout is not None
            commands, answers = process.stdin, process.stdout

            def train(number: int) -> tuple[int, float]:
                print(number, file=commands, flush=True)
                answer = answers.readline().split()
                if not answer:
                    raise RuntimeError("PyTorch's process ended; what it wrote above says why.")
                tokens, seconds = answer
                return int(tokens), float(seconds)

            yield train


def our_steps(model: ModelConfig, pairs: BucketedPairs) -> Iterator[int]:
    """This project's training."""
    from core.training.loop import TrainingRun

    for report in TrainingRun(model, TRAINING, pairs).steps():
        yield report.tokens


def tutorial_steps(model: ModelConfig, pairs: BucketedPairs) -> Iterator[int]:
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
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    pairs = read_pairs()
    entries = len(SHIPPED.read_text(encoding="utf-8").splitlines())
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
    speeds = measured(model, pairs)
    print(f"{os.cpu_count()} cores, target tokens a second")
    for name, speed in speeds.items():
        print(f"{name:24} {speed:8,.0f}")
    print(f"ours / the tutorial's recipe: {speeds['ours'] / speeds[TUTORIAL]:.2f}")
    if "PyTorch" not in speeds:
        return 0
    ratio = speeds["ours"] / speeds["PyTorch"]
    print(f"ours / PyTorch: {ratio:.2f}   (at least {OVER_TORCH:g})")
    return int(ratio < OVER_TORCH)


def measured(model: ModelConfig, pairs: BucketedPairs) -> dict[str, float]:
    """Target tokens a second by who trains."""
    with ExitStack() as stack:
        speeds = {"ours": (Speed(timed(our_steps(model, pairs))), STEPS)}
        if find_spec("torch"):
            speeds["PyTorch"] = Speed(stack.enter_context(torch_process(model, pairs))), STEPS
        speeds[TUTORIAL] = Speed(timed(tutorial_steps(model, pairs))), TUTORIAL_STEPS
        for _ in range(TURNS):  # all see the same machine
            for speed, number in speeds.values():
                speed.measure(number)
    return {name: speed.tokens_a_second for name, (speed, _) in speeds.items()}


if __name__ == "__main__":
    sys.exit(main())
