"""What the browser's Back goes to."""

from __future__ import annotations

import streamlit as st

# Streamlit (1.67) makes an entry of every change of the address: of every slider that is moved, and of all that the
# server writes into it while a page comes in. Added once in a tab.
_ONE_ENTRY = """<script>
if (!window.oneEntryAPage) {
  window.oneEntryAPage = true;
  const push = history.pushState.bind(history);
  history.pushState = (state, unused, address) => {
    const isSamePage = new URL(address ?? "", location.href).pathname === location.pathname;
    return isSamePage ? history.replaceState(state, unused, address) : push(state, unused, address);
  };
}
</script>"""


def keep_one_entry_a_page() -> None:
    """Back goes to the page before, as it was left. Called in every run, before the page."""
    st.html(_ONE_ENTRY, unsafe_allow_javascript=True)
