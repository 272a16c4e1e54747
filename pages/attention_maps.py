"""Attention of every layer and head for a translation."""

from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from core.arrays import Floats
from core.figures.plotly.model_inside import head_map_figure
from core.interpretability.attention_view import (
    AttentionOptions,
    Measure,
    attention_json,
    read_attention,
)
from core.interpretability.heads import examples_alignment, head_facts, head_roles
from core.interpretability.value_norms import value_norms
from core.language import N_, _
from core.model.forward import scaled_dot_product_attention
from core.records.attention import AttentionKind, Head, HeadFacts, HeadMaps
from core.records.text import Translation
from core.server.translation_job import ChosenSentence
from pages.components.attention.heat_maps import (
    ChosenMap,
    ChosenMaps,
    choose_cell,
    choose_maps,
    show_heat_maps,
)
from pages.components.attention.stage import KIND_TITLES, show_stage, stage_data
from pages.components.attention.weight_origin import show_weight_origin
from pages.components.explaining.figure import show_figure, show_table
from pages.components.explaining.view import View, choose_view, control_row, show_view
from pages.components.frame.device import is_phone
from pages.components.frame.menu import link_to
from pages.components.frame.presenting import is_presenting
from pages.components.frame.visit import Visit
from pages.components.model.analysis import analyze
from pages.components.model.sentence import show_translation, try_to_analyze
from pages.components.one_page.offer import show_page_choices
from pages.components.widgets.download import show_download
from pages.components.widgets.state import choose, toggle
from pages.content.pages import INSIDE

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


class _Options(NamedTuple):
    """What is shown of all heads, in both views."""

    measure: AttentionOptions
    are_named: bool


def _choose_in_row() -> _Options:
    """Ask for the options of both views: the measure and the names change what there is to notice, too."""
    label = "" if is_presenting() else _("Display options")
    folded = st.popover(label, icon=":material/tune:", width="content", help=_("Display options"))
    with folded:
        measure = _choose_options()
    with folded if is_phone() else nullcontext():
        return _Options(measure, toggle(_("Name the heads"), True, _NAMES))


def _maps_of(chosen: ChosenSentence, options: _Options) -> Mapping[AttentionKind, HeadMaps] | None:
    """Return the maps of all heads; None, with a message, if they cannot be computed."""
    norms = None
    if options.measure.measure == "norms":
        norms = try_to_analyze(chosen.model, value_norms, chosen.pair)
        if norms is None:
            return None
    record = chosen.explained.attention
    maps = read_attention(record, options.measure, norms, _examples_alignment(chosen))
    return maps if options.are_named else {kind: each.without_roles() for kind, each in maps.items()}


def _choose_map(
    chosen: ChosenSentence, options: _Options, maps: Mapping[AttentionKind, HeadMaps]
) -> ChosenMaps | None:
    sentence, measure = chosen.sentence, options.measure
    return choose_maps(maps, (_caption(sentence), chosen.model.id, measure.by_word, measure.specials))


def _show_map(
    visit: Visit,
    chosen: ChosenSentence,
    options: _Options,
    maps: Mapping[AttentionKind, HeadMaps],
    chosen_maps: ChosenMaps,
) -> None:
    shown_map = show_heat_maps(chosen_maps, _caption(chosen.sentence))
    _show_origin(chosen, shown_map, options.measure)
    _show_files(visit, chosen, options, maps)


def _caption(sentence: Translation) -> str:
    return f"{sentence.source} → {sentence.text}"


def _show_words(
    visit: Visit, chosen: ChosenSentence, options: _Options, maps: Mapping[AttentionKind, HeadMaps]
) -> None:
    show_stage(stage_data(maps, chosen.sentence, chosen.model.name))
    _show_files(visit, chosen, options, maps)


def _show_files(
    visit: Visit, chosen: ChosenSentence, options: _Options, maps: Mapping[AttentionKind, HeadMaps]
) -> None:
    """Show what goes with both views, and their files."""
    _show_caveat()
    _show_export(visit, chosen, maps)
    if not options.are_named:
        st.caption(_("What to notice, and an exercise, come with the names of the heads."))


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


class _Fact(NamedTuple):
    """A statistic of the heads of one kind of attention."""

    kind: AttentionKind
    name: str


def _choose_fact() -> _Fact:
    with st.container(key="row_facts"):  # on a phone, its columns stay side by side
        places = st.columns(2)
    with places[0]:
        kinds = {kind: _(title) for kind, title in KIND_TITLES.items()}
        kind: AttentionKind = choose(_("Attention"), kinds, key="facts_of", default="encoder", look="menu")
    offered = {name: _(title) for name, title in _FACTS.items() if name in _OF_CROSS or kind != "cross"}
    with places[1]:
        return _Fact(kind, choose(_("Statistic"), offered, key="fact", look="menu"))


def _show_facts(chosen: ChosenSentence, fact: _Fact) -> None:
    """Show one statistic of every head as a map, and all of them as a table."""
    record = chosen.explained.attention
    facts = head_facts(getattr(record, fact.kind), within_one_sentence=fact.kind != "cross")
    title = _(_FACTS[fact.name])
    figure = head_map_figure(facts, fact.name, title)
    show_figure(figure, alt=_("{fact} of every head").format(fact=title), key="facts_figure")
    show_table(
        _facts_table(facts, head_roles(record, fact.kind, _examples_alignment(chosen))),
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


def _facts_table(facts: HeadFacts, roles: tuple[tuple[str, ...], ...]) -> pd.DataFrame:
    """Return a row for each head, with the statistics that are defined for this kind of attention."""
    rows = []
    for layer, head in np.ndindex(facts.entropy.shape):
        numbers = {_(title): float(getattr(facts, name)[layer, head]) for name, title in _FACTS.items()}
        role = _(roles[layer][head])
        rows.append({_("Layer"): layer + 1, _("Head"): head + 1, _("Role"): role, **numbers})
    return pd.DataFrame(rows).dropna(axis="columns", how="all")


def _show_export(visit: Visit, chosen: ChosenSentence, maps: Mapping[AttentionKind, HeadMaps]) -> None:
    """Offer a page with the model or with this sentence, and the numbers as JSON."""
    # With "rerun", nothing is made or sent while it is closed.
    place = st.expander(
        _("Export: page, numbers"),
        icon=":material/download:",
        key="take_away",
        on_change="rerun",
    )
    if place.open:
        with place:
            stage = stage_data(maps, chosen.sentence, chosen.model.name)
            show_page_choices(visit, chosen.model, chosen, stage=stage)
            numbers = partial(attention_json, maps.values(), chosen.sentence)
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
    if chosen is None:
        return
    code = (scaled_dot_product_attention,)
    row = control_row(visit)
    with row:
        name = choose_view(visit, ("heat", "words", "facts"), "heat")
        options = _choose_in_row() if name != "facts" else None
    if options is None:
        show_view(visit, name, View(_choose_fact, partial(_show_facts, chosen), code), row)
        return
    maps = _maps_of(chosen, options)
    if maps is None:
        return
    measure = options.measure.measure
    taught = name if measure == "weights" else measure
    if name == "words":
        view: View[Any] = View(
            lambda: maps, partial(_show_words, visit, chosen, options), code, changes_page=True
        )
    else:
        choose_map = partial(_choose_map, chosen, options, maps)
        view = View(choose_map, partial(_show_map, visit, chosen, options, maps), code)
    show_view(visit, name, view, row, taught if options.are_named else "")
