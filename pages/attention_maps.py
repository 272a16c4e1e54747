"""Attention of every layer and head for a translation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import streamlit as st

from core.classroom.translation_job import ChosenSentence
from core.figures.browser.attention_stage import stage_kind
from core.figures.model_inside import head_map_figure
from core.interpretability.attention_view import (
    AttentionOptions,
    Measure,
    attention_json,
    read_attention,
)
from core.interpretability.heads import clearest_head, head_facts, head_roles
from core.interpretability.norms import value_norms
from core.interpretability.teacher_forcing import ForcedPair, forced_attention
from core.records.attention import AttentionKind, AttentionRecord, AttentionView, HeadFacts
from core.theory.attention import scaled_dot_product_attention
from pages.components.content import PAGE_TEXTS
from pages.components.explaining import show_lesson
from pages.components.figures import show_figure
from pages.components.menu import INSIDE, link_to
from pages.components.model_choice import analyze
from pages.components.sentence import control_row, end_with_error, show_translation
from pages.components.session import current_workspace
from pages.components.share import is_presenting
from pages.components.stage import KIND_TITLES, show_stage, stage_html
from pages.components.state import choose, toggle

View = Literal["overview", "facts"]

_VIEWS: dict[View, str] = {"overview": "All heads", "facts": "Head statistics"}
_MEASURES: dict[Measure, str] = {"weights": "Weights", "norms": "Norm-weighted", "rollout": "Rollout"}
_FACTS = {
    "entropy": "Entropy (bits)",
    "distance": "Distance (tokens)",
    "previous": "To the previous token",
    "same": "To itself",
    "next": "To the next token",
    "last": "To the last token",
}
# The statistics that are defined between two sentences.
_OF_CROSS = ("entropy", "last")
# Key of the switch that names the heads; a lesson turns it off.
_NAMES = "head_names"
# Examples of the model that are traced.
_MAX_EXAMPLES = 6
# Rows above which the table of statistics scrolls.
_MAX_ROWS = 48


def _choose_options() -> tuple[Measure, bool, bool]:
    """Return the chosen measure, whether to merge subwords into words, and whether to show start and end tokens."""
    measure = choose(
        "Measure",
        _MEASURES,
        key="measure",
        help="Weights: the output of the softmax. Norm-weighted: each weight times the norm of the vector it scales. "
        "Rollout: the maps of all layers so far, multiplied.",
    )
    by_word = toggle("Words instead of subwords", False, key="by_word")
    return measure, by_word, toggle("Start and end tokens", True, key="specials")


def _read_kinds(
    answer: ChosenSentence, record: AttentionRecord, measure: Measure, by_word: bool, specials: bool
) -> dict[AttentionKind, AttentionView]:
    """Return every kind of attention over an answer's sentence, as chosen in the display options.

    Raises:
        ValueError: the sentence is too long to compute the norms.
    """
    norms = None
    if measure == "norms":
        pair = ForcedPair.of_translation(answer.model.translator, answer.sentence)
        norms = analyze(answer.model, value_norms, pair)
    return {
        kind: read_attention(record, AttentionOptions(kind, measure, by_word, specials), norms)
        for kind in KIND_TITLES
    }


def _first_head(answer: ChosenSentence, record: AttentionRecord, kind: AttentionKind) -> tuple[int, int]:
    """Return the layer and head to show first, from 0.

    For cross-attention, the model's examples count as much as the sentence, so that the head seldom changes.
    """
    pairs = answer.model.checkpoint.examples
    own = record.of_kind(kind)
    if kind != "cross" or not pairs:
        return clearest_head([own], kind)
    try:
        examples = analyze(answer.model, forced_attention, pairs[:_MAX_EXAMPLES])
    except ValueError:
        # An uploaded checkpoint may have examples that its model cannot read.
        return clearest_head([own])
    others = [example.of_kind("cross") for example in examples]
    return clearest_head([*others, *[own] * len(others)])


def _roles(record: AttentionRecord, kind: AttentionKind, is_named: bool) -> tuple[tuple[str, ...], ...]:
    """Return the role of each head; empty names while a class looks for them."""
    roles = head_roles(record, kind)
    return roles if is_named else tuple(("",) * len(layer) for layer in roles)


def _show_facts(record: AttentionRecord) -> None:
    """Show one statistic of every head as a map, and all of them as a table."""
    with control_row("facts"):
        places = st.columns(2)
    with places[0]:
        kind: AttentionKind = choose("Attention", KIND_TITLES, key="facts_of", default="encoder", look="menu")
    facts = head_facts(getattr(record, kind), within_one_sentence=kind != "cross")
    offered = {name: title for name, title in _FACTS.items() if name in _OF_CROSS or kind != "cross"}
    with places[1]:
        fact = choose("Statistic", offered, key="fact", look="menu")
    title = offered[fact]
    figure = head_map_figure(facts, fact, title)
    show_figure(figure, alt=f"{title} of every head", key="facts_figure")
    st.dataframe(
        _facts_table(facts, head_roles(record, kind)),
        hide_index=True,
        height="content" if facts.entropy.size <= _MAX_ROWS else "auto",
        column_config={title: st.column_config.NumberColumn(format="%.2f") for title in _FACTS.values()},
        alt="Statistics of every head; click a heading to sort",
    )
    st.caption(
        "Means over this sentence's subwords and end token. A head is named by where over half of its attention goes; "
        "in another sentence that may differ."
    )


def _facts_table(facts: HeadFacts, roles: tuple[tuple[str, ...], ...]) -> pd.DataFrame:
    """Return a row for each head, with the statistics that are defined for this kind of attention."""
    rows = []
    for layer, head in np.ndindex(facts.entropy.shape):
        numbers = {title: float(getattr(facts, name)[layer, head]) for name, title in _FACTS.items()}
        rows.append({"Layer": layer + 1, "Head": head + 1, "Role": roles[layer][head], **numbers})
    return pd.DataFrame(rows).dropna(axis="columns", how="all")


def _show_export(data: Mapping[str, Any], numbers: Callable[[], str]) -> None:
    """Offer the stage as an HTML page, and its numbers as JSON."""
    # With "rerun", nothing is made or sent while it is closed.
    place = st.expander(
        "Export: page, numbers",
        icon=":material/download:",
        key="take_away",
        on_change="rerun",
    )
    if place.open:
        with place, st.container(horizontal=True):
            _offer_file("HTML page", partial(stage_html, data), "html", "text/html")
            _offer_file("JSON", numbers, "json", "application/json")


def _offer_file(label: str, data: Callable[[], str], ending: str, mime: str) -> None:
    st.download_button(
        label,
        data,
        f"attention.{ending}",
        mime,
        key=f"take_{ending}",
        on_click="ignore",
        icon=":material/download:",
    )


def main() -> None:
    workspace = current_workspace()
    answer = show_translation(workspace, "attention_maps")
    record = answer.explained.attention
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        view = choose("View", _VIEWS, key="maps_view", hide_label=True)
    if view == "overview":
        with row, st.popover("Display options", icon=":material/tune:"):
            options = _choose_options()
        # In the bar on a projector, where a class looks for a head first.
        with st.container(width="content", key="bar_names") if is_presenting() else row:
            is_named = toggle("Name the heads", True, _NAMES)
    if view == "facts":
        _show_facts(record)
        taught: str = view
    else:
        try:
            views = _read_kinds(answer, record, *options)
        except ValueError as error:
            end_with_error(error)
        kinds = {
            kind: stage_kind(each, _roles(record, kind, is_named), _first_head(answer, record, kind))
            for kind, each in views.items()
        }
        sentence = answer.sentence
        about = {"source": sentence.source, "target": sentence.text, "model": answer.model.name}
        data = show_stage(kinds, about)
        taught = view if options[0] == "weights" else options[0]
    st.caption(
        "Read a map as a trace, not as an explanation: very different weights can give the same translation."
    )
    link_to(INSIDE, "How faithful is attention? Test it on this sentence")
    if view == "overview":
        _show_export(data, partial(attention_json, views.values(), answer.sentence))
    if view == "overview" and not is_named:
        st.caption("What to notice, and an exercise, come with the names of the heads.")
    else:
        show_lesson(PAGE_TEXTS["attention_maps"].views[taught], (scaled_dot_product_attention,))


if __name__ == "__main__":
    main()
