"""Tokens and their links, followed in the browser: pointing at a token asks the server nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.runtime import exists

from core.figures.attention_drawings import SCRIPT, STYLE

_SHOW = f"""
{SCRIPT}
export default function (component) {{
  const place = component.parentElement.querySelector(".linked-tokens");
  const told = JSON.stringify(component.data);
  if (place.told === told) return; // a rerun of the page: what is pinned stays
  place.told = told;
  drawLinkedTokens(place, component.data);
}}
"""
_STYLE = f"{STYLE} .linked-tokens {{ color: var(--st-text-color); font-family: var(--st-font); }}"


def show_linked_tokens(links: Mapping[str, Any], key: str) -> None:
    """Draw them as wide as there is room.

    Args:
        links: from `linked_tokens`.
        key: once a page.
    """
    if not exists():  # components need a running server; a test that drives the script has none
        return
    component = st.components.v2.component(
        "transformer_classroom_linked_tokens", html='<div class="linked-tokens"></div>', css=_STYLE, js=_SHOW
    )
    component(key=key, data=links)
