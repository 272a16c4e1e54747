"""What is left of a translation while its source is erased in different orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.figures import theme
from core.figures.theme import Figure

_LOOKS = (
    (theme.BLUE, "solid"), (theme.VERMILLION, "solid"), (theme.GREEN, "solid"),
    (theme.PURPLE, "solid"), (theme.BLUE, "dot"),
)  # fmt: skip
_CHANCE_LOOK = (theme.GREY, "dash")
_HEIGHT, _LEGEND_ROW = 420, 26  # pixels


@dataclass(frozen=True)
class ErasureInfo:
    """A curve for each order."""

    erased: tuple[int, ...]  # words gone at each point
    curves: Mapping[str, tuple[float, ...]]  # by name; mean log P a token, nats
    chance: str  # the name of the curve of random orders


def erasure_info(erased: Sequence[int], curves: Mapping[str, Sequence[float]], chance: str) -> ErasureInfo:
    """Keep the curves in their order.

    Args:
        erased: words gone at each point.
        curves: by the name that the legend gives them.
        chance: which of them is of random orders.
    """
    return ErasureInfo(
        tuple(erased), {name: tuple(map(float, curve)) for name, curve in curves.items()}, chance
    )


def erasure_figure(info: ErasureInfo) -> Figure:
    """Draw a line for each order, that of chance dashed."""
    looks = iter(_LOOKS)
    traces = []
    for name, curve in info.curves.items():
        color, dash = _CHANCE_LOOK if name == info.chance else next(looks)
        traces.append(
            {
                "type": "scatter",
                "x": info.erased,
                "y": curve,
                "name": theme.escaped(name),
                "mode": "lines+markers",
                "line": {"color": color, "dash": dash, "width": 3},
                "marker": {"size": 7},
                "hovertemplate": f"{theme.escaped(name)}: %{{y:.2f}} nats with %{{x}} words gone<extra></extra>",
            }
        )
    layout = {
        "margin": {"t": 12, "b": 60 + _LEGEND_ROW * 2},
        "xaxis": {"title": {"text": "source words erased"}, "dtick": -(-info.erased[-1] // 8)},
        "yaxis": {"title": {"text": "log P per token, nats"}, "nticks": 6},
    }
    return theme.plain_figure(traces, layout, _HEIGHT)
