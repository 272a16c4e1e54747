"""How a score changes with the length of the sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from core.figures import theme
from core.records import LengthScore

_COLORS = (theme.BLUE, theme.VERMILLION)


@dataclass(frozen=True)
class ScoreByLengthInfo:
    """Scores by ranges of lengths, of one evaluation or several."""

    labels: tuple[str, ...]  # all ranges, the shortest first
    scores: Mapping[str, tuple[float | None, ...]]  # by evaluation; None where it has no such sentence
    sentences: Mapping[str, tuple[int, ...]]
    score_name: str


def score_by_length_info(
    evaluations: Mapping[str, Sequence[LengthScore]], score_name: str = "BLEU"
) -> ScoreByLengthInfo:
    """Put the scores of evaluations side by side.

    Args:
        evaluations: their scores, by name; each with the shortest lengths first.
        score_name: for the axis.
    """
    labels = list(dict.fromkeys(each.label for scores in evaluations.values() for each in scores))
    labels.sort(key=lambda label: int("".join(c if c.isdecimal() else " " for c in label).split()[0]))
    found = {name: {each.label: each for each in scores} for name, scores in evaluations.items()}
    return ScoreByLengthInfo(
        labels=tuple(labels),
        scores={
            name: tuple(by[label].score if label in by else None for label in labels)
            for name, by in found.items()
        },
        sentences={
            name: tuple(by[label].sentences if label in by else 0 for label in labels)
            for name, by in found.items()
        },
        score_name=score_name,
    )


def score_by_length_figure(info: ScoreByLengthInfo) -> go.Figure:
    """Draw a bar for each range, with its score and how many sentences it stands for."""
    figure = theme.apply_theme(go.Figure(), 380)
    if not info.labels:
        return theme.apply_message(figure, "No sentences to score")
    several = len(info.scores) > 1
    for number, (name, scores) in enumerate(info.scores.items()):
        counts = info.sentences[name]
        figure.add_trace(
            go.Bar(
                x=info.labels,
                y=scores,
                customdata=counts,
                name=theme.escaped(name),
                text=[
                    "" if score is None else f"{score:.0f}" + ("" if several else f"<br>of {count:,}")
                    for score, count in zip(scores, counts, strict=True)
                ],
                textposition="outside",
                textfont_size=theme.TICK_SIZE,
                cliponaxis=False,
                marker_color=_COLORS[number % len(_COLORS)],
                hovertemplate=f"{info.score_name} %{{y:.1f}} over %{{customdata:,}} sentences<extra></extra>",
            )
        )
    highest = max(
        (score for scores in info.scores.values() for score in scores if score is not None), default=0
    )
    figure.update_xaxes(title_text="source tokens", type="category", showgrid=False)
    figure.update_yaxes(title_text=info.score_name, range=[0, max(10.0, highest * 1.25)], nticks=6)
    figure.update_layout(showlegend=several, margin_t=16)
    if several:
        figure.update_layout(
            legend={"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"},
            margin_b=84 + 24 * len(info.scores),
        )
    return figure
