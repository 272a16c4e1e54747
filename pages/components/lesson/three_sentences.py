from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

MAX_CHARACTERS = 2000  # of a text that are read: a sentence of 300 words has some 1,700


def edit_sentences(first: Sequence[str], key: str) -> list[str]:
    """Boxes for sentences beside each other. What is too long, typed or in an address, is cut off by Streamlit.

    Args:
        first: what they hold at first, one sentence a box.
        key: of the boxes in the address, with "_1", "_2" … behind it.
    """
    return [
        box.text_input(
            f"Sentence {number}",
            text,
            max_chars=MAX_CHARACTERS,
            key=f"{key}_{number}",
            bind="query-params",
        )
        for number, (box, text) in enumerate(zip(st.columns(len(first)), first, strict=True), start=1)
    ]
