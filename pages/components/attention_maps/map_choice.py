"""The one row of controls of the attention maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from core.interpretability.attention_view import AttentionOptions, Kind, Measure
from core.records import AttentionRecord
from pages.components.widgets.memory import set_value
from pages.components.widgets.page.sentence_row import control_row
from pages.components.widgets.remembered import choose, toggle

View = Literal["overview", "head", "lines", "words", "facts", "compare", "film"]

_VIEWS: dict[View, str] = {
    "overview": "Overview",
    "head": "One head",
    "lines": "Lines",
    "words": "Alignment",
    "facts": "Head statistics",
    "compare": "Compare",
    "film": "During training",
}
_KINDS: dict[Kind, str] = {
    "cross": "Cross-attention",
    "encoder": "Encoder",
    "decoder": "Decoder",
}
_MEASURES: dict[Measure, str] = {"weights": "Weights", "norms": "Norm-weighted", "rollout": "Rollout"}

_VIEW, _LAYER, _HEAD = "map_view", "layer", "head"  # keys

_WITH_KIND: tuple[View, ...] = ("overview", "head", "lines", "facts", "compare", "film")
_WITH_HEAD: tuple[View, ...] = ("head", "lines", "words", "compare", "film")


@dataclass(frozen=True)
class MapChoice:
    """Which attention is shown, and how."""

    view: View
    reading: AttentionOptions
    layer: int  # from 0
    head: int | None  # from 0; None is their mean


def choose_map(record: AttentionRecord, has_film: bool) -> MapChoice:
    """Widgets for the views, and for the kinds of attention, layers and heads that a record holds.

    Args:
        record: of the sentence.
        has_film: whether attention was kept while the model learned.
    """
    num_layers, num_heads = record.cross.shape[:2]
    with control_row("map"):
        places = st.columns([4, 4, 2, 2.4, 2.6], vertical_alignment="bottom")
    views = {name: title for name, title in _VIEWS.items() if name != "film" or has_film}
    with places[0]:
        view = choose("View", views, key=_VIEW, address="view", look="menu")
    kind: Kind = "cross"
    if view in _WITH_KIND:
        with places[1]:
            kind = choose("Attention", _KINDS, key="kind", look="menu")
    with places[4], st.popover("Reading", icon=":material/tune:", width="stretch"):
        reading = _choose_reading(view, kind)
    layer, head = num_layers, "mean"
    if view in _WITH_HEAD:
        with places[2]:
            # The last layer but one aligns best in most models (Garg et al. 2019).
            usual = max(1, num_layers - 1) if view == "words" else num_layers
            layer = choose("Layer", range(1, num_layers + 1), key=_LAYER, default=usual, look="menu")
        if reading.measure != "rollout":
            heads = {str(number): str(number) for number in range(1, num_heads + 1)}
            with places[3]:
                head = choose("Head", {"mean": "Mean", **heads}, key=_HEAD, look="menu")
    return MapChoice(view, reading, layer - 1, int(head) - 1 if head.isdecimal() else None)


def open_head(part: str) -> None:
    """Show the head that was pressed, "layer-head" from 0."""
    layer, head = part.split("-")
    set_value(_LAYER, int(layer) + 1)
    set_value(_HEAD, str(int(head) + 1))
    set_value(_VIEW, "head")


def _choose_reading(view: View, kind: Kind) -> AttentionOptions:
    measures = {
        name: title for name, title in _MEASURES.items() if view not in ("facts", "film") or name == "weights"
    }
    measure = choose(
        "Measure",
        measures,
        key="measure",
        help="Weights: the output of the softmax. Norm-weighted: each weight times the norm of the vector it scales. "
        "Rollout: the maps of all layers so far, multiplied.",
    )
    by_word = toggle("Words instead of subwords", view == "words", key="by_word")
    specials = toggle("Start and end tokens", view != "words", key="specials")
    return AttentionOptions(kind, measure, by_word, specials)
