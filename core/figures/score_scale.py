"""What dividing by sqrt(d_k) does: the entropy of the softmax over the width, and one row of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.figures import theme
from core.theory.score_scale import NUM_KEYS, score_scale

WIDTHS = tuple(2**power for power in range(11))  # 1 to 1024
_RAW, _SCALED = "not divided", "divided by √d_k"


@dataclass(frozen=True)
class ScoreScaleInfo:
    """Entropies for all widths, and one query's shares for the chosen one."""

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


def score_scale_figure(info: ScoreScaleInfo) -> go.Figure:
    """Draw the entropies above, the chosen width marked, and one query's shares below."""
    titles = [
        f"Entropy of the softmax, at most {math.log2(NUM_KEYS):.0f} bits",
        f"One query's shares, d_k = {info.d_k:,}",
    ]
    figure = make_subplots(rows=2, cols=1, vertical_spacing=0.2, subplot_titles=titles)
    theme.apply_theme(figure, 620)
    lines = (
        (_RAW, theme.VERMILLION, info.raw_entropies, info.raw_entropy, info.raw_weights),
        (_SCALED, theme.BLUE, info.scaled_entropies, info.scaled_entropy, info.scaled_weights),
    )
    for name, color, entropies, entropy, weights in lines:
        hover = f"{name}: %{{y:.2f}} bits<extra>d_k = %{{x}}</extra>"
        figure.add_scatter(
            x=WIDTHS, y=entropies, name=name, mode="lines", line={"color": color, "width": 3},
            hovertemplate=hover, legendgroup=name, row=1, col=1,
        )  # fmt: skip
        figure.add_scatter(
            x=[info.d_k], y=[entropy], mode="markers", marker={"color": color, "size": 14},
            hovertemplate=hover, showlegend=False, legendgroup=name, row=1, col=1,
        )  # fmt: skip
        figure.add_bar(
            x=list(range(1, len(weights) + 1)), y=weights, name=name, marker_color=color, showlegend=False,
            text=[f"{weight:.0%}" if weight >= 0.005 else "" for weight in weights], textposition="outside",
            cliponaxis=False, textangle=0, constraintext="none", textfont_size=theme.TICK_SIZE, legendgroup=name,
            hovertemplate=f"{name}: %{{y:.1%}}<extra></extra>", row=2, col=1,
        )  # fmt: skip
    figure.update_annotations(x=0, xanchor="left", font_size=theme.FONT_SIZE)
    figure.update_xaxes(type="log", tickvals=WIDTHS[::2], title_text="d_k", row=1, col=1)
    figure.update_yaxes(range=[0, math.log2(NUM_KEYS) + 0.1], title_text="bits", row=1, col=1)
    figure.update_xaxes(title_text="key, the largest share first", dtick=1, showgrid=False, row=2, col=1)
    figure.update_yaxes(range=[0, 1.15], tickformat=".0%", nticks=6, row=2, col=1)
    legend = {"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"}
    figure.update_layout(barmode="group", legend=legend, margin_b=90)
    return figure
