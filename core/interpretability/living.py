"""Data of the living picture: one translated sentence at every level of the model.

Axes: S source length, T target length, N either, L layers, H heads, D model width, K head width, C shown channels.
"""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np

from core.arrays import Floats
from core.inference.search import log_softmax
from core.inference.transformer import Attention, Trace
from core.interpretability.teacher_forcing import ForcedPair, Tracer, sublayer_path
from core.records.attention import AttentionKind
from core.theory.embedding import embed
from core.theory.model_parts import SIDES, token_embedding_name
from core.theory.parts import Side

MAX_TOKENS = 48  # on each side: more would be too thin to tell apart
SUM = 2  # the level of embedding plus position; those of the layers follow
SUBLAYERS: dict[Side, int] = {"encoder": 2, "decoder": 3}
_CHANNELS, _CANDIDATES = 16, 10
_FULL_COLOR = 2.2  # times a level's root mean square gets the strongest color


def follow(tracer: Tracer, pair: ForcedPair) -> tuple[Trace, dict[Side, Floats]]:
    """Trace a pair, and compute the states between the sublayers from weights and attention.

    Returns:
        The trace, and the levels of each side (levels, N, D): embeddings, positions, their sum, the output of each
        sublayer of each layer, and the output of the stack.

    Raises:
        ValueError: it has more tokens than the picture shows.
    """
    if (most := max(len(pair.source), len(pair.decoder_input))) > MAX_TOKENS:
        raise ValueError(f"The living picture shows up to {MAX_TOKENS} tokens on a side. Received: {most}")
    trace, model = tracer.trace(pair.source[None], pair.decoder_input[None]), tracer.translator.model
    levels: dict[Side, Floats] = {}
    for side, ids in zip(SIDES, (pair.source, pair.decoder_input), strict=True):
        kinds: tuple[AttentionKind, ...] = ("encoder",) if side == "encoder" else ("decoder", "cross")
        hidden = getattr(trace, f"{side}_hidden")[0]
        words = embed(ids, model.weights[token_embedding_name(model.config, side)])
        found = [words, hidden[0] - words, hidden[0]]
        for layer, output in enumerate(hidden[1:]):
            for kind in kinds:
                weights, values = getattr(trace.attention, kind), getattr(trace, f"{kind}_values")
                mixed = weights[0, layer] @ values[0, layer]
                found.append(model.add_heads(sublayer_path(kind, layer), found[-1], mixed))
            found.append(output)
        levels[side] = np.stack([*found, model.final_norm(side, hidden[-1])])
    return trace, levels


def living_picture(tracer: Tracer, pair: ForcedPair) -> dict[str, Any]:
    """Return the data of one pair for living.js; all text is plain.

    Arrays are bytes in base64. "weights" of each kind of attention (L, 1 + H, queries, keys) are uint8, with 255 for 1;
    index 0 is the mean of the heads. "levels" of each side (levels, N, C) are int8, with 127 for the strongest color:
    the first three share a scale, each other one has its own. "candidates" are the likeliest tokens at each target
    position, with their probabilities.

    Raises:
        ValueError: it has more tokens than the picture shows.
    """
    trace, levels = follow(tracer, pair)
    weights = [
        np.concatenate([kind[0].mean(axis=1, keepdims=True), kind[0]], axis=1) for kind in trace.attention
    ]
    tokens = tracer.translator.target_tokenizer.vocabulary.tokens
    probabilities = np.exp(log_softmax(trace.logits[0]))
    likeliest = np.argsort(-probabilities, axis=-1, kind="stable")[:, :_CANDIDATES]
    return {
        "source": pair.source_tokens,
        "target": (*pair.decoder_input_tokens, pair.predicted_tokens[-1]),
        "layers": tracer.config.num_layers,
        "heads": tracer.config.num_heads,
        "width": tracer.config.d_model,
        "channels": len(shown_channels(tracer.config.d_model)),
        "weights": dict(
            zip(Attention._fields, (_base64(each * 255, np.uint8) for each in weights), strict=True)
        ),
        "levels": {side: _base64(_colors(levels[side]), np.int8) for side in SIDES},
        "candidates": [
            [(tokens[i], round(float(row[i]), 4)) for i in order]
            for order, row in zip(likeliest, probabilities, strict=True)
        ],
    }


def open_attention(
    tracer: Tracer, trace: Trace, levels: dict[Side, Floats], kind: AttentionKind, layer: int, head: int
) -> dict[str, Floats]:
    """Compute the numbers inside one head (section 3.2.1), with layer and head from 0.

    Returns:
        "queries" (T, K), "keys" and "values" (S, K), "scores", "scaled" and "weights" (T, S), "mixed" (T, K). In
        self-attention, T and S are the same length. Scores are unmasked.
    """
    model, side, path = tracer.translator.model, SIDES[kind != "encoder"], sublayer_path(kind, layer)
    x = levels[side][SUM + SUBLAYERS[side] * layer + (kind == "cross")]
    if kind == "cross":
        sources = model.source_keys_values(path, levels["encoder"][-1:])
        q, k, v = model.cross_queries(path, x), *(each[0] for each in sources)
    else:
        q, k, v = model.self_heads(path, x)
    q, k, v = q[head], k[head], v[head]
    scores, weights = q @ k.T, getattr(trace.attention, kind)[0, layer, head]
    found = {"queries": q, "keys": k, "values": v, "scores": scores, "weights": weights, "mixed": weights @ v}
    return found | {"scaled": scores / math.sqrt(q.shape[-1])}


def shown_channels(width: int) -> list[int]:
    """Return the indices of the channels to show, evenly spaced over D."""
    channels: list[int] = np.unique(np.linspace(0, width - 1, _CHANNELS).round().astype(int)).tolist()
    return channels


def _colors(levels: Floats) -> Floats:
    """Return the shown channels, scaled to -127 to 127."""
    sizes = np.sqrt(np.mean(levels**2, axis=(1, 2), keepdims=True))
    sizes[: SUM + 1] = sizes[SUM]
    shown = levels[..., shown_channels(levels.shape[-1])]
    return np.clip(shown / np.maximum(sizes * _FULL_COLOR, 1e-9), -1, 1) * 127


def _base64(array: Floats, dtype: type[np.integer[Any]]) -> str:
    return base64.b64encode(array.round().astype(dtype).tobytes()).decode()
