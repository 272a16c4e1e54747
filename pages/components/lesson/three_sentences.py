from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.components.widgets.texts import text_input

MAX_CHARACTERS = 2000  # of a text; a sentence of 300 words has about 1,700


def edit_sentences(first: Sequence[str], key: str) -> list[str]:
    """Boxes for sentences, side by side. Text that is too long is cut off.

    Args:
        first: what they hold at first, one sentence a box.
        key: of the boxes, in the address too, followed by "_1", "_2" …
    """
    sentences = []
    for number, (box, text) in enumerate(zip(st.columns(len(first)), first, strict=True), start=1):
        with box:
            sentences.append(
                text_input(f"Sentence {number}", text, f"{key}_{number}", max_chars=MAX_CHARACTERS)
            )
    return sentences
