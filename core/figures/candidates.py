"""The most likely tokens at each step, with their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.figures import theme
from core.figures.cell_numbers import colored_text, is_bright
from core.figures.color_bar import color_axis
from core.figures.heatmap import heatmap_trace, label_axis
from core.figures.label_fit import SCREEN, letters_within, longest_label
from core.figures.theme import Figure
from core.records import Candidate

_COLUMN = 60  # pixels, the minimum for a step: a short word


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
    """
    ranks = list(zip(*candidates, strict=True))
    return CandidatesInfo(
        steps=tuple(f"{number}. {token}" for number, token in enumerate(predicted_tokens, start=first)),
        tokens=tuple(tuple(candidate.token for candidate in rank) for rank in ranks),
        probabilities=tuple(tuple(candidate.probability for candidate in rank) for rank in ranks),
    )


def candidates_figure(info: CandidatesInfo) -> Figure:
    """Draw one column per step, the most likely token on top, colored by probability."""
    cells = [list(zip(*rank, strict=True)) for rank in zip(info.tokens, info.probabilities, strict=True)]
    columns = 1 + len(info.steps)
    column = _column_width(info, columns)
    trace = heatmap_trace(
        info.probabilities,
        [[f"{token}: {probability:.4%}" for token, probability in rank] for rank in cells],
        [
            [_cell_text(token, probability, letters_within(column)) for token, probability in rank]
            for rank in cells
        ],
        gap=2,
    )
    ranks = [f"{rank}" for rank in range(1, len(info.tokens) + 1)]
    layout = {
        "coloraxis": color_axis((0.0, 1.0), "none"),
        "margin": {"t": 12},
        "meta": {"min_width": round(column * columns)},
        "xaxis": label_axis(info.steps, "chosen token"),
        "yaxis": label_axis(ranks, "rank", down=True),
    }
    return theme.plain_figure([trace], layout, 110 + 46 * len(info.tokens))


def _column_width(info: CandidatesInfo, columns: int) -> float:
    """Pixels that the longest token needs; where a screen has less for a column, tokens are shortened to that."""
    needed = longest_label(token for rank in info.tokens for token in rank)
    return max(_COLUMN, min(needed, SCREEN / columns))


def _cell_text(token: str, probability: float, letters: int) -> str:
    """A token, as much of it as its column has room for, over its probability; hovering shows all of it."""
    text = f"{theme.escaped(theme.shortened(token, letters))}<br>{probability:.1%}"
    return colored_text(text, is_bright(probability))
