from __future__ import annotations

import streamlit as st
from streamlit.runtime import exists

_HTML = '<button type="button">Copy link to this view</button>'
_CSS = """
button {
  font: inherit; font-size: 0.85rem; color: var(--st-text-color); background: transparent; cursor: pointer;
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius, 0.5rem); padding: 0.3rem 0.7rem;
}
button:hover, button:focus-visible { border-color: var(--st-primary-color); }
"""
# Without https, as on a teacher's laptop, browsers have no clipboard for pages; an older way is left.
_JS = """
export default function (component) {
  const button = component.parentElement.querySelector("button");
  const words = button.textContent;
  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const box = document.createElement("textarea");
    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  };
  button.onclick = async () => {
    await copy(window.location.href);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = words; }, 1500);
  };
}
"""


def show_copy_link() -> None:
    """A button below the menu: whoever opens the link sees the same page with the same choices."""
    if not exists():  # no browser: a test drives the script
        return
    with st.sidebar:
        st.components.v2.component("transformer_classroom_copy_link", html=_HTML, css=_CSS, js=_JS)(
            key="copy_link"
        )
