"""Which model the page about the architecture is looking at: a known one, with other sizes if people like."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.config import ConfigError, ModelConfig
from core.model.weight_shapes import parameter_count
from core.presets import CLASSROOM, LARGE_PRESETS
from core.theory.paper_models import BASE, BIG
from pages.components.app.session import workspace
from pages.components.architecture.large_numbers import in_words
from pages.components.widgets.current_model import current_model
from pages.components.widgets.words import plain

MAX_LAYERS, MAX_WIDTH, MAX_HEADS, MAX_INNER, MAX_VOCABULARY = 24, 4096, 128, 16_384, 1_000_000
CURRENT = "Current model"

KNOWN_MODELS = {
    "Classroom": CLASSROOM.model,
    "Tutorial, 4 × 128": LARGE_PRESETS["tutorial"].model,
    "Paper's base": BASE,
    "Paper's big": BIG,
}


def choose_model() -> ModelConfig | None:
    """The model that is looked at; None, with a message, where the sizes chosen make no model."""
    models = all_models()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.segmented_control(
            "Model",
            list(models),
            default="Classroom",
            required=True,
            key="model",
            bind="query-params",
            wrap=True,
        )
        name = name if name in models else "Classroom"
        changes: dict[str, Any] = {}
        if name in KNOWN_MODELS:
            with st.popover("Change its sizes", icon=":material/tune:"):
                changes = _choose_changes(models[name], f"m{list(KNOWN_MODELS).index(name)}")
    config = _changed(models[name], changes)
    if config is not None:
        st.caption(_described(config, name))
    return config


def all_models() -> dict[str, ModelConfig]:
    """The known models, and the current one where there is any."""
    model = current_model(workspace())
    return KNOWN_MODELS if model is None else {**KNOWN_MODELS, CURRENT: model.checkpoint.config}


def _choose_changes(config: ModelConfig, prefix: str) -> dict[str, Any]:
    """Controls that begin with the model's own sizes; `prefix` keeps them apart from another model's."""

    def number(label: str, least: int, most: int, field: str, disabled: bool = False) -> int:
        value: int = st.number_input(
            label, least, most, getattr(config, field), key=f"{prefix}_{field}", bind="query-params",
            disabled=disabled,
        )  # fmt: skip
        return value

    def toggle(label: str, field: str, value: bool) -> bool:
        return st.toggle(label, value, key=f"{prefix}_{field}", bind="query-params")

    share = toggle("One embedding for both languages", "share_embeddings", config.share_embeddings)
    tie = toggle("The output uses the target's embedding", "tie_embeddings", config.tie_embeddings)
    pre = toggle("Pre-norm", "norm", config.norm == "pre")
    learned = toggle("Learned positions", "positional_encoding", config.positional_encoding == "learned")
    left, right = st.columns(2)
    with left:
        layers = number("Layers on each side", 1, MAX_LAYERS, "num_layers")
        width = number("Width, d_model", 1, MAX_WIDTH, "d_model")
        target = number("Target vocabulary", 4, MAX_VOCABULARY, "target_vocab_size")
    with right:
        heads = number("Heads", 1, MAX_HEADS, "num_heads")
        inner = number("Inner width, d_ff", 1, MAX_INNER, "d_ff")
        source = number("Source vocabulary", 2, MAX_VOCABULARY, "source_vocab_size", disabled=share)
    return {
        "num_layers": layers,
        "num_heads": heads,
        "d_model": width,
        "d_ff": inner,
        "share_embeddings": share,
        "tie_embeddings": tie,
        "norm": "pre" if pre else "post",
        "positional_encoding": "learned" if learned else "sinusoidal",
        "target_vocab_size": target,
        "source_vocab_size": target if share else source,
    }


def _changed(config: ModelConfig, changes: dict[str, Any]) -> ModelConfig | None:
    width, heads = changes.get("d_model", config.d_model), changes.get("num_heads", config.num_heads)
    if width % heads:
        st.warning(
            f"A width of {width:,} cannot be dealt out to {heads} heads: each would be {width / heads:.2f} numbers "
            "wide. Change the width or the heads.",
            icon=":material/warning:",
        )
        return None
    try:
        return config.replace(**changes)
    except ConfigError as error:
        st.warning(plain(str(error)), icon=":material/warning:")
        return None


def _described(config: ModelConfig, name: str) -> str:
    model = current_model(workspace()) if name == CURRENT else None
    one = config.source_vocab_size == config.target_vocab_size
    sizes = (
        f"{config.target_vocab_size:,}"
        if one
        else f"{config.source_vocab_size:,} and {config.target_vocab_size:,}"
    )
    facts = [
        *([f"**{plain(model.name)}**"] if model else []),
        f"**{in_words(parameter_count(config))} parameters**",
        f"{config.num_layers} + {config.num_layers} layers",
        f"width {config.d_model:,}",
        f"{config.num_heads} head{'s' if config.num_heads > 1 else ''} of {config.head_width}",
        f"feed-forward {config.d_ff:,}",
        f"vocabulary {sizes}",
        f"{config.norm}-norm",
    ]
    return " · ".join(facts)
