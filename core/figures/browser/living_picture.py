"""Data of the living picture: one translated sentence at every level of the model, and the boxes that open."""

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Reals
from core.language import _, language
from core.records.analysis import SUM, HeadNumbers, SentenceRun
from core.records.attention import ATTENTION_KINDS
from core.theory.model_parts import SIDES

_CHANNELS = 16
_FULL_COLOR = 2.2  # times a level's root mean square gets the strongest color


def picture_data(run: SentenceRun) -> dict[str, Any]:
    """Return the data of one run for living.js; all text is plain.

    Arrays are bytes in base64. "weights" of each kind of attention (L, 1 + H, queries, keys) are uint8, with 255 for 1;
    index 0 is the mean of the heads. "levels" of each side (levels, tokens, channels) are int8, with 127 for the
    strongest color: the first three share a scale, each other one has its own. "inputs" of each side (1 + L) are the
    indices of the levels that layers read; the last one leaves the last layer. "candidates" are the likeliest tokens at
    each target position, with their probabilities.
    """
    attention = run.attention
    num_layers, num_heads = attention.encoder.shape[:2]
    width = run.levels["encoder"].shape[-1]
    weights = {}
    for kind in ATTENTION_KINDS:
        heads = attention.of_kind(kind).weights
        with_mean = np.concatenate([heads.mean(axis=1, keepdims=True), heads], axis=1)
        weights[kind] = _base64(with_mean * 255, np.uint8)
    return {
        "source": attention.source_tokens,
        "target": (*attention.decoder_input_tokens, attention.predicted_tokens[-1]),
        "layers": num_layers,
        "heads": num_heads,
        "width": width,
        "channels": len(shown_channels(width)),
        "weights": weights,
        "levels": {side: _base64(_colors(run.levels[side]), np.int8) for side in SIDES},
        "inputs": {side: [run.input_level(side, layer) for layer in range(num_layers + 1)] for side in SIDES},
        "candidates": [
            [(each.token, round(each.probability, 4)) for each in likeliest] for likeliest in run.candidates
        ],
    }


def attention_box(numbers: HeadNumbers, label: str) -> dict[str, Any]:
    """Return the numbers inside a head for its box; `label` is the kind of attention in words.

    There is one table per query: "cells" are indexed by query, key and column. "fixed" has k and v of each key, which all
    queries share; "shares" are the weights; "above" and "below" are lines of text around each table.
    """
    layer, head = numbers.head.layer + 1, numbers.head.head + 1
    steps = numbers.steps
    separator = "; " if language().decimal == "," else ", "
    q, k, v, mixed = (
        [f"({separator.join(vector)})" for vector in _texts(vectors)]
        for vectors in (steps.queries, steps.keys, steps.values, steps.outputs)
    )
    mask = np.where(numbers.mask, "0", "−10⁹").tolist()
    scores, scaled, weights = map(_texts, (steps.scores, steps.scaled, steps.weights))
    return {
        "title": _("{attention}, layer {layer}, head {head}").format(attention=label, layer=layer, head=head),
        "labels": numbers.columns,
        "heads": ["q · k", f"÷ √{steps.queries.shape[-1]}", _("+ mask"), "softmax"],
        "cells": [list(zip(*each, strict=True)) for each in zip(scores, scaled, mask, weights, strict=True)],
        "fixed": list(zip(k, v, strict=True)),
        "shares": steps.weights.round(3).tolist(),
        "above": [f"q = {each}" for each in q],
        "below": [f"Σ softmax · v = {each}" for each in mixed],
    }


def levels_box(run: SentenceRun, name: str, layer: int) -> dict[str, Any]:
    """Return some channels of each token before and after a part, like "encoder_feed_forward", of a layer from 0.

    There is one table per token: "cells" are indexed by token, channel and column.
    """
    side, part = name.split("_", 1)
    first, last = run.input_level(side, layer), run.input_level(side, layer + 1)
    title, heads, shown = {
        "embedding": (
            _("Embedding and position"),
            [_("word · √D"), _("position"), _("sum")],
            [0, 1, SUM],
        ),
        "feed_forward": (_("Feed-forward, layer {layer}"), [_("before"), _("after")], [last - 1, last]),
        "output": (_("Layer {layer}"), [_("its input"), _("its output")], [first, last]),
    }[part]
    levels = run.levels[side][shown]
    channels = shown_channels(levels.shape[-1])
    return {
        "title": title.format(layer=layer + 1),
        "labels": [_("number {place}").format(place=channel + 1) for channel in channels],
        "heads": heads,
        "cells": _texts(levels[..., channels].transpose(1, 2, 0)),
    }


def shown_channels(width: int) -> list[int]:
    """Return the indices of the channels to show, evenly spaced over D."""
    channels: list[int] = np.unique(np.linspace(0, width - 1, _CHANNELS).round().astype(int)).tolist()
    return channels


def _colors(levels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the shown channels, scaled to -127 to 127."""
    sizes = np.sqrt(np.mean(levels**2, axis=(1, 2), keepdims=True))
    sizes[: SUM + 1] = sizes[SUM]
    shown = levels[..., shown_channels(levels.shape[-1])]
    return np.clip(shown / np.maximum(sizes * _FULL_COLOR, 1e-9), -1, 1) * 127


def _base64(array: NDArray[np.float32], dtype: type[np.integer[Any]]) -> str:
    return base64.b64encode(array.round().astype(dtype).tobytes()).decode()


def _texts(values: Reals) -> Any:
    """Return numbers of any shape with 3 decimals, as the reader's language writes them; none is "-0.000"."""
    texts = np.char.mod("%.3f", values.astype(float).round(3) + 0.0)
    return np.char.replace(texts, ".", language().decimal).tolist()
