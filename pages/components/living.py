"""The living picture: a sentence on its way through the model, with the model's own numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import streamlit as st
from streamlit.runtime import exists

from core.classroom.models import TrainedModel
from core.inference.transformer import Floats
from core.interpretability.living import (
    SUBLAYERS,
    SUM,
    AttentionKind,
    Passage,
    follow,
    likeliest,
    living_picture,
    open_attention,
    shown_channels,
)
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.records import Translation
from core.theory.model_parts import SIDES
from pages.components.content import read_entries
from pages.components.models import kept_finding
from pages.components.share import is_presenting
from pages.components.state import linked_text, set_value
from pages.components.style import read_asset


@dataclass(frozen=True)
class _Phase:
    """A phase of the animation, as pages/content/living.toml has it."""

    name: str
    title: str
    sentence: str
    lights: tuple[str, ...]  # boxes


_PHASES = [asdict(phase) for phase in read_entries("living.toml", "phase", _Phase)]
_MOMENT = "moment"  # key of the step and of what is open, as living.js writes it
_ATTENTION: dict[str, tuple[AttentionKind, str]] = {
    "encoder_attention": ("encoder", "Self-attention"),
    "decoder_attention": ("decoder", "Masked self-attention"),
    "cross_attention": ("cross", "Cross-attention"),
}
_BLOCKED = "−∞"


def translated(model: TrainedModel, sentence: str) -> Translation:
    """Return the greedy translation of one sentence, computed once for all visitors.

    Raises:
        ValueError: it cannot be translated.
    """
    return kept_finding(
        model, "translation", (sentence,), lambda tracer: tracer.translator.translate_typed([sentence])[0]
    )


def show_living(model: TrainedModel, translation: Translation, linked: bool = True) -> None:
    """Draw a sentence on its way through the model.

    Args:
        model: that translated it.
        translation: of one sentence.
        linked: whether the address keeps the step and what is open; else it plays once, quietly.

    Raises:
        ValueError: the sentence is too long for the picture.
    """
    pair = ForcedPair.of_translation(model.translator, translation)
    content = (translation.read, translation.best.ids)
    picture = kept_finding(model, "living picture", content, lambda tracer: living_picture(tracer, pair))
    _draw(model, pair, picture, linked)


@st.fragment  # a step or a box draws nothing else of the page anew
def _draw(model: TrainedModel, pair: ForcedPair, picture: dict[str, Any], linked: bool) -> None:
    moment = linked_text(_MOMENT, "") if linked else ""
    data = {
        "id": f"{model.id} {picture['source']} {picture['target']}",
        "picture": picture,
        "phases": _PHASES,
        "moment": moment,
        "linked": linked,
        "presenting": is_presenting(),
        "detail": _opened(model, pair, moment),
    }
    if not exists():  # components need a running server; a test that drives the script has none
        return

    def keep() -> None:
        told = (st.session_state.get("living") or {}).get("moment")
        if linked and isinstance(told, str):
            set_value(_MOMENT, told)

    component = st.components.v2.component(
        "transformer_classroom_living",
        html='<div class="living" tabindex="0" role="group" aria-label="A sentence on its way through the model"></div>',
        css=read_asset("living.css"),
        js=read_asset("living.js"),
    )
    component(key="living", data=data, on_moment_change=keep)


def _opened(model: TrainedModel, pair: ForcedPair, moment: str) -> dict[str, Any] | None:
    """Return the numbers of the box that a moment names; None where it names none that there is."""
    _, key, layer, head, *_ = *moment.split("."), "", "", ""
    if not (layer.isdecimal() and head.isdecimal()):
        return None
    config = model.checkpoint.config
    place = (min(max(int(layer), 1), config.num_layers) - 1, min(max(int(head), 1), config.num_heads) - 1)
    content = (tuple(pair.source.tolist()), tuple(pair.predicted.tolist()), key, *place)
    return kept_finding(model, "living box", content, lambda tracer: box_numbers(tracer, pair, key, *place))


def box_numbers(tracer: Tracer, pair: ForcedPair, key: str, layer: int, head: int) -> dict[str, Any] | None:
    """Return the numbers inside a box as texts, with 3 decimals.

    Args:
        tracer: of the model.
        pair: the sentence and its translation.
        key: of the box; None is returned where there is none of that name.
        layer: from 0.
        head: from 0, for attention.

    Returns:
        A table for each word of the box's side: "cells" are by word, row and column; "fixed" are the last columns of
        each row, the same for all words; "above" and "below" stand around each word's table.
    """
    passage = follow(tracer, pair)
    if key in _ATTENTION:
        return {"key": key, **_attention_table(tracer, passage, pair, key, layer, head)}
    if key == "output":
        rows = [likeliest(tracer, logits) for logits in passage.trace.logits[0]]
        cells = [[[token, f"{logit:.3f}", f"{p:.2%}"] for token, p, logit in each] for each in rows]
        ranks = [str(rank + 1) for rank in range(len(cells[0]))]
        return _table(key, "The next token after", ["token", "logit", "probability"], ranks, cells)
    side, _, name = key.partition("_")
    if side not in SIDES:
        return None
    first = SUM + SUBLAYERS[side] * layer
    last = first + SUBLAYERS[side]
    shown = {
        "embedding": {"word · √D": 0, "position": 1, "sum": SUM},
        "feed_forward": {"before": last - 1, "after": last},
        "output": {"into the layer": first, "out of it": last},
    }.get(name)
    if shown is None:
        return None
    channels = shown_channels(tracer.config.d_model)
    values = passage.levels[side][list(shown.values())][..., channels].transpose(1, 2, 0)
    titles = {"embedding": "Embedding and position", "feed_forward": f"Feed-forward, layer {layer + 1}"}
    title = titles.get(name, f"Layer {layer + 1}")
    return _table(key, title, [*shown], [f"number {each + 1}" for each in channels], _texts(values))


def _table(key: str, title: str, heads: list[str], labels: Sequence[str], cells: list[Any]) -> dict[str, Any]:
    none = [""] * len(cells)
    texts = {"above": none, "below": none, "fixed": [[] for _ in labels]}
    return {"key": key, "title": title, "heads": heads, "labels": labels, "cells": cells, **texts}


def _attention_table(
    tracer: Tracer, passage: Passage, pair: ForcedPair, key: str, layer: int, head: int
) -> dict[str, Any]:
    kind, title = _ATTENTION[key]
    numbers = open_attention(tracer, passage, kind, layer, head)
    scores, scaled, weights = (_texts(numbers[name]) for name in ("scores", "scaled", "weights"))
    blocked = np.triu(np.ones_like(numbers["scores"], bool), 1) & (kind == "decoder")
    masks = np.where(blocked, _BLOCKED, "0").tolist()
    columns = zip(scores, scaled, masks, weights, strict=True)
    q, k, v, mixed = (
        [f"({', '.join(vector)})" for vector in _texts(numbers[name])]
        for name in ("queries", "keys", "values", "mixed")
    )
    return {
        "title": f"{title}, layer {layer + 1}, head {head + 1}",
        "heads": ["q · k", f"÷ √{tracer.config.head_dim}", "mask", "softmax", "k", "v"],
        "labels": pair.decoder_input_tokens if kind == "decoder" else pair.source_tokens,
        "cells": [list(zip(*each, strict=True)) for each in columns],
        "fixed": list(zip(k, v, strict=True)),
        "above": [f"q = {each}" for each in q],
        "below": [f"Σ softmax · v = {each}" for each in mixed],
    }


def _texts(values: Floats) -> Any:
    """Return numbers of any shape with 3 decimals; none is "-0.000"."""
    return np.char.mod("%.3f", values.astype(float).round(3) + 0.0).tolist()
