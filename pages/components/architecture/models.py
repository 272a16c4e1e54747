"""The model that the page about the architecture shows: a known one, with other sizes if people like."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.config import ConfigError, ModelConfig
from core.presets import CLASSROOM, LARGE_PRESETS
from core.theory.model_size import BASE, BIG
from core.weights import parameter_count
from pages.components.app.session import current_workspace
from pages.components.architecture.large_numbers import in_words
from pages.components.widgets import remembered
from pages.components.widgets.model.current_model import current_model
from pages.components.widgets.numbers import number_input
from pages.components.widgets.words import plain

MAX_LAYERS, MAX_WIDTH, MAX_HEADS, MAX_INNER, MAX_VOCABULARY = 24, 4096, 128, 16_384, 1_000_000
_CURRENT = "current"
_KNOWN = {"classroom": CLASSROOM.model, "tutorial": LARGE_PRESETS["tutorial"].model, "base": BASE, "big": BIG}
_TITLES = {
    "classroom": "Classroom",
    "tutorial": "Tutorial, 4 × 128",
    "base": "Paper's base",
    "big": "Paper's big",
    _CURRENT: "Current model",
}


def choose_config() -> ModelConfig | None:
    """The chosen model; None, with a message, where the chosen sizes do not fit together."""
    models = _models()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = remembered.choose("Model", {name: _TITLES[name] for name in models}, "model")
        changes: dict[str, Any] = {}
        if name in _KNOWN:
            with st.popover("Change its sizes", icon=":material/tune:"):
                changes = _choose_changes(models[name], f"m{list(_KNOWN).index(name)}")
    config = _changed(models[name], changes)
    if config is not None:
        st.caption(_describe(config, name))
    return config


def all_configs() -> dict[str, ModelConfig]:
    """The known models by their titles, and the current one where there is any."""
    return {_TITLES[name]: config for name, config in _models().items()}


def _models() -> dict[str, ModelConfig]:
    model = current_model(current_workspace())
    return _KNOWN if model is None else {**_KNOWN, _CURRENT: model.checkpoint.config}


def _choose_changes(config: ModelConfig, prefix: str) -> dict[str, Any]:
    """Controls that begin with the model's own sizes. Each model has controls of its own, by the prefix."""

    def number(label: str, low: int, high: int, field: str, disabled: bool = False) -> int:
        default: int = getattr(config, field)
        return number_input(label, low, high, default, f"{prefix}_{field}", disabled=disabled)

    def toggle(label: str, field: str, default: bool) -> bool:
        return remembered.toggle(label, default, f"{prefix}_{field}")

    share = toggle("One embedding for both languages", "share_embeddings", config.share_embeddings)
    tie = toggle("Tie the output to the target embedding", "tie_embeddings", config.tie_embeddings)
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
            f"A width of {width:,} is not divisible by {heads} heads: each would be {width / heads:.2f} numbers wide. "
            "Change the width or the heads.",
            icon=":material/warning:",
        )
        return None
    try:
        return config.replace(**changes)
    except ConfigError as error:
        st.warning(plain(str(error)), icon=":material/warning:")
        return None


def _describe(config: ModelConfig, name: str) -> str:
    model = current_model(current_workspace()) if name == _CURRENT else None
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
        f"{config.num_heads} head{'s' if config.num_heads > 1 else ''} of {config.head_dim}",
        f"feed-forward {config.d_ff:,}",
        f"vocabulary {sizes}",
        f"{config.norm}-norm",
    ]
    return " · ".join(facts)
