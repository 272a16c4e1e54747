"""What each written word comes from: a bar of source and prefix, and the words themselves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.figures import theme
from core.figures.color_bar import BAR_WIDTH, color_axis
from core.figures.heatmap import heatmap_info, heatmap_trace, label_axis
from core.figures.label_fit import MIN_COLUMN, longest_label, row_height
from core.figures.theme import Figure

SOURCE, PREFIX, MARKED = theme.BLUE, theme.GREY, theme.VERMILLION

_BARS, _GAP = 0.24, 0.03  # of the width of cells and bars
_ROW_HEIGHT, _LEAST_ROW_HEIGHT, _MIN_HEIGHT = 26, 18, 120  # pixels
_TOP = 270  # pixels of the page above
_AROUND = 150  # pixels, for labels of columns and the legend
_SCREEN = 780  # pixels, the most that is asked for
_MAX_LABELS = 128


@dataclass(frozen=True)
class ContributionsInfo:
    """Rows: the written words. Columns: source words, then the words written before."""

    words: tuple[str, ...]
    columns: tuple[str, ...]
    num_source: int  # columns that are source words
    values: tuple[tuple[float | None, ...], ...]
    hover: tuple[tuple[str, ...], ...]
    source_share: tuple[float, ...]  # 0 to 1
    marked: frozenset[int]  # words that may be invented
    highest: float


def contributions_info(
    words: Sequence[str],
    source_words: Sequence[str],
    prefix_words: Sequence[str],
    values: NDArray[np.float32],
    source_share: NDArray[np.float32],
    marked: Collection[int] = (),
) -> ContributionsInfo:
    """Label contributions.

    Args:
        words: written, W.
        source_words: S of them.
        prefix_words: P that may come before a written word.
        values: (W, S + P); NaN where a word is not before the one in its row.
        source_share: (W,), 0 to 1.
        marked: rows that may be invented.
    """
    columns = (*source_words, *prefix_words)
    heatmap = heatmap_info(values, words, columns, hover_format="“{row}” from “{column}”: {value:.1%}")
    highest = float(np.nanmax(values, initial=0.0)) or 1.0
    return ContributionsInfo(
        tuple(words),
        columns,
        len(source_words),
        heatmap.values,
        heatmap.hover,
        tuple(map(float, source_share)),
        frozenset(marked),
        highest,
    )


def contributions_figure(info: ContributionsInfo) -> Figure:
    """Draw the bars at the left and the words at the right, in the same rows."""
    if not info.words:
        return theme.message_figure("Nothing to show yet", 200)
    row = row_height(len(info.words), _ROW_HEIGHT, _LEAST_ROW_HEIGHT, _AROUND, _TOP)
    height = max(_MIN_HEIGHT, row * len(info.words)) + _AROUND
    words = [f"{'⚠ ' if row in info.marked else ''}{word}" for row, word in enumerate(info.words)]
    color = color_axis((0.0, info.highest))
    cells = heatmap_trace(info.values, info.hover)
    width = longest_label(words) + MIN_COLUMN * len(info.columns) / (1 - _BARS) + BAR_WIDTH
    boundary = {
        "type": "line", "x0": info.num_source - 0.5, "x1": info.num_source - 0.5, "xref": "x2",
        "y0": 0, "y1": 1, "yref": "paper", "line": {"color": theme.GREY, "width": 3},
    }  # fmt: skip
    layout = {
        "barmode": "stack",
        "bargap": 0.15,
        "coloraxis": color,
        "margin": {"t": 30, "b": 44},
        "meta": {"min_width": min(_SCREEN, round(width))},
        "shapes": [boundary] if info.num_source < len(info.columns) else [],
        "xaxis": {"domain": [0, _BARS], "range": [0, 1], "tickformat": ".0%", "nticks": 3, "side": "top"},
        "xaxis2": {
            **label_axis(info.columns, "", most=_MAX_LABELS),
            "domain": [_BARS + _GAP, 1],
            "anchor": "y",
            "tickangle": -90,
        },
        "yaxis": {**label_axis(words, "", down=True, most=_MAX_LABELS), "anchor": "x"},
    }
    traces = [*_bars(info), {**cells, "xaxis": "x2", "yaxis": "y"}]
    return theme.plain_figure(traces, layout, height)


def _bars(info: ContributionsInfo) -> list[dict[str, Any]]:
    rows = list(range(len(info.words)))
    others = [1 - share for share in info.source_share]
    colors = [MARKED if row in info.marked else SOURCE for row in rows]
    bars = (("source", info.source_share, colors), ("words before", others, PREFIX))
    return [
        {
            "type": "bar",
            "orientation": "h",
            "x": values,
            "y": rows,
            "xaxis": "x",
            "yaxis": "y",
            "name": name,
            "marker": {"color": color},
            "hovertemplate": f"%{{x:.0%}} from the {name}<extra></extra>",
        }
        for name, values, color in bars
    ]
