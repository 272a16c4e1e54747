"""What a page is shown on."""

import streamlit as st


def is_phone() -> bool:
    """Return whether the browser says that it is a phone's; the server does not know how wide the screen is."""
    return "Mobi" in st.context.headers.get("User-Agent", "")
