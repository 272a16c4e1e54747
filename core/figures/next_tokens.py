"""The likeliest tokens of one decoding step as bars, the one that was written in color."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from core.figures import theme
from core.figures.theme import Figure
from core.records import DecodingStep

_ROW, _TITLE, _EDGE = 22, 34, 8  # pixels
_ROOM_FOR_TEXT = 1.22  # of the axis, behind the longest bar
_LEAST = 0.0005  # of a probability that is written with digits


@dataclass(frozen=True)
class NextTokensInfo:
    """What one step could have written. All text is plain."""

    labels: tuple[str, ...]  # "1. house", the likeliest first
    probabilities: tuple[float, ...]  # 0 to 1
    hover: tuple[str, ...]
    chosen: int  # which of them was written
    forced: bool  # by a person, not by the search


def next_tokens_info(step: DecodingStep, forced: bool) -> NextTokensInfo:
    """The likeliest tokens of a step; the one that was written comes last where it is none of them."""
    shown = list(step.likeliest)
    if step.chosen not in shown:
        shown.append(step.chosen)
    return NextTokensInfo(
        labels=tuple(f"{token.rank:,}. {token.token}" for token in shown),
        probabilities=tuple(exp(token.log_probability) for token in shown),
        hover=tuple(
            f"{token.token}: {exp(token.log_probability):.4%}, log P {token.log_probability:z.3f} nats"
            for token in shown
        ),
        chosen=shown.index(step.chosen),
        forced=forced,
    )


def next_tokens_figure(info: NextTokensInfo) -> Figure:
    """One bar a token, the likeliest on top."""
    written = theme.VERMILLION if info.forced else theme.BLUE
    positions = list(range(len(info.labels)))
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": info.probabilities,
        "y": positions,
        "marker": {"color": [written if row == info.chosen else theme.GREY for row in positions]},
        "text": [_percent(probability) for probability in info.probabilities],
        "customdata": [theme.escaped(text) for text in info.hover],
        "hovertemplate": "%{customdata}<extra></extra>",
        **theme.TEXT_ABOVE_BARS,
    }
    labels = [theme.escaped(theme.shortened(label)) for label in info.labels]
    labels[info.chosen] = f"<b>{labels[info.chosen]}</b>"
    layout = {
        "bargap": 0.25,
        "title": {"text": "probability of the next token"},
        "margin": {"t": _TITLE, "b": _EDGE},
        "xaxis": {
            "range": [0, _ROOM_FOR_TEXT * max(info.probabilities)],
            "visible": False,
        },
        "yaxis": {
            "tickmode": "array",
            "tickvals": positions,
            "ticktext": labels,
            "range": [len(labels) - 0.5, -0.5],
            "showgrid": False,
        },
    }
    return theme.plain_figure([bars], layout, _TITLE + _EDGE + _ROW * len(labels))


def _percent(probability: float) -> str:
    return f"{probability:.1%}" if probability >= _LEAST else "< 0.1%"
