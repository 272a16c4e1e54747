"""The app's own styles. A figure should fit on the first screen of a projector, 1280 × 720."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime import exists

MENU_WIDTH = 280  # pixels; in style.css too


@cache
def read_asset(name: str) -> str:
    """Return a style or a script of this folder."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def draw_component(name: str, html: str, js: str, data: Mapping[str, Any], **callbacks: Any) -> None:
    """Draw a component in the browser, with the style file of its name.

    Args:
        name: The component's name and key, alone on its page.
        html: The element in which the script draws.
        js: The script, which exports a function that is called with the data at each run.
        data: What the browser gets.
        callbacks: Called when the script sets a value, by `on_NAME_change`.
    """
    # Components need a running server, which tests of the script do not have.
    if exists():
        component = st.components.v2.component(
            f"transformer_classroom_{name}", html=html, css=read_asset(f"{name}.css"), js=js
        )
        component(key=name, data=data, **callbacks)


def apply_style(name: str) -> None:
    """Apply a style file to the page."""
    st.html(f"<style>{read_asset(name)}</style>")
