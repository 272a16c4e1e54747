"""How long sentences are: a histogram of both sides, the longest of each marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.figures import theme
from core.figures.theme import Figure

_MAX_BINS = 30
_MAX_TICKS = 12
_COLORS = (theme.BLUE, theme.VERMILLION)
_MARK_ROW = 20  # pixels above the bars for each marked maximum


def lengths_figure(lengths: Mapping[str, Sequence[int]], unit: str = "tokens") -> Figure:
    """Draw bars side by side for each range of lengths, and a dashed line at each side's longest sentence.

    Args:
        lengths: of each sentence, one or more, by side ("source", "target").
        unit: what is counted, in the plural.
    """
    most = max(map(max, lengths.values()))
    width = _range_width(most)
    starts = range(0, most + 1, width)
    labels = [f"{start}" if width == 1 else f"{start}–{start + width - 1}" for start in starts]
    bars, lines, notes = [], [], []
    for row, ((side, values), color) in enumerate(zip(lengths.items(), _COLORS, strict=False)):
        counts = np.bincount(np.asarray(values) // width, minlength=len(starts))
        bars.append(
            {
                "type": "bar",
                "x": [start + width / 2 for start in starts],
                "y": counts.tolist(),
                "customdata": labels,
                "name": side,
                "marker": {"color": color},
                "hovertemplate": f"{side}: %{{y:,}} with %{{customdata}} {unit}<extra></extra>",
            }
        )
        longest = max(values)
        lines.append(theme.vertical_line(longest + 0.5, color, 1.5))
        place = {"x": longest + 0.5, "xanchor": "right", "yref": "paper", "y": 1, "yanchor": "bottom"}
        shift = {"xshift": -4, "yshift": _MARK_ROW * row}
        font = {"size": theme.TICK_SIZE}
        notes.append({"text": f"longest {side}: {longest:,}", **place, **shift, "font": font})
    x_axis = {"title": {"text": f"{unit} in a sentence"}, "nticks": _MAX_TICKS}
    if width == 1:  # a bar has one length, not the room between two
        ticks = theme.tick_positions(len(starts), _MAX_TICKS)
        x_axis |= {"tickvals": [tick + 0.5 for tick in ticks], "ticktext": [labels[tick] for tick in ticks]}
    marks = _MARK_ROW * len(lengths)
    layout = {
        "bargap": 0.1,
        "margin": {"t": 24 + marks, "b": 84},
        "shapes": lines,
        "annotations": notes,
        "xaxis": x_axis,
        "yaxis": {"title": {"text": "sentences"}, "tickformat": ",d", "nticks": 6},
    }
    return theme.plain_figure(bars, layout, 340 + marks)


def _range_width(most: int) -> int:
    """Return the smallest width of a range that people count in (1, 2, 5, 10, …) with at most _MAX_BINS ranges."""
    widths = (factor * 10**power for power in range(7) for factor in (1, 2, 5))
    return next(width for width in widths if most // width < _MAX_BINS)
