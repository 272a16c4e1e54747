"""Attention of every layer and head for a translation."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.arrays import Floats
from core.figures.plotly.model_inside import head_map_figure
from core.interpretability.attention_view import (
    AttentionOptions,
    Measure,
    attention_json,
    read_attention,
)
from core.interpretability.heads import examples_alignment, head_facts, head_roles
from core.interpretability.teacher_forcing import ForcedPair
from core.interpretability.value_norms import value_norms
from core.language import N_, _
from core.model.forward import scaled_dot_product_attention
from core.records.attention import AttentionKind, AttentionRecord, Head, HeadFacts
from core.server.translation_job import ChosenSentence
from pages.components.attention.heat_maps import ChosenMap, choose_cell, show_heat_maps
from pages.components.attention.stage import KIND_TITLES, show_stage, stage_data, stage_html
from pages.components.attention.weight_origin import show_weight_origin
from pages.components.explaining.figure import is_phone, show_figure, show_table
from pages.components.explaining.prediction import predict_or_end
from pages.components.explaining.view import choose_view, show_lesson
from pages.components.frame.menu import link_to
from pages.components.frame.presenting import is_presenting
from pages.components.frame.visit import Visit
from pages.components.model.analysis import analyze
from pages.components.model.sentence import analyze_or_end, show_translation
from pages.components.widgets.download import show_download
from pages.components.widgets.state import choose, toggle
from pages.content.pages import INSIDE
from pages.content.reader import PAGE_TEXTS

_MEASURES: dict[Measure, str] = {
    "weights": N_("Weights"),
    "norms": N_("Norm-weighted"),
    "rollout": N_("Rollout"),
}
_FACTS = {
    "entropy": N_("Entropy (bits)"),
    "distance": N_("Distance (tokens)"),
    "previous": N_("To the previous token"),
    "same": N_("To itself"),
    "next": N_("To the next token"),
    "last": N_("To the last token"),
}
_OF_CROSS = ("entropy", "last")  # the statistics that are defined between two sentences
_NAMES = "head_names"  # key of the switch that names the heads; a lesson turns it off
_MAX_EXAMPLES = 6  # examples of the model that are traced
_MAX_ROWS = 48  # rows above which the table of statistics scrolls


def _choose_options() -> AttentionOptions:
    measure = choose(
        _("Measure"),
        {measure: _(title) for measure, title in _MEASURES.items()},
        key="measure",
        help=_(
            "Weights: the output of the softmax. Norm-weighted: each weight times the norm of the vector it scales. "
            "Rollout: the maps of all layers so far, multiplied."
        ),
    )
    by_word = toggle(_("Words instead of subwords"), False, key="by_word")
    specials = toggle(_("Start and end tokens"), True, key="specials")
    return AttentionOptions(measure, by_word, specials)


def _examples_alignment(chosen: ChosenSentence) -> Floats | None:
    """Return how the heads align the model's examples; None if it has none that it can read."""
    pairs = chosen.model.checkpoint.examples[:_MAX_EXAMPLES]
    if not pairs:
        return None
    try:
        return analyze(chosen.model, examples_alignment, pairs)
    except ValueError:
        # An uploaded checkpoint may have examples that its model cannot read.
        return None


def _show_maps(
    visit: Visit, part: str, row: DeltaGenerator, chosen: ChosenSentence, record: AttentionRecord
) -> str | None:
    """Show all heads as one of both views, with their options and files.

    Args:
        visit: on this page.
        part: "heat" or "words".
        row: the page's row of controls.
        chosen: the translation that was asked for.
        record: its attention.

    Returns:
        The name of the view's text; None while a class looks for a head.
    """
    with row, visit.in_bar("controls"):
        label = "" if is_presenting() else _("Display options")
        folded = st.popover(label, icon=":material/tune:", width="content", help=_("Display options"))
    with folded:
        options = _choose_options()
    # In the bar on a projector, where a class looks for a head first.
    with folded if is_phone() else row, visit.in_bar("controls"):
        is_named = toggle(_("Name the heads"), True, _NAMES)
    predict_or_end(visit, part)
    norms = None
    if options.measure == "norms":
        pair = ForcedPair.of_translation(chosen.model.translator, chosen.sentence)
        norms = analyze_or_end(chosen.model, value_norms, pair)
    maps = read_attention(record, options, norms, _examples_alignment(chosen))
    if not is_named:
        maps = {kind: each.without_roles() for kind, each in maps.items()}
    sentence = chosen.sentence
    data = partial(stage_data, maps, sentence, chosen.model.name)
    if part == "words":
        show_stage(data())
    else:
        caption = f"{sentence.source} → {sentence.text}"
        about = (caption, chosen.model.id, options.by_word, options.specials)
        shown_map = show_heat_maps(visit, folded, maps, caption, about)
        if shown_map is not None:
            _show_origin(chosen, shown_map, options)
    _show_caveat()
    _show_export(data, partial(attention_json, maps.values(), sentence))
    if not is_named:
        return None
    return part if options.measure == "weights" else options.measure


def _show_origin(chosen: ChosenSentence, shown: ChosenMap, options: AttentionOptions) -> None:
    """Show how a weight of the large map came about, where its cells are weights that a head computed."""
    if shown.head is not None and options == AttentionOptions():
        head = Head(shown.kind, shown.layer, shown.head)
        show_weight_origin(chosen, head, shown.cell, choose_cell)
    elif shown.cell is not None:
        st.info(
            _(
                "How a weight came about is shown for one head's weights, with subwords and start and end tokens. "
                "Choose these under Display options."
            ),
            icon=":material/calculate:",
        )


def _show_facts(chosen: ChosenSentence, record: AttentionRecord) -> str:
    """Show one statistic of every head as a map, and all of them as a table; return the name of their text."""
    with st.container(key="row_facts"):  # on a phone, its columns stay side by side
        places = st.columns(2)
    with places[0]:
        kinds = {kind: _(title) for kind, title in KIND_TITLES.items()}
        kind: AttentionKind = choose(_("Attention"), kinds, key="facts_of", default="encoder", look="menu")
    facts = head_facts(getattr(record, kind), within_one_sentence=kind != "cross")
    offered = {name: _(title) for name, title in _FACTS.items() if name in _OF_CROSS or kind != "cross"}
    with places[1]:
        fact = choose(_("Statistic"), offered, key="fact", look="menu")
    title = offered[fact]
    figure = head_map_figure(facts, fact, title)
    show_figure(figure, alt=_("{fact} of every head").format(fact=title), key="facts_figure")
    show_table(
        _facts_table(facts, head_roles(record, kind, _examples_alignment(chosen))),
        [_(title) for title in _FACTS.values()],
        _("Statistics of every head; click a heading to sort"),
        decimals=2,
        height="content" if facts.entropy.size <= _MAX_ROWS else "auto",
    )
    st.caption(
        _(
            "Means over this sentence's subwords and end token. A head is named by where over half of its attention "
            "goes; in another sentence that may differ."
        )
    )
    _show_caveat()
    return "facts"


def _facts_table(facts: HeadFacts, roles: tuple[tuple[str, ...], ...]) -> pd.DataFrame:
    """Return a row for each head, with the statistics that are defined for this kind of attention."""
    rows = []
    for layer, head in np.ndindex(facts.entropy.shape):
        numbers = {_(title): float(getattr(facts, name)[layer, head]) for name, title in _FACTS.items()}
        role = _(roles[layer][head])
        rows.append({_("Layer"): layer + 1, _("Head"): head + 1, _("Role"): role, **numbers})
    return pd.DataFrame(rows).dropna(axis="columns", how="all")


def _show_export(data: Callable[[], Mapping[str, Any]], numbers: Callable[[], str]) -> None:
    """Offer the stage as an HTML page, and its numbers as JSON."""
    # With "rerun", nothing is made or sent while it is closed.
    place = st.expander(
        _("Export: page, numbers"),
        icon=":material/download:",
        key="take_away",
        on_change="rerun",
    )
    if place.open:
        with place, st.container(horizontal=True):
            show_download(_("HTML page"), lambda: stage_html(data()), "attention.html", key="take_html")
            show_download("JSON", numbers, "attention.json", key="take_json")


def _show_caveat() -> None:
    st.caption(
        _(
            "Read a map as a trace, not as an explanation: very different weights can give the same translation."
        )
    )
    link_to(INSIDE, _("How faithful is attention? Test it on this sentence"))


def main(visit: Visit) -> None:
    chosen = show_translation(visit, is_in_figure=True)
    record = chosen.explained.attention
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        part = choose_view(visit, ("heat", "words", "facts"), "heat")
    taught = _show_facts(chosen, record) if part == "facts" else _show_maps(visit, part, row, chosen, record)
    if taught is None:
        st.caption(_("What to notice, and an exercise, come with the names of the heads."))
    else:
        show_lesson(visit, PAGE_TEXTS["attention_maps"].views[taught], (scaled_dot_product_attention,))
