"""Attention of every layer and head for a translation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import streamlit as st

from core.classroom.jobs import compute_gate
from core.classroom.models import TrainedModel
from core.classroom.settings import server_settings
from core.classroom.training_job import MAX_FILM_BYTES, FilmMoment
from core.classroom.translation_job import Answer
from core.classroom.workspace import Workspace
from core.config import DecodingConfig
from core.figures.attention import attention_figure, attention_panels, film_figure, highest_weight
from core.figures.attention_drawings import CAVEAT, attention_page, heatmap_svg, linked_tokens, overview_svg
from core.figures.model_inside import head_map_figure
from core.inference.texts import TextTranslation
from core.interpretability.attention_view import (
    AttentionOptions,
    Kind,
    Measure,
    attention_json,
    read_attention,
)
from core.interpretability.heads import HeadFacts, head_facts
from core.interpretability.norms import value_norms
from core.interpretability.words import attention_links
from core.records import AttentionRecord, AttentionView, Translation
from core.theory.attention import scaled_dot_product_attention
from pages.components.content import PAGE_TEXTS, first_words, plain
from pages.components.figures import (
    show_figure,
    show_figures,
    show_linked_tokens,
    show_picture_button,
    show_svg,
)
from pages.components.menu import INSIDE, end_page, link_to
from pages.components.models import kept_finding
from pages.components.sentence import check_text, control_row, end_with, show_translation
from pages.components.session import current_workspace
from pages.components.state import choose, set_value, text_input, toggle
from pages.components.views import show_lesson

View = Literal["overview", "head", "lines", "words", "facts", "compare", "film"]

_VIEWS: dict[View, str] = {
    "overview": "Overview",
    "head": "One head",
    "lines": "Lines",
    "words": "Alignment",
    "facts": "Head statistics",
    "compare": "Compare",
    "film": "During training",
}
_KINDS: dict[Kind, str] = {"cross": "Cross-attention", "encoder": "Encoder", "decoder": "Decoder"}
_ROWS: dict[Kind, str] = {
    "cross": "Each row is a decoding step (query position); each column is a source token (key position).",
    "encoder": "Each row is a source token (query position); each column is a source token it attends to (key "
    "position).",
    "decoder": "Each row is a token the decoder has read (query position); it attends to itself and to those before "
    "it. The future is masked.",
}
_MEASURES: dict[Measure, str] = {"weights": "Weights", "norms": "Norm-weighted", "rollout": "Rollout"}
_FACTS = {
    "entropy": "Entropy (bits)",
    "distance": "Distance (tokens)",
    "previous": "To the previous token",
    "same": "To itself",
    "next": "To the next token",
    "last": "To the last token",
}
_OF_CROSS = ("entropy", "last")  # facts that mean something between two sentences
_MOST_ROWS = 48  # of the table of facts, before it scrolls
_MAX_LISTED = 160  # characters of the tokens below the overview

_VIEW, _LAYER, _HEAD = "maps_view", "layer", "head"  # keys
_ALIGNED = "alignment_layer"  # of the layer in the view of the same name, which has another default


@dataclass(frozen=True)
class MapChoice:
    """Which attention is shown, and how."""

    view: View
    reading: AttentionOptions
    layer: int  # from 0
    head: int | None  # from 0; None is their mean


def choose_map(record: AttentionRecord, has_film: bool) -> MapChoice:
    """Widgets for the views, and for the kinds of attention, layers and heads that a record holds.

    Args:
        record: of the sentence.
        has_film: whether attention was kept while the model learned.
    """
    num_layers, num_heads = record.cross.shape[:2]
    with control_row("map"):
        places = st.columns([4, 4, 2, 2.4, 2.6], vertical_alignment="bottom")
    views = {name: title for name, title in _VIEWS.items() if name != "film" or has_film}
    with places[0]:
        view = choose("View", views, key=_VIEW, look="menu")
    kind: Kind = "cross"
    if view != "words":
        with places[1]:
            kind = choose("Attention", _KINDS, key="attention", look="menu")
    with places[4], st.popover("Reading", icon=":material/tune:", width="stretch"):
        reading = _choose_reading(view, kind)
    layer, head = num_layers, "mean"
    if view not in ("overview", "facts"):
        with places[2]:
            # The last layer but one aligns best in most models (Garg et al. 2019).
            key, usual = (_ALIGNED, max(1, num_layers - 1)) if view == "words" else (_LAYER, num_layers)
            layer = choose("Layer", range(1, num_layers + 1), key=key, default=usual, look="menu")
        if reading.measure != "rollout":
            heads = {str(number): str(number) for number in range(1, num_heads + 1)}
            with places[3]:
                head = choose("Head", {"mean": "Mean", **heads}, key=_HEAD, look="menu")
    return MapChoice(view, reading, layer - 1, int(head) - 1 if head.isdecimal() else None)


def _choose_reading(view: View, kind: Kind) -> AttentionOptions:
    measures = {
        name: title for name, title in _MEASURES.items() if view not in ("facts", "film") or name == "weights"
    }
    measure = choose(
        "Measure",
        measures,
        key="measure",
        help="Weights: the output of the softmax. Norm-weighted: each weight times the norm of the vector it scales. "
        "Rollout: the maps of all layers so far, multiplied.",
    )
    if view == "words":
        return AttentionOptions("cross", measure, by_word=True, specials=False)
    by_word = toggle("Words instead of subwords", False, key="by_word")
    return AttentionOptions(
        kind, measure, by_word, specials=toggle("Start and end tokens", True, key="specials")
    )


def attention_of(answer: Answer, reading: AttentionOptions) -> AttentionView:
    """Return the attention of an answer's sentence as it is to be shown.

    Raises:
        ValueError: the sentence is too long for its norms.
    """
    sentence = answer.sentence
    assert sentence.attention is not None
    norms = None
    if reading.measure == "norms":
        content = (sentence.read, sentence.best.ids)
        norms = kept_finding(
            answer.model, "norms", content, lambda tracer: value_norms(tracer.translator, sentence)
        )
    return read_attention(sentence.attention, reading, norms)


def is_empty(view: AttentionView) -> bool:
    """Whether nothing is left to show, said where it is so."""
    if view.rows and view.columns:
        return False
    st.info(
        "All tokens are hidden. Show start and end tokens again under Reading.",
        icon=":material/visibility_off:",
    )
    return True


def show_overview(view: AttentionView, choice: MapChoice) -> None:
    """All layers and heads, small; a press opens one."""
    show_svg(overview_svg(view), key="overview", on_press=open_head)
    _say(
        view,
        f"{view.name}: press a head to open it. {_ROWS[choice.reading.kind]} The brightest is "
        f"{highest_weight(view, view.weights):.2g}, the darkest 0.",
    )
    st.markdown(
        f"**Rows from the top** {_listed(view.rows)}  \n**Columns from the left** {_listed(view.columns)}"
    )


def open_head(part: str) -> None:
    """Show the head that was pressed, "layer-head" from 0."""
    layer, head = part.split("-")
    set_value(_LAYER, int(layer) + 1, str(int(layer) + 1))
    set_value(_HEAD, str(int(head) + 1), str(int(head) + 1))
    set_value(_VIEW, "head")


def _listed(tokens: Sequence[str]) -> str:
    """The tokens in order, with a space between; a long text's first ones."""
    return plain(first_words(" ".join(tokens), _MAX_LISTED))


def _say(view: AttentionView, text: str) -> None:
    st.caption(" ".join([text, *view.notes]))


def show_head(view: AttentionView, choice: MapChoice) -> None:
    """One head as a heatmap."""
    figure = attention_figure(view, choice.layer, choice.head)
    show_figure(figure, alt=view.title(choice.layer, choice.head), key="head_figure")
    _say(view, f"{_ROWS[choice.reading.kind]} Hover to read a {view.says}.")


def show_lines(view: AttentionView, choice: MapChoice) -> None:
    """One head as lines between tokens."""
    lines = linked_tokens(view, choice.layer, choice.head)
    st.markdown(f"**{view.title(choice.layer, choice.head)}**")
    show_linked_tokens(lines, key="lines_figure")
    left_out = f" Links below {lines['least']:.2g} are left out." if lines["least"] > 0.001 else ""
    _say(
        view,
        f"Tokens on the left attend to tokens on the right; the stronger a line, the higher the {view.says}. Point at a "
        f"token, or press it to pin it.{left_out}",
    )


def show_alignment(view: AttentionView, choice: MapChoice) -> None:
    """Each word of the translation with the source word it attends to most."""
    weights = view.head(choice.layer, choice.head)
    marked = {(row, column) for column, row in attention_links(weights)} if weights.size else set()
    st.markdown(f"**{view.title(choice.layer, choice.head)}: each word's strongest link**")
    show_linked_tokens(linked_tokens(view, choice.layer, choice.head, marked), key="words_figure")
    _say(
        view,
        "Orange: the source word that each word attends to most. Often that is its translation, but not always: a word "
        "without a counterpart has a strongest link too.",
    )


def show_facts(record: AttentionRecord, kind: Kind) -> None:
    """The map of one fact, and all of them as a table."""
    facts = head_facts(getattr(record, kind), within_one_sentence=kind != "cross")
    offered = {name: title for name, title in _FACTS.items() if name in _OF_CROSS or kind != "cross"}
    fact = choose("Statistic", offered, key="fact")
    values, title = getattr(facts, fact), offered[fact]
    highest = {"entropy": facts.max_entropy, "distance": float(np.nanmax(values))}.get(fact, 1.0)
    figure = head_map_figure(values, title.lower(), title, (0.0, highest or 1.0))
    show_figure(figure, alt=f"{title} of every head", key="facts_figure")
    st.dataframe(
        _facts_table(facts),
        hide_index=True,
        height="content" if values.size <= _MOST_ROWS else "auto",
        column_config={title: st.column_config.NumberColumn(format="%.2f") for title in _FACTS.values()},
        alt="Statistics of every head; press a heading to sort",
    )
    st.caption(
        "Means over the query positions of this sentence, as the model reads it: subwords, with the end token. A head is "
        "labeled by where more than half of its attention goes. In another sentence it may do something else."
    )


def _facts_table(facts: HeadFacts) -> pd.DataFrame:
    """A row for each head; without what means nothing for this kind of attention."""
    rows = []
    for layer, head in np.ndindex(facts.entropy.shape):
        numbers = {title: float(getattr(facts, name)[layer, head]) for name, title in _FACTS.items()}
        does = facts.name(layer, head)
        rows.append({"Layer": layer + 1, "Head": head + 1, "What it does": does, **numbers})
    return pd.DataFrame(rows).dropna(axis="columns", how="all")


def compare_sentences(workspace: Workspace, answer: Answer, view: AttentionView, choice: MapChoice) -> None:
    """Ask for a second sentence, and draw both.

    Args:
        workspace: of the person.
        answer: the first.
        view: its attention.
        choice: how both are read.
    """
    first = answer.sentence.source
    # An example of the model's that is not the sentence itself.
    others = [pair.source for pair in answer.model.checkpoint.examples if pair.source != first]
    text = text_input("Second sentence", (others or [first])[0], key="compare_text", max_chars=500)
    try:
        other = _second_answer(workspace, answer.model, text, answer.decoding)
        second = attention_of(other, choice.reading)
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    if is_empty(view) or is_empty(second):
        return
    title = view.title(choice.layer, choice.head)
    st.markdown(f"**{title}** · second: {plain(other.sentence.text)}")
    titles = (first_words(first), first_words(text))
    figures = attention_panels((view, second), titles, choice.layer, choice.head)
    show_figures(figures, alt=f"{title} of both", key="compare_figure", across=2)
    _say(view, "Both use the same color scale.")


def _second_answer(workspace: Workspace, model: TrainedModel, text: str, decoding: DecodingConfig) -> Answer:
    """A short text beside the page's own, translated as one sentence and explained; the last one is kept.

    Raises:
        ValueError: it is blank or too long, or cannot be translated.
    """
    kept = workspace.second
    if kept is not None and (kept.model, kept.text, kept.decoding) == (model, text, decoding):
        return kept
    check_text(text, decoding, server_settings().max_text)
    with compute_gate():
        found = model.translator.translate_typed([text], decoding)[0]
        explained: Translation = model.translator.explain(found)
    whole = TextTranslation(text, (found,))
    workspace.second = Answer(model, text, decoding, whole, seconds=0.0, explained=explained)
    return workspace.second


def film_of(workspace: Workspace, model: TrainedModel) -> tuple[FilmMoment, ...]:
    """What was kept while the model learned; empty for every other model."""
    if workspace.job is None or workspace.trained is not model:
        return ()
    moments = workspace.job.view().progress.film
    return moments if len(moments) > 1 else ()


def show_film(workspace: Workspace, moments: tuple[FilmMoment, ...], choice: MapChoice) -> None:
    """A sentence, and a slider over the moments of the training."""
    assert workspace.job is not None
    pairs = workspace.job.view().progress.preview_pairs
    sources = [pair.source for pair in pairs]
    number = choose(
        "Sentence",
        {number: first_words(source, 60) for number, source in enumerate(sources)},
        key="film_sentence",
        default=sources.index(max(sources, key=len)),
        look="menu",
    )
    views = [(moment, read_attention(records[number], choice.reading)) for moment, records in moments]
    if any(is_empty(view) for _, view in views):
        return
    title = views[0][1].title(choice.layer, choice.head)
    show_figure(
        film_figure(views, choice.layer, choice.head, "epoch"),
        alt=f"{title} of “{sources[number]}” at {len(views)} moments of the training",
        key="film_figure",
    )
    st.caption(
        f"The decoder reads “{plain(pairs[number].target)}”, the reference (teacher forcing), at each preview of its "
        f"training, so that all pictures have the same rows. {len(moments)} moments of {len(pairs)} sentences are kept "
        f"until the next training, at most {MAX_FILM_BYTES / 1e6:g} MB; beyond that, every second one "
        "is dropped."
    )


def show_export(view: AttentionView, answer: Answer, choice: MapChoice) -> None:
    """Files of what is shown, first the one that looks like it."""
    place = st.expander(
        "Export: picture, page, numbers",
        icon=":material/download:",
        key="take_away",
        on_change="rerun",  # nothing in it is made or sent while it is closed
    )
    if not place.open:
        return
    sentence, notes = answer.sentence, " ".join(view.notes)
    figure = attention_figure(view, choice.layer, choice.head)
    lines = linked_tokens(view, choice.layer, choice.head)
    svg = heatmap_svg(figure, notes)

    def offer_page() -> None:
        texts = (sentence.source, sentence.text, notes)
        _offer_file("HTML page", lambda: attention_page(figure, lines, *texts), "html", "text/html")

    with place:
        title = view.title(choice.layer, choice.head)
        st.caption(
            f"{title}: its heatmap as a picture, heatmap and lines as a page. JSON: all layers and heads."
        )
        with st.container(horizontal=True):
            if choice.view in ("lines", "words"):
                offer_page()
            _offer_file("SVG", svg, "svg", "image/svg+xml")
            show_picture_button(svg, "attention.png")
            if choice.view not in ("lines", "words"):
                offer_page()
            _offer_file("JSON", lambda: attention_json(view, sentence), "json", "application/json")


def _offer_file(label: str, data: str | Callable[[], str], ending: str, mime: str) -> None:
    st.download_button(
        label,
        data,
        f"attention.{ending}",
        mime,
        key=f"take_{ending}",
        on_click="ignore",
        icon=":material/download:",
    )


_SHOW = {"overview": show_overview, "head": show_head, "lines": show_lines, "words": show_alignment}


def main() -> None:
    workspace = current_workspace()
    answer = show_translation(workspace, "attention_maps")
    record = answer.sentence.attention
    if record is None:
        end_page()
    film = film_of(workspace, answer.model)
    choice = choose_map(record, has_film=bool(film))
    try:
        view = attention_of(answer, choice.reading)
    except ValueError as error:
        end_with(error)
    if choice.view == "facts":
        show_facts(record, choice.reading.kind)
    elif choice.view == "film":
        show_film(workspace, film, choice)
    elif choice.view == "compare":
        compare_sentences(workspace, answer, view, choice)
    elif not is_empty(view):
        _SHOW[choice.view](view, choice)
    st.caption(
        f"{CAVEAT} Later layers attend to vectors that are already mixtures, so read a map as a trace, not as an "
        "explanation."
    )
    link_to(INSIDE, "How faithful is attention? Test it on this sentence")
    if choice.view not in ("facts", "film") and view.rows and view.columns:
        show_export(view, answer, choice)
    measure = choice.reading.measure
    taught = (
        choice.view if choice.view in ("words", "facts") else "overview" if measure == "weights" else measure
    )
    show_lesson(PAGE_TEXTS["attention_maps"].views[taught], (scaled_dot_product_attention,))


if __name__ == "__main__":
    main()
