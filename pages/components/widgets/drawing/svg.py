from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.runtime import exists

from pages.components.widgets.memory import sent_value

# The drawing comes as data: a component's own HTML is one for all sessions of a server.
_SHOW = """
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const focused = parentElement.activeElement?.dataset.part;
  const place = parentElement.querySelector(".drawing");
  place.innerHTML = data;
  for (const part of place.querySelectorAll("[data-part]")) {
    const press = () => setTriggerValue("part", part.dataset.part);
    part.onclick = press;
    part.onkeydown = (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        press();
      }
    };
    if (focused && part.dataset.part === focused && part.tabIndex === 0) part.focus();
  }
}
"""
ON_ONE_SCREEN = """<style>
@media (min-width: 701px) { svg { max-height: max(24rem, 100vh - 12rem); } }
</style>"""  # before a drawing: below the heading, and on a phone as wide as it is
_TEXT_COLOR = "svg { color: var(--st-text-color); font-family: var(--st-font); }"


def show_svg(svg: str, key: str = "svg", on_press: Callable[[str], None] | None = None) -> None:
    """Show a drawing of our own making; `currentColor` in it is the theme's text colour.

    st.html strips SVG, and st.image shows one that knows nothing of the theme.

    Args:
        svg: the drawing.
        key: once a page.
        on_press: called before the page runs again with the `data-part` of what was pressed in the drawing.
    """
    if not exists():  # components need a running server; a test that drives the script has none
        return

    def pressed() -> None:
        part = (sent_value(key) or {}).get("part")
        if on_press is not None and isinstance(part, str):
            on_press(part)

    component = st.components.v2.component(
        "transformer_classroom_svg", html='<div class="drawing"></div>', css=_TEXT_COLOR, js=_SHOW
    )
    component(key=key, data=svg, on_part_change=pressed)
