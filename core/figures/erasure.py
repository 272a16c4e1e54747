"""What is left of a translation while its source is erased in different orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.figures import theme
from core.figures.theme import Figure

_LOOKS = (
    (theme.BLUE, "solid"), (theme.VERMILLION, "solid"), (theme.GREEN, "solid"),
    (theme.PURPLE, "solid"), (theme.BLUE, "dot"),
)  # fmt: skip
_CHANCE_LOOK = (theme.GREY, "dash")
_HEIGHT, _LEGEND_ROW = 420, 26  # pixels


def erasure_figure(erased: Sequence[int], curves: Mapping[str, Sequence[float]], chance: str) -> Figure:
    """Draw a line for each order, that of chance dashed.

    Args:
        erased: words gone at each point.
        curves: mean log P a token at each point, nats, by the name that the legend gives them.
        chance: which of them is of random orders.
    """
    looks = iter(_LOOKS)
    traces = []
    for name, curve in curves.items():
        color, dash = _CHANCE_LOOK if name == chance else next(looks)
        traces.append(
            {
                "type": "scatter",
                "x": list(erased),
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
        "xaxis": {"title": {"text": "source words erased"}, "dtick": -(-erased[-1] // 8)},
        "yaxis": {"title": {"text": "log P per token, nats"}, "nticks": 6},
    }
    return theme.plain_figure(traces, layout, _HEIGHT)
