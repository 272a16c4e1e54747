"""A whole encoding as colours."""

from __future__ import annotations

import streamlit as st

from core.figures.positions import encoding_figures, encoding_info
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
    info = encoding_info(sinusoidal_encoding(length, width))
    show_figures(
        encoding_figures(info),
        alt=f"Heatmap of the encoding: {length} positions, {width} channels",
        key="encoding",
        across=2,
    )
    if info.whole.positions_a_cell > 1 or info.whole.channels_a_cell > 1:
        st.caption(
            f"It is too large for a screen: each cell of the picture is the mean of {info.whole.positions_a_cell} "
            f"positions × {info.whole.channels_a_cell} channels, so waves shorter than a cell fade to 0."
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
