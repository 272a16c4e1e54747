"""Small tables of arrays: what each is, its axes as letters, and its lengths now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st

from core.theory.parts import Tensor
from pages.components.widgets.words import plain

_SPACE = "\N{NO-BREAK SPACE}"  # a shape broken in two is hard to read


def show_tensors(lines: Iterable[tuple[str, Tensor]], sizes: Mapping[str, int]) -> None:
    """A table with a row for each array.

    Args:
        lines: what is said before each array, and the array.
        sizes: what each letter stands for now.
    """
    rows = [
        f"| {saying}: **{plain(tensor.name)}** | {_tuple(tensor.axes)} | {shape_text(tensor.shape(sizes))} |"
        for saying, tensor in lines
    ]
    st.markdown("| | axes | now |\n|---|---|---|\n" + "\n".join(rows))


def shape_text(shape: Iterable[int]) -> str:
    """Like "(8, 4, 10, 16)"; no thousands separators, which would look like axes."""
    return _tuple(map(str, shape))


def _tuple(words: Iterable[str]) -> str:
    return f"({f',{_SPACE}'.join(word.replace(' ', _SPACE) for word in words)})"
