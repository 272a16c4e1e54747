"""How long sentences are: a histogram of both sides, the longest of each marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.figures import theme
from core.figures.theme import Figure

_MAX_BINS = 30
_MAX_TICKS = 12
_COLORS = (theme.BLUE, theme.VERMILLION)
_MARK_ROW = 20  # pixels above the bars for each marked maximum


@dataclass(frozen=True)
class LengthsInfo:
    """How many sentences have each length, by ranges that all sides share."""

    starts: tuple[int, ...]  # the shortest length of each range
    width: int  # lengths in a range
    counts: Mapping[str, tuple[int, ...]]  # by side, sentences in each range
    longest: Mapping[str, int]  # by side
    unit: str  # what is counted, in the plural

    @property
    def labels(self) -> tuple[str, ...]:
        """The ranges in words."""
        if self.width == 1:
            return tuple(f"{start}" for start in self.starts)
        return tuple(f"{start}–{start + self.width - 1}" for start in self.starts)


def lengths_info(lengths: Mapping[str, Sequence[int]], unit: str = "tokens") -> LengthsInfo:
    """Count lengths.

    Args:
        lengths: of each sentence, one or more, by side ("source", "target").
        unit: what is counted, in the plural.
    """
    sides = {side: np.asarray(values, np.int64) for side, values in lengths.items()}
    longest = {side: int(values.max()) for side, values in sides.items()}
    most = max(longest.values())
    width = next(width for width in _widths() if most // width < _MAX_BINS)
    bins = most // width + 1
    return LengthsInfo(
        starts=tuple(number * width for number in range(bins)),
        width=width,
        counts={
            side: tuple(np.bincount(values // width, minlength=bins).tolist())
            for side, values in sides.items()
        },
        longest=longest,
        unit=unit,
    )


def lengths_figure(info: LengthsInfo) -> Figure:
    """Draw bars side by side for each range, and a dashed line at each side's longest sentence."""
    marks = _MARK_ROW * len(info.counts)
    colors = dict(zip(info.counts, _COLORS, strict=False))
    bars = [
        {
            "type": "bar",
            "x": [start + info.width / 2 for start in info.starts],
            "y": counts,
            "customdata": info.labels,
            "name": side,
            "marker": {"color": colors[side]},
            "hovertemplate": f"{side}: %{{y:,}} with %{{customdata}} {info.unit}<extra></extra>",
        }
        for side, counts in info.counts.items()
    ]
    x_axis = {"title": {"text": f"{info.unit} in a sentence"}, "nticks": _MAX_TICKS}
    if info.width == 1:  # a bar has one length, not the room between two
        ticks = theme.tick_positions(len(info.starts), _MAX_TICKS)
        x_axis["tickvals"] = [info.starts[tick] + 0.5 for tick in ticks]
        x_axis["ticktext"] = [info.labels[tick] for tick in ticks]
    layout = {
        "barmode": "group",
        "bargap": 0.1,
        "margin": {"t": 24 + marks, "b": 84},
        "shapes": [
            theme.vertical_line(longest + 0.5, colors[side], 1.5) for side, longest in info.longest.items()
        ],
        "annotations": [
            _longest(number, side, longest) for number, (side, longest) in enumerate(info.longest.items())
        ],
        "xaxis": x_axis,
        "yaxis": {"title": {"text": "sentences"}, "tickformat": ",d", "nticks": 6},
    }
    return theme.plain_figure(bars, layout, 340 + marks)


def _longest(number: int, side: str, longest: int) -> dict[str, Any]:
    """What a dashed line says."""
    return {
        "text": theme.escaped(f"longest {side}: {longest:,}"),
        "x": longest + 0.5,
        "xanchor": "right",
        "xshift": -4,
        "yref": "paper",
        "y": 1,
        "yanchor": "bottom",
        "yshift": _MARK_ROW * number,
        "font": {"size": theme.TICK_SIZE},
    }


def _widths() -> Sequence[int]:
    """Widths of a range that people count in: 1, 2, 5, 10, 20, 50 and so on."""
    return [factor * 10**power for power in range(7) for factor in (1, 2, 5)]
