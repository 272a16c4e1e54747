"""Widgets in, config dataclasses out."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

import streamlit as st

from core.config import DecodingConfig, ModelConfig, TrainingConfig
from core.presets import CLASSROOM, PRESETS, Preset
from pages.components import limits

AnyConfig = TypeVar("AnyConfig", ModelConfig, TrainingConfig)
_PRESET = "setting_preset"
_OFF = 0.0  # shown for "no clipping" and "no patience"


def training_settings(remembered: dict[str, Any]) -> tuple[Preset, ModelConfig, TrainingConfig]:
    """Show the presets and, folded, every hyperparameter.

    Args:
        remembered: the settings of an earlier visit, kept up to date here.

    Raises:
        ConfigError: the settings do not fit together.
    """
    for name, value in {**_values_of(CLASSROOM), **remembered}.items():
        st.session_state.setdefault(name, value)
    chosen = st.segmented_control(
        "Preset",
        options=list(PRESETS),
        format_func=lambda name: PRESETS[name].title,
        key=_PRESET,
        required=True,
        on_change=_apply_preset,
    )
    preset = PRESETS[chosen or CLASSROOM.name]
    st.caption(preset.description)
    with st.expander("Settings: change anything the preset says", icon=":material/tune:"):
        _model_widgets()
        _training_widgets()
        st.button("Back to the preset", icon=":material/undo:", on_click=_apply_preset)
    remembered.update({name: st.session_state[name] for name in _values_of(preset)})
    return preset, _read(preset.model), _read(preset.training)


def decoding_settings() -> DecodingConfig:
    """Show greedy or beam search with its settings, kept in the address."""
    columns = st.columns([2, 1, 1], vertical_alignment="bottom")
    search = columns[0].segmented_control(
        "Search",
        options=["greedy", "beam"],
        format_func={"greedy": "Greedy", "beam": "Beam search"}.__getitem__,
        default="greedy",
        required=True,
        key="search",
        bind="query-params",
        help="Greedy takes the most likely token at each step. Beam search keeps several beginnings alive "
        "and can find a sentence that is more likely as a whole.",
    )
    if search != "beam":
        return DecodingConfig()
    beam_size = columns[1].slider(
        "Beams", 2, 8, 4, key="beams", bind="query-params", help="Beginnings kept alive. The paper uses 4."
    )
    length_penalty = columns[2].slider(
        "Length penalty",
        0.0,
        2.0,
        0.6,
        0.1,
        key="penalty",
        bind="query-params",
        help="α of Wu et al. 2016: 0 prefers short sentences, more prefers longer ones. The paper uses 0.6.",
    )
    return DecodingConfig(beam_size=beam_size, length_penalty=length_penalty)


def _apply_preset() -> None:
    preset = PRESETS[st.session_state[_PRESET] or CLASSROOM.name]
    st.session_state.update(_values_of(preset))


def _values_of(preset: Preset) -> dict[str, Any]:
    """What the widgets show for a preset."""
    values: dict[str, Any] = {_PRESET: preset.name}
    for config in (preset.model, preset.training):
        for name, value in config.to_dict().items():
            if not name.endswith("vocab_size"):
                values[_key(name)] = _OFF if value is None and name == "clip_norm" else value or 0
    values[_key("tie_embeddings")] = preset.model.tie_embeddings
    return values


def _read(config: AnyConfig) -> AnyConfig:
    """The config with what the widgets say."""
    shown = {field.name: st.session_state.get(_key(field.name)) for field in fields(config)}
    changes = {name: value for name, value in shown.items() if value is not None}
    for optional in ("clip_norm", "patience"):
        if changes.get(optional) == 0:
            changes[optional] = None
    return config.replace(**changes)


def _key(name: str) -> str:
    return f"setting_{name}"


def _model_widgets() -> None:
    st.markdown("**The model**")
    first, second, third, fourth = st.columns(4)
    first.number_input(
        "Layers",
        1,
        limits.MAX_LAYERS,
        key=_key("num_layers"),
        help="N: layers in the encoder and in the decoder.",
    )
    second.number_input(
        "Heads",
        1,
        limits.MAX_HEADS,
        key=_key("num_heads"),
        help="h: how many ways each layer can look at once.",
    )
    third.number_input(
        "d_model",
        4,
        limits.MAX_D_MODEL,
        key=_key("d_model"),
        help="The width of every vector. It must be divisible by the heads: each head is d_model / h wide.",
    )
    fourth.number_input(
        "d_ff", 4, limits.MAX_D_FF, key=_key("d_ff"), help="The inner width of the feed-forward layers."
    )
    first.number_input(
        "Dropout",
        0.0,
        0.9,
        step=0.05,
        key=_key("dropout_rate"),
        help="The part of the numbers set to 0 in training, so that the model does not rely on single ones.",
    )
    second.selectbox(
        "Positions",
        ["sinusoidal", "learned"],
        key=_key("positional_encoding"),
        help="How the model knows the order of the words: the paper's sines and cosines, or learned vectors.",
    )
    third.selectbox(
        "Activation", ["relu", "gelu"], key=_key("activation"), help="Inside the feed-forward layers."
    )
    fourth.selectbox(
        "Norm",
        ["post", "pre"],
        key=_key("norm"),
        help="After each residual sum, as in the paper, or before each sublayer, which trains more calmly.",
    )
    first.number_input(
        "Longest source",
        2,
        limits.MAX_LENGTH,
        key=_key("max_source_length"),
        help="The most words of a sentence the model reads.",
    )
    second.number_input(
        "Longest target",
        3,
        limits.MAX_LENGTH,
        key=_key("max_target_length"),
        help="The most words of a translation, with its end.",
    )
    third.toggle(
        "Tie embeddings",
        key=_key("tie_embeddings"),
        help="Use the target embedding as the output projection too (section 3.4): fewer parameters.",
    )


def _training_widgets() -> None:
    st.markdown("**The training**")
    first, second, third, fourth = st.columns(4)
    first.number_input(
        "Epochs", 1, limits.MAX_EPOCHS, key=_key("epochs"), help="How many times the model sees every pair."
    )
    second.number_input(
        "Batch size", 1, limits.MAX_BATCH_SIZE, key=_key("batch_size"), help="Pairs in one training step."
    )
    third.selectbox(
        "Schedule",
        ["constant", "warmup"],
        key=_key("schedule"),
        help="One learning rate throughout, or the paper's: it grows, then falls (section 5.3).",
    )
    warmup = st.session_state[_key("schedule")] == "warmup"
    fourth.number_input(
        "Learning rate",
        0.0,
        1.0,
        step=0.0005,
        format="%.5f",
        key=_key("learning_rate"),
        disabled=warmup,
        help="How far each step goes. Not used with warm-up.",
    )
    first.number_input(
        "Warm-up steps",
        1,
        100_000,
        key=_key("warmup_steps"),
        disabled=not warmup,
        help="Steps over which the paper's rate grows. Not used with a constant rate.",
    )
    second.number_input(
        "Label smoothing",
        0.0,
        0.9,
        step=0.05,
        key=_key("label_smoothing"),
        help="How much of the target is spread over all words; 0.1 in the paper. The loss then stays above 0.",
    )
    third.number_input(
        "Clip gradients at",
        0.0,
        100.0,
        step=0.5,
        key=_key("clip_norm"),
        help="The longest gradient a step may follow; 0 clips nothing.",
    )
    fourth.number_input(
        "Patience",
        0,
        1000,
        key=_key("patience"),
        help="Epochs without a better loss after which training ends early; 0 never does.",
    )
    first.number_input(
        "Seed",
        0,
        2**31 - 1,
        key=_key("seed"),
        help="The same seed gives the same run: weights, dropout and the order of the pairs.",
    )
