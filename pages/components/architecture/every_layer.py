"""All weights of a model, one by one."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.config import ModelConfig
from core.theory.model_parts import weights_of_model
from core.theory.parts import model_sizes
from core.weights import parameter_count, weight_shapes
from pages.components.architecture.models import choose_config
from pages.components.lesson.view import View

_HEIGHT = 520  # pixels


def layer_table(config: ModelConfig) -> pd.DataFrame:
    """A row for each weight, in the order in which data meets them.

    Returns:
        Columns weight, shape, parameters, share, part, side.
    """
    sizes, total = model_sizes(config), parameter_count(config)
    rows = []
    for name, part, weight in weights_of_model(config):
        shape, count = ", ".join(map(str, weight.shape(sizes))), weight.size(sizes)
        rows.append((name, f"({shape})", count, count / total, part.title, part.side))
    return pd.DataFrame(rows, columns=["weight", "shape", "parameters", "share", "part", "side"])


def _show_layers() -> None:
    config = choose_config()
    if config is None:
        return
    frame = layer_table(config)
    st.markdown(f"**{len(frame):,}** weights with **{frame['parameters'].sum():,}** parameters.")
    st.dataframe(
        frame,
        hide_index=True,
        height=_HEIGHT,
        column_config={
            "weight": st.column_config.TextColumn("Weight", width=365),
            "shape": st.column_config.TextColumn("Shape", width=110),
            "parameters": st.column_config.NumberColumn("Parameters", format="localized"),
            "share": st.column_config.NumberColumn("Share", format="percent"),
            "part": "Part",
            "side": "Side",
        },
        alt="Every weight with its part, shape and parameters",
    )


EVERY_LAYER = View(_show_layers, (weight_shapes, parameter_count))
