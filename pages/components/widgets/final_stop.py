from __future__ import annotations

import streamlit as st

from core.records import Translation


def say_stop_added(translation: Translation) -> None:
    """Say that the model read a full stop which nobody typed, wherever tokens are shown."""
    if translation.stop_added:
        st.caption(
            "A full stop was added: this model has only seen sentences that end in punctuation. "
            "The translation leaves its own out again."
        )
