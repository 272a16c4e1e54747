"""Training steps on TED talks, 4 layers x 128: ours against PyTorch.

    pip install torch; python -m tests.benchmarks.training

Both train on the same batches, with Adam and dropout, and use as many threads as there are cores. The measure is target
tokens (padding not counted) a second, over steps after the first. PyTorch's: `torch.nn.Transformer` with fused Adam.
Exits with 1 below the target.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import find_checkpoint
from core.config import ModelConfig, TrainingConfig
from core.corpora.ted import read_ted
from core.tokens.subword import SubwordTokenizer
from core.training.batches import BucketedPairs
from core.training.pairs import encode_one_by_one

LONGEST = 128  # tokens
PAIRS = 20_000  # of the 51,785; enough for every length
STEPS = 81
TRAINING = TrainingConfig(epochs=1, batch_tokens=4096, schedule="warmup", warmup_steps=4000)
OVER_TORCH = 1.5
"""At least: ours over PyTorch's."""


def tokens_a_second(steps: Iterator[int]) -> float:
    """Return the speed of a training that yields the target tokens of each step; the first step compiles."""
    next(steps)
    begin = time.perf_counter()
    return sum(steps) / (time.perf_counter() - begin)


def torch_speed(model: ModelConfig, pairs: BucketedPairs) -> float:
    """Return the target tokens a second of PyTorch, in a process of its own, on our batches."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "batches.npz"
        arrays = [
            array
            for batch in islice(pairs.batches(TRAINING, 1), STEPS)
            for array in (batch.source, batch.decoder_input, batch.labels)
        ]
        np.savez(path, *arrays)
        command = [
            sys.executable,
            "-m",
            "tests.benchmarks.torch_training",
            json.dumps(model.to_dict()),
            str(path),
        ]
        return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def our_steps(model: ModelConfig, pairs: BucketedPairs) -> Iterator[int]:
    """Train as this project does."""
    from core.training.loop import TrainingRun

    for report in TrainingRun(model, TRAINING, pairs).steps():
        yield report.tokens


def main() -> int:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    checkpoint = Checkpoint.load(find_checkpoint("ted_pt_en"))
    source, target = checkpoint.source_tokenizer, checkpoint.target_tokenizer
    assert isinstance(source, SubwordTokenizer) and isinstance(target, SubwordTokenizer)
    pairs = encode_one_by_one(islice(read_ted("train"), PAIRS), source, target, LONGEST, LONGEST - 2)[0]
    model = ModelConfig(
        source_vocab_size=len(source.vocabulary),
        target_vocab_size=len(target.vocabulary),
        num_layers=4,
        d_model=128,
        num_heads=8,
        d_ff=512,
        max_source_length=LONGEST,
        max_target_length=LONGEST,
    )
    ours = tokens_a_second(islice(our_steps(model, pairs), STEPS))
    theirs = torch_speed(model, pairs)
    ratio = ours / theirs
    print(f"{os.cpu_count()} cores, target tokens a second: ours {ours:,.0f}, PyTorch's {theirs:,.0f}")
    print(f"ours / PyTorch: {ratio:.2f}   (at least {OVER_TORCH:g})")
    return int(ratio < OVER_TORCH)


if __name__ == "__main__":
    sys.exit(main())
