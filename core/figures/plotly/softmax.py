"""The softmax of scores: a fuzzy dictionary lookup, and the effect of dividing by sqrt(d_k)."""

import math
from collections.abc import Sequence

from core.figures import theme
from core.figures.plotly.lines import TEXT_ABOVE_BARS, LinePanel, bars, line, stacked_figure, vertical_line
from core.figures.theme import Figure, PlotlyTrace
from core.theory.fuzzy_dictionary import ENTRIES
from core.theory.score_scale import NUM_KEYS, ScoreScale, score_scale

WIDTHS = tuple(2**power for power in range(11))  # 1 to 1024


def fuzzy_dictionary_figure(degrees: float, weights: Sequence[float]) -> Figure:
    """Draw a bar for each entry at its key's direction, as high as its weight, and the query as a line."""
    texts = [
        f"<b>{entry.name}</b><br>{weight:.0%} × {entry.value:g}"
        for entry, weight in zip(ENTRIES, weights, strict=True)
    ]
    keys = [entry.degrees for entry in ENTRIES]
    trace = bars(keys, weights, theme.BLUE, "key at %{x}°: %{y:.1%}", width=7, text=texts, **TEXT_ABOVE_BARS)
    note = {"text": f"query: {degrees:g}°", "x": degrees, "yref": "paper", "y": 1, "yanchor": "bottom"}
    layout = {
        "shapes": [vertical_line(degrees, theme.VERMILLION, 2)],
        "annotations": [note],
        "xaxis": theme.axis("direction of the key, degrees", range=[-8, 98], dtick=15),
        "yaxis": theme.axis("attention weight", range=[0, 1.3], tickvals=[0, 0.5, 1], tickformat=".0%"),
    }
    return theme.plain_figure([trace], layout, 360)


def score_scale_figure(chosen: ScoreScale) -> Figure:
    """Draw the entropy at all widths, with the chosen one marked, and one query's attention weights below."""
    scales = [score_scale(width) for width in WIDTHS]
    curves = (
        ("not divided", theme.VERMILLION, chosen.raw, [scale.raw.entropy for scale in scales]),
        ("divided by √d_k", theme.BLUE, chosen.scaled, [scale.scaled.entropy for scale in scales]),
    )
    entropies: list[PlotlyTrace] = []
    shares: list[PlotlyTrace] = []
    for name, color, weights, values in curves:
        hover = f"d_k = %{{x}}, {name}: %{{y:.2f}} bits"
        entropies.append(line(WIDTHS, values, name, color, hover, width=3))
        dot = line([chosen.d_k], [weights.entropy], name, color, hover)
        entropies.append({**dot, "marker": {"size": 14}})
        shares.append(_weights(name, color, weights.first.tolist()))
    bits = math.log2(NUM_KEYS)
    panels = [
        LinePanel(
            f"Entropy of the softmax, at most {bits:.0f} bits",
            entropies,
            theme.axis("bits", range=[0, bits + 0.1]),
            theme.axis("d_k", type="log", tickvals=WIDTHS[::2]),
        ),
        LinePanel(
            f"One query's attention weights, d_k = {chosen.d_k:,}",
            shares,
            theme.axis(range=[0, 1.15], tickformat=".0%", nticks=6),
            theme.axis("key, the largest weight first", dtick=1),
        ),
    ]
    return stacked_figure(panels, 510, 0.38, layout={"barmode": "group", "margin": {"b": 90}})


def _weights(name: str, color: str, weights: Sequence[float]) -> PlotlyTrace:
    """Draw a bar for each key, the largest weight first."""
    weights = sorted(weights, reverse=True)
    texts = [f"{weight:.0%}" if weight >= 0.005 else "" for weight in weights]
    keys = list(range(1, len(weights) + 1))
    hover = f"{name}: %{{y:.1%}}"
    return bars(keys, weights, color, hover, name=name, text=texts, **TEXT_ABOVE_BARS)
