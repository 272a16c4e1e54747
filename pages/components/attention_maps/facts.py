"""What every head does, in numbers: a map of layers and heads, and a table to sort."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.figures.model_inside import head_map_figure
from core.interpretability.heads import HeadFacts, head_facts
from core.records import AttentionRecord
from pages.components.attention_maps.map_choice import MapChoice
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.remembered import choose

_FACTS = {
    "entropy": "Entropy (bits)",
    "distance": "Distance (tokens)",
    "previous": "To the previous token",
    "same": "To itself",
    "next": "To the next token",
    "last": "To the last token",
}
_MOST_ROWS = 48  # of the table, before it scrolls
_OF_CROSS = ("entropy", "last")


def show_facts(record: AttentionRecord, choice: MapChoice) -> None:
    """The map of one fact, and all of them as a table."""
    kind = choice.reading.kind
    facts = head_facts(getattr(record, kind), within_one_sentence=kind != "cross")
    offered = {name: title for name, title in _FACTS.items() if (name in _OF_CROSS) or kind != "cross"}
    fact = choose("Statistic", offered, key="fact")
    values, colors = getattr(facts, fact), (0.0, _highest(facts, fact))
    figure = head_map_figure(values, offered[fact].lower(), _FACTS[fact], colors)
    show_figure(figure, alt=f"{_FACTS[fact]} of every head", key="facts_figure")
    st.dataframe(
        facts_table(facts),
        hide_index=True,
        height="content" if record.cross.shape[0] * record.cross.shape[1] <= _MOST_ROWS else "auto",
        column_config={title: st.column_config.NumberColumn(format="%.2f") for title in (*_FACTS.values(),)},
        alt="Statistics of every head; press a heading to sort",
    )
    st.caption(
        "Means over the query positions of this sentence, as the model reads it: subwords, with the end token. A head is "
        "labeled by where more than half of its attention goes. In another sentence it may do something else."
    )


def facts_table(facts: HeadFacts) -> pd.DataFrame:
    """A row for each head; without what means nothing for this kind of attention."""
    columns = {name: getattr(facts, name) for name in _FACTS}
    rows = []
    for layer, head in np.ndindex(facts.entropy.shape):
        numbers = {_FACTS[name]: float(values[layer, head]) for name, values in columns.items()}
        rows.append(
            {"Layer": layer + 1, "Head": head + 1, "What it does": facts.name(layer, head), **numbers}
        )
    return pd.DataFrame(rows).dropna(axis="columns", how="all")


def _highest(facts: HeadFacts, fact: str) -> float:
    if fact == "entropy":
        return facts.max_entropy or 1.0
    return 1.0 if fact != "distance" else float(np.nanmax(facts.distance)) or 1.0
