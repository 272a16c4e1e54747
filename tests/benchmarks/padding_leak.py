"""How far padding gets in the TensorFlow tutorial's model, whose masks are left to Keras: why ours are explicit.

    python -m tests.benchmarks.padding_leak

Six pads are put behind a source of ten tokens; nothing real may change. The weights are untrained and the tokens
random, so all of it is repeated with several seeds.
"""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from core.presets import LARGE_PRESETS
from tests.benchmarks.tutorial import Tutorial

REAL, PADS, TARGET, SEEDS = 10, 6, 10, 20


def padding_leak(seed: int) -> tuple[float, float]:
    """The largest change of the encoder's output at real positions, and the pads' share of the last cross-attention."""
    keras.utils.set_random_seed(seed)
    config = LARGE_PRESETS["tutorial"].model
    model = Tutorial(config)
    random = np.random.default_rng(seed)
    source = random.integers(4, config.source_vocab_size, (1, REAL), np.int32)
    target = random.integers(4, config.target_vocab_size, (1, TARGET), np.int32)
    padded = np.pad(source, ((0, 0), (0, PADS)))
    memory, alone = model.encode(padded), model.encode(source)
    change = np.abs(memory.numpy()[:, :REAL] - alone.numpy()).max()
    y = model.target_embedding(target)
    for attention, cross_attention, feed_forward in model.decoder:
        query = attention(y, y, causal=True)
        y = feed_forward(cross_attention(query, memory))
    _, shares = model.decoder[-1][1].attention(
        query, memory, memory, return_attention_scores=True
    )  # (B, H, T, S)
    return float(change), float(shares.numpy()[..., REAL:].sum(axis=-1).mean())


def main() -> None:
    changes, shares = np.array([padding_leak(seed) for seed in range(SEEDS)]).T
    print(
        f"Keras {keras.__version__}, TensorFlow {tf.__version__}, {SEEDS} seeds, {REAL} tokens and {PADS} pads"
    )
    for name, values, number_format in (
        ("largest change of the encoder's output", changes, ".2f"),
        ("last layer's cross-attention on pads", shares, ".1%"),
    ):
        low, middle, high = (format(value, number_format) for value in np.quantile(values, (0, 0.5, 1)))
        print(f"{name}: {middle} (from {low} to {high})")


if __name__ == "__main__":
    main()
