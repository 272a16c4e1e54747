"""What could be written at each step, what was, and where one decoding step looked in the source."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np

from core.figures import theme
from core.figures.heatmap import color_axis, colored_text, heatmap, is_bright
from core.figures.label_fit import SCREEN, letters_within, longest_label
from core.figures.theme import Figure
from core.records import Candidate, DecodingStep

_COLUMN = 60  # pixels, the minimum for a step: a short word
_ROW, _TITLE, _EDGE = 22, 34, 8  # pixels
_ROOM_FOR_TEXT = 1.22  # of the axis, behind the longest bar
_LEAST = 0.0005  # of a probability that is written with digits
_AIR = "\N{NO-BREAK SPACE}" * 2


def candidates_figure(
    predicted_tokens: Sequence[str], candidates: Sequence[Sequence[Candidate]], first: int = 1
) -> Figure:
    """Draw one column per step, the most likely token on top, colored by probability.

    Args:
        predicted_tokens: what was chosen at each step.
        candidates: of each step, most likely first; equally many for all.
        first: number of the first step, where they are a part of a longer sentence.
    """
    ranks = list(zip(*candidates, strict=True))
    columns = 1 + len(predicted_tokens)
    # Pixels that the longest token needs; where a screen has less for a column, tokens are shortened to that.
    needed = longest_label(candidate.token for rank in ranks for candidate in rank)
    column = max(_COLUMN, min(needed, SCREEN / columns))
    figure = heatmap(
        [[candidate.probability for candidate in rank] for rank in ranks],
        [f"{rank}" for rank in range(1, len(ranks) + 1)],
        [f"{number}. {token}" for number, token in enumerate(predicted_tokens, start=first)],
        row_title="rank",
        column_title="chosen token",
        hover=[[f"{each.token}: {each.probability:.4%}" for each in rank] for rank in ranks],
        texts=[[_cell_text(each, letters_within(column)) for each in rank] for rank in ranks],
        colors=color_axis((0.0, 1.0), "none"),
        height=110 + 46 * len(ranks),
    )
    figure["layout"]["meta"] = {"min_width": round(column * columns)}
    return figure


def _cell_text(candidate: Candidate, letters: int) -> str:
    """A token, as much of it as its column has room for, over its probability; hovering shows all of it."""
    shown = theme.escaped(theme.shortened(candidate.token, letters))
    return colored_text(f"{shown}<br>{candidate.probability:.1%}", is_bright(candidate.probability))


def next_tokens_figure(step: DecodingStep, forced: bool) -> Figure:
    """Draw the likeliest tokens of a step as bars, the one that was written in color.

    Args:
        step: of a translation; what was written comes last where it is none of the likeliest.
        forced: whether a person wrote it, not the search.
    """
    shown = list(step.likeliest)
    if step.chosen not in shown:
        shown.append(step.chosen)
    chosen, positions = shown.index(step.chosen), list(range(len(shown)))
    probabilities = [exp(token.log_probability) for token in shown]
    written = theme.VERMILLION if forced else theme.BLUE
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": probabilities,
        "y": positions,
        "marker": {"color": [written if row == chosen else theme.GREY for row in positions]},
        "text": [f"{share:.1%}" if share >= _LEAST else "< 0.1%" for share in probabilities],
        "customdata": [
            theme.escaped(f"{token.token}: {share:.4%}, log P {token.log_probability:z.3f} nats")
            for token, share in zip(shown, probabilities, strict=True)
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
        **theme.TEXT_ABOVE_BARS,
    }
    labels = [theme.escaped(theme.shortened(f"{token.rank:,}. {token.token}")) for token in shown]
    labels[chosen] = f"<b>{labels[chosen]}</b>"
    layout = {
        "bargap": 0.25,
        "title": {"text": "probability of the next token"},
        "margin": {"t": _TITLE, "b": _EDGE},
        "xaxis": {"range": [0, _ROOM_FOR_TEXT * max(probabilities)], "visible": False},
        "yaxis": {
            "tickmode": "array",
            "tickvals": positions,
            "ticktext": labels,
            "range": [len(labels) - 0.5, -0.5],
            "showgrid": False,
        },
    }
    return theme.plain_figure([bars], layout, _TITLE + _EDGE + _ROW * len(labels))


def step_attention_figure(
    steps: Sequence[DecodingStep], number: int, source_tokens: Sequence[str], height: int
) -> Figure:
    """Draw the cross-attention of a step: one row a layer, the mean over its heads.

    Args:
        steps: of a translation; all have one scale, and the title says what the brightest color is.
        number: of the step, from 0.
        source_tokens: as the model reads them.
        height: of the figure beside it, pixels.
    """
    means = [step.cross.mean(axis=1, dtype=np.float64) for step in steps]  # (L, H, S) -> (L, S)
    highest = max(float(mean.max()) for mean in means)
    figure = heatmap(
        means[number],
        [f"Layer {layer}" for layer in range(1, len(means[number]) + 1)],
        source_tokens,
        title=f"Cross-attention weight: 0 dark, {highest:.0%} bright",
        hover="{row}, {column}: {value:.1%}",
        colors=color_axis((0.0, highest), "none"),
        height=height,
    )
    layout = figure["layout"]
    # Plotly turns labels only where they touch: with air around each, two words side by side do not read as one.
    layout["xaxis"]["ticktext"] = [f"{_AIR}{text}{_AIR}" for text in layout["xaxis"]["ticktext"]]
    layout["margin"] |= {"t": _TITLE, "b": _EDGE}
    return figure
