"""What the model might have said at each step, with probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from core.figures import theme
from core.figures.heatmap import color_axis, label_axis
from core.records import Candidate


@dataclass(frozen=True)
class CandidatesInfo:
    """The most likely tokens of each step: rank by step."""

    steps: tuple[str, ...]  # the token chosen at each step
    tokens: tuple[tuple[str, ...], ...]  # (rank, step)
    probabilities: tuple[tuple[float, ...], ...]  # (rank, step), 0 to 1


def candidates_info(
    predicted_tokens: Sequence[str], candidates: Sequence[Sequence[Candidate]], first: int = 1
) -> CandidatesInfo:
    """Turn the candidates of each step into columns.

    Args:
        predicted_tokens: what was chosen at each step.
        candidates: of each step, most likely first; equally many for all.
        first: number of the first step, where they are a part of a longer sentence.

    Raises:
        ValueError: there are not as many steps of candidates as predicted tokens.
    """
    if len(predicted_tokens) != len(candidates):
        raise ValueError(
            f"There must be candidates for each of {len(predicted_tokens)} tokens. Received: {len(candidates)}"
        )
    ranks = list(zip(*candidates, strict=True))
    return CandidatesInfo(
        steps=tuple(f"{number}. {token}" for number, token in enumerate(predicted_tokens, start=first)),
        tokens=tuple(tuple(candidate.token for candidate in rank) for rank in ranks),
        probabilities=tuple(tuple(candidate.probability for candidate in rank) for rank in ranks),
    )


def candidates_figure(info: CandidatesInfo) -> go.Figure:
    """Draw a column a step, the most likely token on top, the colour its probability."""
    figure = theme.apply_theme(go.Figure(), 110 + 46 * len(info.tokens))
    if not info.steps:
        return theme.apply_message(figure, "Nothing to show yet")
    labels = [[theme.escaped(theme.shortened(token)) for token in rank] for rank in info.tokens]
    figure.add_trace(
        go.Heatmap(
            z=info.probabilities,
            text=labels,
            texttemplate="%{text}<br>%{z:.1%}",
            textfont_size=theme.TICK_SIZE,
            hovertemplate="%{text}: %{z:.4%}<extra></extra>",
            coloraxis="coloraxis",
            xgap=2,
            ygap=2,
        )
    )
    ranks = [f"{rank}" for rank in range(1, len(info.tokens) + 1)]
    figure.update_layout(coloraxis=color_axis((0.0, 1.0)), coloraxis_showscale=False, margin_t=12)
    figure.update_xaxes(**label_axis(info.steps), title_text="chosen token")
    figure.update_yaxes(**label_axis(ranks, down=True), title_text="rank")
    return figure
