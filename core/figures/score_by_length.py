"""How a score changes with the length of the sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle

from core.figures import theme
from core.figures.theme import Figure
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


def score_by_length_figure(info: ScoreByLengthInfo) -> Figure:
    """Draw a bar for each range, with its score and how many sentences it stands for."""
    if not info.labels:
        return theme.message_figure("No sentences to score", 380)
    several = len(info.scores) > 1
    bars = [
        {
            "type": "bar",
            "x": info.labels,
            "y": scores,
            "customdata": info.sentences[name],
            "name": theme.escaped(name),
            "text": [
                "" if score is None else f"{score:.0f}" + ("" if several else f"<br>n = {count:,}")
                for score, count in zip(scores, info.sentences[name], strict=True)
            ],
            **theme.TEXT_ABOVE_BARS,
            "marker": {"color": color},
            "hovertemplate": f"{info.score_name} %{{y:.1f}} over %{{customdata:,}} sentences<extra></extra>",
        }
        for (name, scores), color in zip(info.scores.items(), cycle(_COLORS), strict=False)
    ]
    highest = max(
        (score for scores in info.scores.values() for score in scores if score is not None), default=0
    )
    layout = {
        "showlegend": several,
        "margin": {"t": 16, **({"b": 84 + 24 * len(info.scores)} if several else {})},
        "xaxis": {"title": {"text": "source tokens"}, "type": "category"},
        "yaxis": {"title": {"text": info.score_name}, "range": [0, max(10.0, highest * 1.25)], "nticks": 6},
    }
    return theme.plain_figure(bars, layout, 380)
