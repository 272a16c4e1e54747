"""The effect of dividing by sqrt(d_k): the entropy of the softmax by width, and one row of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.figures import theme
from core.figures.line_panels import LinePanel, line_panels
from core.figures.theme import Figure, Trace
from core.theory.score_scale import NUM_KEYS, score_scale

WIDTHS = tuple(2**power for power in range(11))  # 1 to 1024
_RAW, _SCALED = "not divided", "divided by √d_k"


@dataclass(frozen=True)
class ScoreScaleInfo:
    """Entropies for all widths, and one query's attention weights for the chosen one."""

    d_k: int  # the chosen width
    raw_entropies: tuple[float, ...]  # bits, for each of WIDTHS
    scaled_entropies: tuple[float, ...]
    raw_entropy: float  # of the chosen width
    scaled_entropy: float
    spread: float  # standard deviation of its scores, not divided
    raw_weights: tuple[float, ...]  # one query's, the largest first
    scaled_weights: tuple[float, ...]


def score_scale_info(d_k: int) -> ScoreScaleInfo:
    """Compare both for random queries and keys.

    Args:
        d_k: the chosen width; 1 or more.
    """
    chosen = score_scale(d_k)
    scales = [score_scale(width) for width in WIDTHS]
    return ScoreScaleInfo(
        d_k,
        tuple(scale.raw_entropy for scale in scales),
        tuple(scale.scaled_entropy for scale in scales),
        chosen.raw_entropy,
        chosen.scaled_entropy,
        chosen.spread,
        tuple(sorted(chosen.raw_weights.tolist(), reverse=True)),
        tuple(sorted(chosen.scaled_weights.tolist(), reverse=True)),
    )


def score_scale_figure(info: ScoreScaleInfo) -> Figure:
    """Draw the entropies above, the chosen width marked, and one query's attention weights below."""
    lines = (
        (_RAW, theme.VERMILLION, info.raw_entropies, info.raw_entropy, info.raw_weights),
        (_SCALED, theme.BLUE, info.scaled_entropies, info.scaled_entropy, info.scaled_weights),
    )
    entropies: list[Trace] = []
    shares: list[Trace] = []
    for name, color, values, value, weights in lines:
        entropies += _entropy(name, color, values, (info.d_k, value))
        shares.append(_shares(name, color, weights))
    bits = math.log2(NUM_KEYS)
    panels = [
        LinePanel(
            f"Entropy of the softmax, at most {bits:.0f} bits",
            entropies,
            {"type": "log", "tickvals": WIDTHS[::2], "title": {"text": "d_k"}},
            {"range": [0, bits + 0.1], "title": {"text": "bits"}},
        ),
        LinePanel(
            f"One query's attention weights, d_k = {info.d_k:,}",
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
    return {
        "type": "bar", "x": list(range(1, len(weights) + 1)), "y": weights, "name": name, "legendgroup": name,
        "showlegend": False, "marker": {"color": color}, **theme.TEXT_ABOVE_BARS,
        "text": [f"{weight:.0%}" if weight >= 0.005 else "" for weight in weights],
        "hovertemplate": f"{name}: %{{y:.1%}}<extra></extra>",
    }  # fmt: skip
