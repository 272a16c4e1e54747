"""A whole encoding as colours."""

from __future__ import annotations

import streamlit as st

from core.figures.positions import cell_size, encoding_figures
from core.theory.positional_encoding import sinusoidal_encoding
from pages.components.lesson.exercises import positional_encoding as exercises
from pages.components.lesson.explanation import Formula, Lesson
from pages.components.lesson.view import View
from pages.components.positional_encoding.sizes import choose_sizes
from pages.components.widgets.drawing.figure import show_figures

ENCODING = Formula(
    r"""\begin{aligned}
    PE_{(pos,\,2i)} &= \sin\!\left(pos / 10000^{2i/d_{model}}\right) \\
    PE_{(pos,\,2i+1)} &= \cos\!\left(pos / 10000^{2i/d_{model}}\right)
    \end{aligned}""",
    "Vaswani et al. 2017, section 3.5",
)


def _show_heatmap() -> None:
    length, width = choose_sizes()
    show_figures(
        encoding_figures(sinusoidal_encoding(length, width)),
        alt=f"Heatmap of the encoding: {length} positions, {width} channels",
        key="encoding",
        across=2,
    )
    positions, channels = cell_size(length, width)
    if positions > 1 or channels > 1:
        st.caption(
            f"It is too large for a screen: each cell of the picture is the mean of {positions} positions × {channels} "
            "channels, so waves shorter than a cell fade to 0."
        )


HEATMAP = View(
    "Heatmap",
    _show_heatmap,
    Lesson(
        notice="Each row is one position's pattern, and no two rows are alike. The first channels change from word to "
        "word, the last ones hardly at all over thousands of words: like the hands of a clock, fast ones for detail "
        "and slow ones for the whole.",
        formulas=(ENCODING,),
        code=(sinusoidal_encoding,),
        exercise=exercises.HEATMAP,
    ),
)
