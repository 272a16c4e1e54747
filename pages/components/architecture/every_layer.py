"""All weights of a model, one by one."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.config import ModelConfig
from core.model.weight_shapes import parameter_count, weight_shapes
from core.theory.model_parts import parts_of_model
from core.theory.parts import part_of
from pages.components.architecture.models import choose_model
from pages.components.lesson.explanation import Formula, Lesson
from pages.components.lesson.view import View

_SIDES = ("everything", "encoder", "decoder")
_HEIGHT = 520  # pixels


def layer_table(config: ModelConfig) -> pd.DataFrame:
    """A row for each weight, in the order in which data meets them.

    Returns:
        Columns weight, shape, parameters, share, part, side.
    """
    parts = {part.key: part for part in parts_of_model(config)}
    total = parameter_count(config)
    rows = []
    for name, shape in weight_shapes(config).items():
        part = parts[part_of(name)]
        count = math.prod(shape)
        rows.append((name, f"({', '.join(map(str, shape))})", count, count / total, part.title, part.side))
    return pd.DataFrame(rows, columns=["weight", "shape", "parameters", "share", "part", "side"])


def _show_layers() -> None:
    config = choose_model()
    if config is None:
        return
    frame = layer_table(config)
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    side = left.segmented_control(
        "Show", _SIDES, default="everything", required=True, format_func=str.capitalize, key="half",
        bind="query-params",
    )  # fmt: skip
    right.download_button(
        "Download as CSV", frame.to_csv(index=False), "layers.csv", "text/csv", icon=":material/download:",
        on_click="ignore",
    )  # fmt: skip
    shown = frame[frame["side"] == side] if side in _SIDES[1:] else frame
    st.markdown(f"**{len(shown):,}** weights with **{shown['parameters'].sum():,}** parameters.")
    st.dataframe(
        shown,
        hide_index=True,
        height=_HEIGHT,
        column_config={
            "weight": st.column_config.TextColumn("Weight", width=400),
            "shape": st.column_config.TextColumn("Shape", width=120),
            "parameters": st.column_config.NumberColumn("Parameters", format="localized"),
            "share": st.column_config.NumberColumn("Of all", format="percent"),
            "part": "Part",
            "side": "Side",
        },
        alt="Every weight with its part, shape and parameters",
    )


EVERY_LAYER = View(
    "Every layer",
    _show_layers,
    Lesson(
        notice="These are the names in the checkpoint, and all that training adjusts. A kernel (a, b) takes vectors of "
        "a numbers and gives b. Queries, keys and values of self-attention stand side by side in one kernel, "
        "(D, 3D), so that one product makes all three.",
        formulas=(
            Formula(
                r"y = x\,W + b, \quad W \in \mathbb{R}^{a \times b}",
                "Every kernel with its bias. Vaswani et al. 2017 have biases in the feed-forward parts alone "
                "(equation 2); those of attention are this implementation's, as in most",
            ),
        ),
        code=(weight_shapes, parameter_count),
        question="Why is there no weight with a shape that has S or T in it?",
        answer="Weights work on each position alike, and attention makes its weights anew for each sentence. So one "
        "model reads sentences of any length. Learned positions are the exception: they have a row for each place.",
    ),
)
