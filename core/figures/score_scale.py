"""The effect of dividing by sqrt(d_k): the entropy of the softmax by width, and one row of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.figures import theme
from core.figures.line_panels import LinePanel, line_panels
from core.figures.theme import Figure, Trace
from core.theory.score_scale import NUM_KEYS, ScoreScale, score_scale

WIDTHS = tuple(2**power for power in range(11))  # 1 to 1024
_RAW, _SCALED = "not divided", "divided by √d_k"


@dataclass(frozen=True)
class ScoreScaleInfo:
    """What scaling does at all widths, and at the chosen one."""

    scales: tuple[ScoreScale, ...]  # for each of WIDTHS
    chosen: ScoreScale


def score_scale_info(d_k: int) -> ScoreScaleInfo:
    """Compare both for random queries and keys.

    Args:
        d_k: the chosen width; 1 or more.
    """
    return ScoreScaleInfo(tuple(map(score_scale, WIDTHS)), score_scale(d_k))


def score_scale_figure(info: ScoreScaleInfo) -> Figure:
    """Draw the entropies above, the chosen width marked, and one query's attention weights below."""
    scales, chosen = info.scales, info.chosen
    raw = [scale.raw_entropy for scale in scales]
    scaled = [scale.scaled_entropy for scale in scales]
    entropies: list[Trace] = [
        *_entropy(_RAW, theme.VERMILLION, raw, (chosen.d_k, chosen.raw_entropy)),
        *_entropy(_SCALED, theme.BLUE, scaled, (chosen.d_k, chosen.scaled_entropy)),
    ]
    shares: list[Trace] = [
        _shares(_RAW, theme.VERMILLION, chosen.raw_weights.tolist()),
        _shares(_SCALED, theme.BLUE, chosen.scaled_weights.tolist()),
    ]
    bits = math.log2(NUM_KEYS)
    panels = [
        LinePanel(
            f"Entropy of the softmax, at most {bits:.0f} bits",
            entropies,
            {"type": "log", "tickvals": WIDTHS[::2], "title": {"text": "d_k"}},
            {"range": [0, bits + 0.1], "title": {"text": "bits"}},
        ),
        LinePanel(
            f"One query's attention weights, d_k = {chosen.d_k:,}",
            shares,
            {"title": {"text": "key, the largest weight first"}, "dtick": 1},
            {"range": [0, 1.15], "tickformat": ".0%", "nticks": 6},
        ),
    ]
    return line_panels(panels, 620, gap=0.2, layout={"barmode": "group", "margin": {"b": 90}})


def _entropy(
    name: str, color: str, entropies: Sequence[float], chosen: tuple[float, float]
) -> tuple[Trace, Trace]:
    """A line over all widths, and a dot at the chosen one."""
    shared = {
        "type": "scatter",
        "legendgroup": name,
        "hovertemplate": f"{name}: %{{y:.2f}} bits<extra>d_k = %{{x}}</extra>",
    }
    line = {"x": WIDTHS, "y": entropies, "name": name, "mode": "lines", "line": {"color": color, "width": 3}}
    dot = {"x": chosen[:1], "y": chosen[1:], "mode": "markers", "marker": {"color": color, "size": 14}}
    return {**shared, **line}, {**shared, **dot, "showlegend": False}


def _shares(name: str, color: str, weights: Sequence[float]) -> Trace:
    """Draw a bar for each key, the largest weight first."""
    weights = sorted(weights, reverse=True)
    return {
        "type": "bar", "x": list(range(1, len(weights) + 1)), "y": weights, "name": name, "legendgroup": name,
        "showlegend": False, "marker": {"color": color}, **theme.TEXT_ABOVE_BARS,
        "text": [f"{weight:.0%}" if weight >= 0.005 else "" for weight in weights],
        "hovertemplate": f"{name}: %{{y:.1%}}<extra></extra>",
    }  # fmt: skip
