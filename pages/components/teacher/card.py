from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

_HTML = """
<div class="card">
  <div class="code" role="img"></div>
  <div class="address"></div>
  <button type="button">Fill the screen</button>
</div>
"""
# White in every theme. The code leaves room for the address below it, on a projector of 720 lines too.
_CSS = """
.card {
  display: flex; flex-direction: column; align-items: center; gap: 0.75rem;
  box-sizing: border-box; padding: 0.5rem 1rem 1rem; border: 1px solid #cccccc; border-radius: 0.5rem;
  background: #ffffff; color: #000000; font-family: var(--st-font);
}
.code { width: min(100%, max(16rem, 100vh - 16rem)); }
.code svg { display: block; width: 100%; height: auto; }
.address {
  max-width: 100%; font: 600 clamp(1.2rem, 2.6vw, 2.2rem)/1.25 var(--st-code-font), monospace;
  overflow-wrap: anywhere; text-align: center;
}
button {
  padding: 0.35rem 1rem; border: 1px solid #767676; border-radius: 0.5rem;
  background: #ffffff; color: #000000; font: inherit; cursor: pointer;
}
button:hover, button:focus-visible { background: #eeeeee; }
.card:fullscreen { justify-content: center; border: 0; border-radius: 0; }
.card:fullscreen .code { width: min(96vw, 100vh - 11rem); }
.card:fullscreen .address { font-size: clamp(1.4rem, 4vw, 3.5rem); }
.card:fullscreen button { display: none; }
"""
_JS = """
export default function (component) {
  const { data, parentElement } = component;
  const card = parentElement.querySelector(".card");
  const code = card.querySelector(".code");
  code.innerHTML = data.code;
  code.setAttribute("aria-label", "QR code of " + data.address);
  card.querySelector(".address").textContent = data.address;
  const button = card.querySelector("button");
  button.hidden = !document.fullscreenEnabled;
  button.onclick = () => card.requestFullscreen();
}
"""


@dataclass(frozen=True)
class Card:
    """An address for everybody in the room."""

    code: str  # a QR code, SVG of our own making
    address: str  # as people type it


def show_card(card: Card) -> None:
    """Show it as large as fits, or over the whole screen."""
    component = st.components.v2.component("transformer_classroom_card", html=_HTML, css=_CSS, js=_JS)
    component(key="projector_card", data={"code": card.code, "address": card.address})
