"""What models are made of: for each a bar of the shares of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.figures import theme
from core.figures.architecture import PART_COLORS
from core.figures.theme import Figure, Trace
from core.theory.parts import KINDS_WITH_WEIGHTS, Kind

_BAR_HEIGHT = 64  # pixels, with the room between two
_MIN_NAMED = 0.07  # share of a bar that has room for its number
_COLORS: dict[Kind, str] = {**PART_COLORS, "output": theme.PALE_GREEN}
_TITLES: dict[Kind, str] = {
    "embedding": "embeddings",
    "self-attention": "self-attention",
    "cross-attention": "cross-attention",
    "feed-forward": "feed-forward",
    "norm": "norms",
    "output": "output",
}


@dataclass(frozen=True)
class ModelBar:
    """One model."""

    name: str  # plain text
    counts: Mapping[Kind, int]  # parameters of each kind of part

    @property
    def parameters(self) -> int:
        return sum(self.counts.values())

    @property
    def shares(self) -> dict[Kind, float]:
        """Of all parameters, 0 to 1."""
        return {kind: count / self.parameters for kind, count in self.counts.items()}


def model_size_figure(bars: list[ModelBar], totals: list[str]) -> Figure:
    """Draw a bar for each model, all of one length.

    Args:
        bars: from the top.
        totals: how many parameters each has, in words.
    """
    names = [f"<b>{theme.escaped(bar.name)}</b>: {total}" for bar, total in zip(bars, totals, strict=True)]
    # Above its bar: beside it there is no room on a phone.
    place = {"x": 0, "xanchor": "left", "yanchor": "bottom", "yshift": 15}
    layout = {
        "barmode": "stack",
        "margin": {"t": 8, "b": 84},
        "legend": {"traceorder": "normal"},
        "annotations": [{**place, "text": name, "y": row} for row, name in enumerate(names)],
        "xaxis": {
            "range": [0, 1.03],
            "tickformat": ".0%",
            "title": {"text": "share of all parameters"},
            "dtick": 0.25,
        },
        "yaxis": {"visible": False, "range": [len(bars) - 0.6, -0.75]},
    }
    traces = [_shares(bars, kind) for kind in KINDS_WITH_WEIGHTS]
    return theme.plain_figure(traces, layout, 120 + _BAR_HEIGHT * len(bars))


def _shares(bars: list[ModelBar], kind: Kind) -> Trace:
    """One kind of parts in all models."""
    shares = [bar.shares[kind] for bar in bars]
    # An outline around nothing would be a line at the end of the bar.
    outline = {"color": PART_COLORS[kind], "width": [1.5 if share else 0 for share in shares]}
    text_color = theme.WHITE if kind == "self-attention" else theme.BLACK
    return {
        "type": "bar",
        "x": shares,
        "y": list(range(len(bars))),
        "name": _TITLES[kind],
        "orientation": "h",
        "width": 0.5,
        "marker": {"color": _COLORS[kind], "line": outline},
        "text": [f"{share:.0%}" if share >= _MIN_NAMED else "" for share in shares],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "textfont": {"color": text_color, "size": theme.TICK_SIZE},
        "constraintext": "none",
        "customdata": [bar.counts[kind] for bar in bars],
        "hovertemplate": f"{_TITLES[kind]}: %{{customdata:,}} parameters, %{{x:.1%}}<extra></extra>",
    }
