"""An SVG saved as a PNG: the browser draws it, so the server needs no drawing library."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime import exists

_SCALE = 2  # pixels of the file for one of the drawing: sharp on a slide

_SAVE = f"""
export default function (component) {{
  const {{ data, parentElement }} = component;
  parentElement.querySelector("button").onclick = () => {{
    const image = new Image();
    image.onload = () => {{
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth * {_SCALE};
      canvas.height = image.naturalHeight * {_SCALE};
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      const link = document.createElement("a");
      link.download = data.name;
      link.href = canvas.toDataURL("image/png");
      link.click();
    }};
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(data.svg);
  }};
}}
"""
_STYLE = """button { font: inherit; color: var(--st-text-color); background: var(--st-background-color);
border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius); padding: 0.45rem 0.8rem;
cursor: pointer; } button:hover, button:focus-visible { border-color: var(--st-primary-color); }"""


def show_picture_button(svg: str, name: str, label: str = "PNG") -> None:
    """A button that saves a drawing as a picture.

    Args:
        svg: a whole SVG file.
        name: of the file.
        label: of the button.
    """
    if not exists():  # components need a running server; a test that drives the script has none
        return
    component = st.components.v2.component(
        "transformer_classroom_picture", html=f'<button type="button">{label}</button>', css=_STYLE, js=_SAVE
    )
    component(key="save_picture", data={"svg": svg, "name": name}, width="content")
