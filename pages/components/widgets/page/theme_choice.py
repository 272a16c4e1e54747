"""Light or dark, in the app itself: a projector in a bright room wants another one than a laptop at night.

`?theme=dark` opens any page in it. Figures follow, since Streamlit tells the server which theme it shows.
"""

from __future__ import annotations

import streamlit as st
from streamlit.runtime import exists

from pages.components.app.menu import HOME, PAGES, PageEntry
from pages.components.widgets.memory import set_value
from pages.components.widgets.remembered import choose

_KEY = "theme"
_CHOSEN = "theme_chosen"  # key of st.session_state: whether somebody has pressed a button here
_STORED = "theme_stored"  # key of st.session_state: what the browser remembers, for the next run
_SYSTEM = "system"
_TITLES = {_SYSTEM: "System", "light": "Light", "dark": "Dark"}

# Streamlit (1.67) has no call that changes the theme. It reads what its own settings menu stores, which this app does
# not show, when a page is loaded: one entry for each path. So all of them are written, and the page is loaded anew;
# that loses nothing, for a reloaded tab gets its work back.
_STORE = """
export default function (component) {
  const { data, setStateValue } = component;
  const here = window.location.pathname;
  const above = data.page && here.endsWith(data.page) ? here.slice(0, -data.page.length) : here.replace(/\\/?$/, "/");
  const entry = (path) => `stActiveTheme-${path}-v2`;
  try {
    const stored = JSON.parse(localStorage.getItem(entry(here)) ?? '"System"');
    if (!data.chosen) {
      if (stored !== "System") setStateValue("stored", stored);
    } else if (stored !== data.theme) {
      for (const path of [here, ...data.pages.map((page) => above + page)])
        localStorage.setItem(entry(path), JSON.stringify(data.theme));
      window.location.reload();
    }
  } catch (error) {
    console.info("This browser stores no theme.", error);
  }
}
"""


def show_theme_choice(page: PageEntry) -> None:
    """Three buttons; the browser remembers what was chosen. Drawn once in a run."""
    if _STORED in st.session_state:
        set_value(_KEY, st.session_state.pop(_STORED))
    theme = choose("Light or dark", _TITLES, _KEY, hide_label=True, on_change=_choose)
    if not exists():  # no browser: a test drives the script
        return
    chosen = theme != _SYSTEM or st.session_state.get(_CHOSEN, False)
    stored = st.components.v2.component("transformer_classroom_theme", js=_STORE)(
        key="theme_store",
        data={
            "theme": theme.capitalize(),  # as Streamlit stores it
            "chosen": chosen,
            "page": _path_of(page),
            "pages": [_path_of(each) for each in PAGES],
        },
        on_stored_change=lambda: None,
    ).get("stored")
    theirs = str(stored).lower()
    if not chosen and theirs in _TITLES and theirs != theme:  # any other would run the page without end
        st.session_state[_STORED] = theirs  # this run has drawn the buttons
        st.rerun()


def _choose() -> None:
    st.session_state[_CHOSEN] = True


def _path_of(page: PageEntry) -> str:
    return "" if page == HOME else page.address
