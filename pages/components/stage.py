"""The stage: every head of a sentence small, the chosen ones large, as a map or as lines between words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.runtime import exists

from core.figures.attention_stage import COLORS, stage_page
from core.records import AttentionKind
from pages.components.content import read_toml
from pages.components.share import is_presenting
from pages.components.state import linked_text, set_value
from pages.components.style import read_asset

KIND_TITLES: dict[AttentionKind, str] = {
    "cross": "Cross-attention",
    "encoder": "Encoder",
    "decoder": "Decoder",
}
_KEY = "stage"
# In the address by these keys, and what is chosen at first.
_CHOICE = {"attention": "cross", "heads": "", "look": "map", "word": ""}
_MAX_BYTES = 200_000  # of all kinds of attention; of longer sentences one is sent
_ROLES = read_toml("roles.toml")
_EMPTY = "All tokens are hidden. Show start and end tokens again under Reading."
_SCRIPT = read_asset("picture.js") + read_asset("stage.js")
_DRAW = """
export default function (component) {
  const place = component.parentElement.querySelector(".stage");
  drawStage(place, component.data, (state) => component.setStateValue("choice", state));
  return () => place.letGo();
}
"""


def show_stage(kinds: Mapping[AttentionKind, Mapping[str, Any]], about: Mapping[str, str]) -> dict[str, Any]:
    """Show the heads of a sentence as large as the screen is; what is chosen stands in the address.

    Args:
        kinds: of attention, from `stage_kind`.
        about: "source", "target" and "model", for pictures of it.

    Returns:
        What it draws, for `page_of_stage`.
    """
    data = _data(kinds, about)
    if exists():  # components need a running server; a test that drives the script has none
        component = st.components.v2.component(
            "transformer_classroom_stage",
            html='<div class="stage"></div>',
            css=read_asset("stage.css"),
            js=_SCRIPT + _DRAW,
        )
        # In no fragment: where the first run of a reloaded tab is cut short, Streamlit (1.67) forgets those of the next,
        # and what is chosen would be lost.
        component(key=_KEY, data=data, on_choice_change=_keep)
    return data


def _keep() -> None:
    """Keep what was chosen in the browser."""
    chosen = (st.session_state.get(_KEY) or {}).get("choice") or {}
    for key in _CHOICE:
        if isinstance(text := chosen.get(key), str):
            set_value(key, text)


def _data(kinds: Mapping[AttentionKind, Mapping[str, Any]], about: Mapping[str, str]) -> dict[str, Any]:
    """Return what the script takes: all kinds of attention where they are small, else the chosen one."""
    state = {key: linked_text(key, default) for key, default in _CHOICE.items()}
    kind: AttentionKind = next((each for each in kinds if each == state["attention"]), "cross")
    if sum(len(each["weights"]) for each in kinds.values()) > _MAX_BYTES:
        kinds = {kind: kinds[kind]}
    return {
        **about,
        "kinds": kinds,
        "titles": KIND_TITLES,
        "roles": _ROLES,
        "colors": COLORS,
        "empty": _EMPTY,
        "presenting": is_presenting(),
        "state": {**state, "attention": kind},
    }


def page_of_stage(data: Mapping[str, Any]) -> str:
    """Return the stage as it was chosen, as an HTML file."""
    titles = {kind: KIND_TITLES[kind] for kind in data["kinds"]}
    alone = {**data, "titles": titles, "presenting": False}
    return stage_page(alone, _SCRIPT, read_asset("stage.css"))
