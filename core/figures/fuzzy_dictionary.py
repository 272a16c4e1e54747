"""A dictionary with approximate keys: how much each entry contributes to the answer."""

from __future__ import annotations

from dataclasses import dataclass

from core.figures import theme
from core.figures.theme import Figure
from core.theory.fuzzy_dictionary import ENTRIES, fuzzy_look_up


@dataclass(frozen=True)
class FuzzyDictionaryInfo:
    """What a query finds among ENTRIES."""

    query: float  # degrees
    weights: tuple[float, ...]  # of each entry; they sum to 1
    answer: float


def fuzzy_dictionary_info(degrees: float, strength: float) -> FuzzyDictionaryInfo:
    """Look up a query in the dictionary of animals.

    Args:
        degrees: the direction of the query.
        strength: the length of the query.
    """
    weights, answer = fuzzy_look_up(degrees, strength)
    return FuzzyDictionaryInfo(degrees, tuple(weights.tolist()), answer)


def fuzzy_dictionary_figure(info: FuzzyDictionaryInfo) -> Figure:
    """Draw a bar for each entry at its key's direction, as high as its weight, and the query as a line."""
    bars = {
        "type": "bar",
        "x": [entry.degrees for entry in ENTRIES],
        "y": info.weights,
        "width": 7,
        "marker": {"color": theme.BLUE},
        "text": [
            f"<b>{entry.name}</b><br>{weight:.0%} × {entry.value:g}"
            for entry, weight in zip(ENTRIES, info.weights, strict=True)
        ],
        **theme.TEXT_ABOVE_BARS,
        "hovertemplate": "key at %{x}°: %{y:.1%}<extra></extra>",
    }
    note = {"text": f"query: {info.query:g}°", "x": info.query, "yref": "paper", "y": 1, "yanchor": "bottom"}
    layout = {
        "shapes": [theme.vertical_line(info.query, theme.VERMILLION, 2)],
        "annotations": [note],
        "xaxis": {"title": {"text": "direction of the key, degrees"}, "range": [-8, 98], "dtick": 15},
        "yaxis": {
            "title": {"text": "attention weight"},
            "range": [0, 1.3],
            "tickvals": [0, 0.5, 1],
            "tickformat": ".0%",
        },
    }
    return theme.plain_figure([bars], layout, 360)
