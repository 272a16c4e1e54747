"""How the heads of a model came to look where they look: attention at every preview of its training."""

from __future__ import annotations

import streamlit as st

from core.classroom.models import TrainedModel
from core.classroom.training_job import MAX_FILM_BYTES, FilmMoment
from core.classroom.workspace import Workspace
from core.figures.attention import film_figure
from core.interpretability.attention_view import read_attention
from core.records import Pair
from pages.components.attention_maps.map_choice import MapChoice
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.remembered import choose
from pages.components.widgets.words import first_words, plain


def film_of(workspace: Workspace, model: TrainedModel) -> tuple[FilmMoment, ...]:
    """What was kept while the model learned; empty for every other model."""
    if workspace.job is None or workspace.trained is not model:
        return ()
    moments = workspace.job.view().progress.film
    return moments if len(moments) > 1 else ()


def show_film(workspace: Workspace, moments: tuple[FilmMoment, ...], choice: MapChoice) -> None:
    """A sentence, and a slider over the moments of the training."""
    job = workspace.job
    assert job is not None
    pairs = job.view().progress.preview_pairs
    longest = max(range(len(pairs)), key=lambda number: len(pairs[number].source))
    number = choose("Sentence", _titles(pairs), key="film_sentence", default=longest, look="menu")
    views = []
    for moment, records in moments:
        view = read_attention(records[number], choice.reading)
        if not view.rows or not view.columns:
            st.info("All tokens are hidden.", icon=":material/visibility_off:")
            return
        views.append((moment, view))
    show_figure(
        film_figure(views, choice.layer, choice.head, "epoch"),
        alt=f"{view.title(choice.layer, choice.head)} of “{pairs[number].source}” at {len(views)} moments of the "
        "training",
        key="film_figure",
    )
    st.caption(
        f"The decoder reads “{plain(pairs[number].target)}”, the reference (teacher forcing), at each preview of its "
        f"training, so that all pictures have the same rows. {len(moments)} moments of {len(pairs)} sentences are kept "
        f"until the next training, at most {MAX_FILM_BYTES / 1e6:g} MB; beyond that, every second one "
        "is dropped."
    )


def _titles(pairs: tuple[Pair, ...]) -> dict[int, str]:
    return {number: first_words(pair.source, 60) for number, pair in enumerate(pairs)}
