"""How many parameters and operations a model has, beside well-known models."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.config import ModelConfig
from core.figures.architecture import model_size_figure
from core.theory.model_parts import parts_of_model
from core.theory.model_size import (
    BYTES_FLOAT16,
    BYTES_FLOAT32,
    BYTES_TRAINING,
    TRAINING_FACTOR,
    forward_operations,
    operations_by_part,
    parameters_by_kind,
    parameters_by_part,
)
from core.weights import parameter_count
from pages.components.architecture.large_numbers import in_words, megabytes
from pages.components.architecture.models import all_configs, choose_config
from pages.components.lesson.view import View
from pages.components.widgets.drawing.figure import show_figure

_TOKENS = 20  # on each side, of the sentence pair whose operations are counted


def _show_size() -> None:
    config = choose_config()
    if config is None:
        return
    _show_metrics(config)
    _show_bars(config)
    _show_table(config)


def _show_metrics(config: ModelConfig) -> None:
    count = parameter_count(config)
    forward = forward_operations(config, _TOKENS, _TOKENS)
    with st.container(horizontal=True, gap="large"):
        st.metric("Parameters", in_words(count), width="content")
        st.metric("As float32", megabytes(count * BYTES_FLOAT32), width="content")
        st.metric("As float16", megabytes(count * BYTES_FLOAT16), width="content")
        st.metric(
            "During training", megabytes(count * BYTES_TRAINING), width="content",
            help="Each parameter, its gradient and Adam's two moments, 4 bytes each. The activations of a batch come "
            "on top.",
        )  # fmt: skip
    st.markdown(
        f"Each target token costs **{in_words(forward / _TOKENS)}** operations forward and "
        f"**{in_words(TRAINING_FACTOR * forward / _TOKENS)}** in training; a pair of {_TOKENS} and {_TOKENS} tokens "
        f"**{in_words(forward)}** and **{in_words(TRAINING_FACTOR * forward)}**."
    )
    st.caption(
        "Only matrix products are counted, as two operations (multiply and add) for each pair of numbers: projections, "
        "scores, weighted sums of values, feed-forward and output. Training costs 3 × the forward pass."
    )


def _show_bars(config: ModelConfig) -> None:
    """The known models; above them the chosen one, if it is none of them."""
    models = {
        name: parameters_by_kind(known) for known, name in different_models(all_configs(), config).items()
    }
    totals = [in_words(sum(counts.values())) for counts in models.values()]
    show_figure(
        model_size_figure(models, totals),
        alt="Shares of the parts of "
        + "; ".join(f"{name}, {total} parameters" for name, total in zip(models, totals, strict=True)),
        key="model_size",
    )


def different_models(models: Mapping[str, ModelConfig], chosen: ModelConfig) -> dict[ModelConfig, str]:
    """Names of models, each model once, under the first of its names.

    Args:
        models: by name.
        chosen: the chosen one; it comes first where it is none of them.
    """
    names = {} if chosen in models.values() else {chosen: "This model"}
    for name, config in models.items():
        names.setdefault(config, f"{name} (this model)" if config == chosen else name)
    return names


def _show_table(config: ModelConfig) -> None:
    count = parameters_by_part(config)
    operations = operations_by_part(config, _TOKENS, _TOKENS)
    rows = [
        (f"{part.side.capitalize()}: {part.title}", count.get(part.key, 0), operations.get(part.key, 0))
        for part in parts_of_model(config)
        if part.key in count or part.key in operations
    ]
    frame = pd.DataFrame(rows, columns=["part", "parameters", "operations"])
    frame.insert(2, "share", frame["parameters"] / frame["parameters"].sum())
    frame["operations share"] = frame["operations"] / frame["operations"].sum()
    percent = st.column_config.NumberColumn("of total", format="percent")
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        column_config={
            "part": st.column_config.TextColumn("Part, all its layers", width=220),
            "parameters": st.column_config.NumberColumn("Parameters", format="localized"),
            "share": percent,
            "operations": st.column_config.NumberColumn("Operations for the pair, forward", format="compact"),
            "operations share": percent,
        },
        alt="Parameters and operations of every part",
    )


HOW_LARGE = View(_show_size, (operations_by_part, forward_operations))
