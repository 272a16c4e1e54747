"""The learned positions of the current model, if it has any."""

from __future__ import annotations

import streamlit as st

from core.figures.heatmap import heatmap_figure, heatmap_info
from core.figures.positions import encoding_figures
from core.theory.positional_encoding import cosine_similarities
from pages.components.app.menu import TRAIN
from pages.components.app.session import current_workspace
from pages.components.lesson.view import View
from pages.components.widgets import remembered
from pages.components.widgets.drawing.figure import show_figure, show_figures
from pages.components.widgets.model.current_model import current_model
from pages.components.widgets.page.page_links import link_to
from pages.components.widgets.words import plain

_MAX_LEARNED = 64  # positions that are shown


def _show_learned() -> None:
    model = current_model(current_workspace())
    if model is None or model.checkpoint.config.positional_encoding != "learned":
        who = (
            f"The current model, {plain(model.name)}, adds the paper's sinusoidal encoding." if model else ""
        )
        st.info(
            f"{who} Some models learn a vector for each position instead. To see such vectors, train with the "
            "preset **Since the paper**, then come back.",
            icon=":material/school:",
        )
        link_to(TRAIN, "Train")
        return
    side = remembered.choose("Positions of the", ("source", "target"), "side")
    learned = model.checkpoint.weights[f"{side}_embedding/positions/embeddings"][:_MAX_LEARNED]
    st.caption(f"The first {len(learned)} positions that **{plain(model.name)}** has learned.")
    show_figures(encoding_figures(learned), alt="The learned vectors", key="learned", across=2)
    names = [str(position) for position in range(len(learned))]
    alike = heatmap_info(
        cosine_similarities(learned), names, names, row_title="position", column_title="position",
        hover_format="positions {row} and {column}: {value:z.2f}", color_range=(-1.0, 1.0),
    )  # fmt: skip
    show_figure(
        heatmap_figure(alike, "Cosine similarity of two positions; 1 = the same direction", most_columns=16),
        alt="Cosine similarity of every two learned positions",
        key="learned_alike",
    )


LEARNED = View(_show_learned, (cosine_similarities,))
