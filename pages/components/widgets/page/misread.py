"""What a link asks for that a page does not have, said above it."""

from __future__ import annotations

import streamlit as st

from core.classroom.models import OWN_MODEL
from pages.components.widgets.address import take_misread
from pages.components.widgets.words import first_words, plain


def say_misread() -> None:
    """Called after the widgets that read the address; says nothing where all of it made sense."""
    misread = take_misread()
    if misread.get("model", "").startswith(OWN_MODEL):
        del misread["model"]
        st.warning(
            "The link names a model that exists only in the tab where it was trained or opened, and is not here. Another "
            "model is shown instead. To share a model, download it under Checkpoints.",
            icon=":material/link_off:",
        )
    if misread:
        asked = ", ".join(f"{name} “{plain(first_words(text))}”" for name, text in misread.items())
        st.warning(
            f"The link asks for something that this page does not have: {asked}. The page shows the default, or the "
            "nearest value.",
            icon=":material/link_off:",
        )
