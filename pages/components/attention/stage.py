"""The attention stage: all heads as small maps, and the weights of the chosen ones as lines between words."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.figures.browser.attention_stage import COLORS, stage_kind
from core.language import N_, _
from core.records.attention import AttentionKind, HeadMaps
from core.records.text import Translation
from pages.components.frame.presenting import draw_figure
from pages.components.widgets.state import Linked, linked_choice
from pages.content.reader import ROLES

KIND_TITLES: dict[AttentionKind, str] = {
    "cross": N_("Cross-attention"),
    "encoder": N_("Encoder"),
    "decoder": N_("Decoder"),
}
_KEY = "stage"
# In the address. All but the first are written and read by stage.js: heads as "layer.head", a word as "side.number".
KIND: Linked[AttentionKind] = linked_choice(
    "attention", {kind: kind for kind in KIND_TITLES}, "cross", N_("kind of attention")
)
HEADS = Linked("heads", "", N_("choice of heads"), str, str)
_LOOK = Linked("look", "lines", N_("look"), str, str)
WORD = Linked("word", "", N_("word"), str, str)
_CHOICES: tuple[Linked[Any], ...] = (KIND, HEADS, _LOOK, WORD)
_MAX_BYTES = 200_000  # all kinds of attention together; above it, only the chosen kind is sent
EMPTY = N_("All tokens are hidden. Show start and end tokens again under Display options.")


def show_stage(data: Mapping[str, Any]) -> None:
    """Show the heads in the data of `stage_data` as large as the screen allows, and keep the choices in the address."""
    # Not in a fragment: if the first run of a reloaded tab is interrupted, Streamlit (1.67) forgets the fragments of the
    # next one, and the choices would be lost.
    draw_figure(_KEY, '<div class="stage"></div>', data, on_choice_change=_keep)


def _keep() -> None:
    """Keep the choices made in the browser."""
    chosen = (st.session_state.get(_KEY) or {}).get("choice") or {}
    for each in _CHOICES:
        if isinstance(text := chosen.get(each.key), str):
            each.set(each.read(text))


def stage_choice() -> dict[str, str]:
    """Return what is chosen on the stage."""
    return {each.key: each.get() for each in _CHOICES}


def stage_data(
    maps: Mapping[AttentionKind, HeadMaps], sentence: Translation, model_name: str
) -> dict[str, Any]:
    """Return the data for the script: all kinds of attention, or the chosen one if they are too large."""
    kind = KIND.get()
    kinds = {each: stage_kind(of_kind) for each, of_kind in maps.items()}
    if sum(len(each["weights"]) for each in kinds.values()) > _MAX_BYTES:
        kinds = {kind: kinds[kind]}
    return {
        "source": sentence.source,
        "target": sentence.text,
        "model": model_name,
        "kinds": kinds,
        "titles": {each: _(title) for each, title in KIND_TITLES.items()},
        "roles": {_(role): does for role, does in ROLES.items()},
        "colors": COLORS,
        "empty": _(EMPTY),
        "state": stage_choice(),
    }
