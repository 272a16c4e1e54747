"""The norm after each sum, or before each sublayer."""

from __future__ import annotations

import streamlit as st

from core.figures.architecture import norm_orders_svg, norm_placement_figure
from core.theory.norm_placement import layer_norm, measure_stack, post_norm, pre_norm
from pages.components.app.session import current_workspace
from pages.components.lesson.view import View
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.drawing.svg import show_svg
from pages.components.widgets.model.current_model import current_model
from pages.components.widgets.numbers import slider
from pages.components.widgets.words import plain

MAX_LAYERS = 24


def _show_norms() -> None:
    first, second = st.columns([4, 5], gap="large")
    with first:
        show_svg(norm_orders_svg(), "norm_orders")
        st.caption("One encoder layer, from the bottom to the top. ⊕ adds the residual connection.")
        model = current_model(current_workspace())
        if model is not None:
            st.caption(f"The current model, **{plain(model.name)}**, is {model.checkpoint.config.norm}-norm.")
    with second:
        layers = slider("Layers", 1, MAX_LAYERS, 12, "depth")
        post, pre = measure_stack(post_norm, layers), measure_stack(pre_norm, layers)
        st.markdown(
            f"Through {layers} untrained layer{'s' if layers > 1 else ''}, post-norm keeps the root mean square of a "
            f"vector at **{post.size[-1]:.2f}**, and the cosine similarity to the input falls to "
            f"**{post.cosine_similarity[-1]:z.2f}**. With pre-norm the root mean square grows to "
            f"**{pre.size[-1]:.2f}**, and the similarity falls to **{pre.cosine_similarity[-1]:z.2f}**."
        )
        show_figure(
            norm_placement_figure(post, pre),
            alt=f"Root mean square and cosine similarity of vectors after each of {layers} layers, with post-norm and "
            "with pre-norm",
            key="norm_placement",
        )
        st.caption(
            "Random vectors of width 64, and feed-forward sublayers with random weights, the same every time."
        )


NORMS = View(_show_norms, (post_norm, pre_norm, layer_norm))
