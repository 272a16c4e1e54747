"""Attention records made by hand."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.records.attention import AttentionRecord

# Weights that are exact in binary, so that tests can compare them with ==.
ENCODER = [[0.5, 0.5], [0.25, 0.75]]
DECODER = [[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.25, 0.25]]
CROSS = [[0.75, 0.25], [0.0, 1.0], [0.5, 0.5]]


def small_record(layers: int = 1) -> AttentionRecord:
    """Two source tokens, three target tokens; the second head looks the other way round."""

    def heads(first: ArrayLike) -> NDArray[np.float32]:
        weights = np.array(first, dtype=np.float32)
        return np.array([[weights, weights[:, ::-1]]] * layers)

    decoder = np.array([[DECODER, np.eye(3)]] * layers, dtype=np.float32)
    return AttentionRecord(
        source_tokens=("je", "viens"),
        decoder_input_tokens=("[START]", "i", "come"),
        predicted_tokens=("i", "come", "[END]"),
        encoder=heads(ENCODER),
        decoder=decoder,
        cross=heads(CROSS),
    )


def even_record(source: int, target: int, heads: int = 1) -> AttentionRecord:
    """Every token looks at all tokens alike, the decoder's at all up to themselves."""
    tokens = [tuple(f"token{index}" for index in range(length)) for length in (source, target)]
    past = np.tri(target)
    return AttentionRecord(
        source_tokens=tokens[0],
        decoder_input_tokens=tokens[1],
        predicted_tokens=tokens[1],
        encoder=np.full((1, heads, source, source), 1 / source, dtype=np.float32),
        decoder=np.tile(past / past.sum(axis=-1, keepdims=True), (1, heads, 1, 1)).astype(np.float32),
        cross=np.full((1, heads, target, source), 1 / source, dtype=np.float32),
    )
