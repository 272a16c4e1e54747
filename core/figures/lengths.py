"""How long sentences are: a histogram of one or several sides, the longest of each marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from core.figures import theme

_MOST_BINS = 30
_MOST_TICKS = 12
_COLORS = (theme.BLUE, theme.VERMILLION, theme.GREEN, theme.PURPLE)
_MARK_ROW = 20  # pixels above the bars for each marked maximum


@dataclass(frozen=True)
class LengthsInfo:
    """How many sentences have each length, by ranges that all sides share."""

    starts: tuple[int, ...]  # the shortest length of each range
    width: int  # lengths in a range
    counts: Mapping[str, tuple[int, ...]]  # by side, sentences in each range
    means: Mapping[str, float]  # by side
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
        lengths: of each sentence, by side ("source", "target").
        unit: what is counted, in the plural.
    """
    sides = {side: np.asarray(values, np.int64) for side, values in lengths.items()}
    longest = {side: int(values.max(initial=0)) for side, values in sides.items()}
    most = max(longest.values(), default=0)
    width = next(width for width in _widths() if most // width < _MOST_BINS)
    bins = most // width + 1 if any(len(values) for values in sides.values()) else 0
    return LengthsInfo(
        starts=tuple(number * width for number in range(bins)),
        width=width,
        counts={
            side: tuple(np.bincount(values // width, minlength=bins).tolist())
            for side, values in sides.items()
        },
        means={side: float(values.mean()) if len(values) else 0.0 for side, values in sides.items()},
        longest=longest,
        unit=unit,
    )


def lengths_figure(info: LengthsInfo) -> go.Figure:
    """Draw bars side by side for each range, and a dashed line at each side's longest sentence."""
    figure = theme.apply_theme(go.Figure(), 340 + _MARK_ROW * len(info.counts))
    if not info.starts:
        return theme.apply_message(figure, "No sentences to count")
    for number, (side, counts) in enumerate(info.counts.items()):
        color = _COLORS[number % len(_COLORS)]
        figure.add_trace(
            go.Bar(
                x=[start + info.width / 2 for start in info.starts],
                y=counts,
                customdata=info.labels,
                name=side,
                marker_color=color,
                hovertemplate=f"{side}: %{{y:,}} with %{{customdata}} {info.unit}<extra></extra>",
            )
        )
        _mark_longest(figure, number, side, info.longest[side], color)
    figure.update_layout(
        barmode="group",
        bargap=0.1,
        margin_t=24 + _MARK_ROW * len(info.counts),
        legend={"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"},
        margin_b=84,
    )
    figure.update_xaxes(title_text=f"{info.unit} in a sentence", nticks=_MOST_TICKS, showgrid=False)
    if info.width == 1:  # a bar has one length, not the room between two
        ticks = theme.tick_positions(len(info.starts), _MOST_TICKS)
        figure.update_xaxes(
            tickvals=[info.starts[tick] + 0.5 for tick in ticks],
            ticktext=[info.labels[tick] for tick in ticks],
        )
    figure.update_yaxes(title_text="sentences", tickformat=",d", nticks=6)
    return figure


def _mark_longest(figure: go.Figure, number: int, side: str, longest: int, color: str) -> None:
    figure.add_vline(x=longest + 0.5, line_color=color, line_dash="dash", line_width=1.5)
    figure.add_annotation(
        text=theme.escaped(f"longest {side}: {longest:,}"),
        x=longest + 0.5,
        xanchor="right",
        xshift=-4,
        yref="paper",
        y=1,
        yanchor="bottom",
        yshift=_MARK_ROW * number,
        showarrow=False,
        font_size=theme.TICK_SIZE,
    )


def _widths() -> Sequence[int]:
    """Widths of a range that people count in: 1, 2, 5, 10, 20, 50 and so on."""
    return [factor * 10**power for power in range(7) for factor in (1, 2, 5)]
