"""The stage: every head of a sentence small, the chosen ones large, as a map or as lines between words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime import exists

from core.figures.attention_stage import COLORS, ROLES, stage_page
from core.interpretability.attention_view import Kind
from pages.components.share import is_presenting
from pages.components.state import linked_text, set_value
from pages.components.style import read_asset

KIND_TITLES: dict[Kind, str] = {"cross": "Cross-attention", "encoder": "Encoder", "decoder": "Decoder"}
_KEY = "stage"
_KIND, _HEADS, _LOOK, _WORD = "attention", "heads", "look", "word"  # in the address
_DEFAULTS = {_KIND: "cross", _HEADS: "", _LOOK: "map", _WORD: ""}
_NAMES = {"kind": _KIND, "heads": _HEADS, "look": _LOOK, "word": _WORD}  # the script's names
_MAX_BYTES = 200_000  # of all kinds of attention; of longer sentences one is sent
_EMPTY = "All tokens are hidden. Show start and end tokens again under Reading."
_DRAW = """
export default function (component) {
  const place = component.parentElement.querySelector(".stage");
  drawStage(place, component.data, (state) => component.setStateValue("choice", state));
  return () => place.letGo();
}
"""


def show_stage(
    kinds: Mapping[Kind, Mapping[str, Any]], about: Mapping[str, str], numbers: Callable[[], str]
) -> None:
    """Show the heads of a sentence as large as the screen is, and files of them; what is chosen stands in the address.

    Args:
        kinds: of attention, from `stage_kind`.
        about: "source", "target" and "model", for pictures of it.
        numbers: returns all of them as JSON.
    """
    data = _data(kinds, about)
    if exists():  # components need a running server; a test that drives the script has none
        component = st.components.v2.component(
            "transformer_classroom_stage",
            html='<div class="stage"></div>',
            css=read_asset("stage.css"),
            js=read_asset("stage.js") + _DRAW,
        )
        # In no fragment: where the first run of a reloaded tab is cut short, Streamlit (1.67) forgets those of the next,
        # and what is chosen would be lost.
        component(key=_KEY, data=data, on_choice_change=_keep)
    place = st.expander(
        "Export: page, numbers",
        icon=":material/download:",
        key="take_away",
        on_change="rerun",  # nothing in it is made or sent while it is closed
    )
    if place.open:
        with place, st.container(horizontal=True):
            _offer_file("HTML page", partial(_page, data), "html", "text/html")
            _offer_file("JSON", numbers, "json", "application/json")


def _offer_file(label: str, data: Callable[[], str], ending: str, mime: str) -> None:
    st.download_button(
        label,
        data,
        f"attention.{ending}",
        mime,
        key=f"take_{ending}",
        on_click="ignore",
        icon=":material/download:",
    )


def _keep() -> None:
    """Keep what was chosen in the browser."""
    chosen = (st.session_state.get(_KEY) or {}).get("choice") or {}
    for name, key in _NAMES.items():
        if isinstance(text := chosen.get(name), str):
            set_value(key, text)


def _data(kinds: Mapping[Kind, Mapping[str, Any]], about: Mapping[str, str]) -> dict[str, Any]:
    """Return what the script takes: all kinds of attention where they are small, else the chosen one."""
    state = {name: linked_text(key, _DEFAULTS[key]) for name, key in _NAMES.items()}
    kind: Kind = next((each for each in kinds if each == state["kind"]), "cross")
    if len(json.dumps(list(kinds.values()))) > _MAX_BYTES:
        kinds = {kind: kinds[kind]}
    return {
        **about,
        "kinds": kinds,
        "titles": KIND_TITLES,
        "roles": ROLES,
        "colors": COLORS,
        "empty": _EMPTY,
        "presenting": is_presenting(),
        "state": {**state, "kind": kind},
    }


def _page(data: Mapping[str, Any]) -> str:
    """Return the stage as it was chosen, as an HTML file."""
    titles = {kind: KIND_TITLES[kind] for kind in data["kinds"]}
    alone = {**data, "titles": titles, "presenting": False}
    return stage_page(alone, read_asset("stage.js"), read_asset("stage.css"))
