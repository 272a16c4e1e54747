"""The app's own styles. A figure should fit on the first screen of a projector, 1280 × 720."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

MENU_WIDTH = 280  # pixels; in style.css too


@cache
def read_asset(name: str) -> str:
    """Return a style or a script of this folder."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def apply_style(name: str) -> None:
    """Apply a style file to the page."""
    st.html(f"<style>{read_asset(name)}</style>")
