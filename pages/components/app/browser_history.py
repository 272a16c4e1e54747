"""What the browser's Back goes to."""

from __future__ import annotations

import streamlit as st

# Streamlit (1.67) makes an entry of every change of the address: of every slider that is moved, and of all that the
# server writes into it while a page comes in. What it writes for the next page may even come before the browser has left
# this one: its entry then gets back the address at which people pressed what leads on. Added once in a tab.
_ONE_ENTRY = """<script>
if (!window.oneEntryAPage) {
  window.oneEntryAPage = true;
  const push = history.pushState.bind(history);
  let pressed = { url: new URL(location.href), at: 0 };
  document.addEventListener("click", (event) => {
    const isDouble = event.target === pressed.target && event.timeStamp - pressed.at < 1000;
    if (!isDouble) pressed = { url: new URL(location.href), at: event.timeStamp, target: event.target };
  }, true);
  history.pushState = (state, unused, address) => {
    const next = new URL(address ?? "", location.href);
    if (next.pathname === location.pathname) return history.replaceState(state, unused, address);
    const isEarly = next.search === location.search && pressed.url.pathname === location.pathname;
    if (isEarly) history.replaceState(history.state, "", pressed.url);
    return push(state, unused, address);
  };
}
</script>"""


def keep_one_entry_a_page() -> None:
    """Back goes to the page before, as it was left. Called in every run, before the page."""
    st.html(_ONE_ENTRY, unsafe_allow_javascript=True)


def send_address() -> None:
    """Tell the browser the address though nothing in it has changed: it may have another one by now."""
    st.query_params.update({})  # Streamlit (1.67) sends the whole address for each change, an empty one too
