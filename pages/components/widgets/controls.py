"""Widgets in, config dataclasses out."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.classroom import limits
from core.config import (
    Activation,
    DecodingConfig,
    ModelConfig,
    NormPlacement,
    PositionalEncoding,
    ScheduleName,
    TrainingConfig,
)
from core.explanations import EXPLANATIONS
from core.presets import CLASSROOM, PRESETS, Preset

AnyConfig = TypeVar("AnyConfig", ModelConfig, TrainingConfig)
_PRESET = "setting_preset"
_OFF = {"clip_norm": 0.0, "patience": 0}  # what stands for None


def training_settings(remembered: dict[str, Any]) -> tuple[Preset, ModelConfig, TrainingConfig]:
    """Show the presets and, folded, every hyperparameter.

    Args:
        remembered: the settings of an earlier visit, kept up to date here.

    Raises:
        ConfigError: the settings do not fit together.
    """
    for name, value in {**_values_of(CLASSROOM), **remembered}.items():
        st.session_state[name] = st.session_state.get(name, value)  # told in every run
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
        "Beams", 2, 8, 4, key="beams", bind="query-params", help=EXPLANATIONS["beam_size"]
    )
    length_penalty = columns[2].slider(
        "Length penalty",
        0.0,
        2.0,
        0.6,
        0.1,
        key="penalty",
        bind="query-params",
        help=EXPLANATIONS["length_penalty"],
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
                values[_key(name)] = _OFF.get(name) if value is None else value
    return values


def _read(config: AnyConfig) -> AnyConfig:
    """The config with what the widgets say."""
    shown = {field.name: st.session_state.get(_key(field.name)) for field in fields(config)}
    changes = {name: value for name, value in shown.items() if value is not None}
    for name in _OFF.keys() & changes.keys():
        changes[name] = changes[name] or None
    return config.replace(**changes)


def _key(name: str) -> str:
    return f"setting_{name}"


def _model_widgets() -> None:
    st.markdown("**The model**")
    columns = st.columns(4)
    _number(columns[0], "Layers", "num_layers", 1, limits.MAX_LAYERS)
    _number(columns[1], "Heads", "num_heads", 1, limits.MAX_HEADS)
    _number(columns[2], "d_model", "d_model", 4, limits.MAX_D_MODEL)
    _number(columns[3], "d_ff", "d_ff", 4, limits.MAX_D_FF)
    _number(columns[0], "Dropout", "dropout_rate", 0.0, 0.9, step=0.05)
    _choice(columns[1], "Positions", "positional_encoding", get_args(PositionalEncoding))
    _choice(columns[2], "Activation", "activation", get_args(Activation))
    _choice(columns[3], "Norm", "norm", get_args(NormPlacement))
    _number(columns[0], "Longest source", "max_source_length", 2, limits.MAX_LENGTH)
    _number(columns[1], "Longest target", "max_target_length", 3, limits.MAX_LENGTH)
    columns[2].toggle("Tied", key=_key("tie_embeddings"), help=EXPLANATIONS["tie_embeddings"])


def _training_widgets() -> None:
    st.markdown("**The training**")
    columns = st.columns(4)
    _number(columns[0], "Epochs", "epochs", 1, limits.MAX_EPOCHS)
    _number(columns[1], "Batch size", "batch_size", 1, limits.MAX_BATCH_SIZE)
    _choice(columns[2], "Schedule", "schedule", get_args(ScheduleName))
    schedule = st.session_state[_key("schedule")]
    _number(
        columns[3],
        "Learning rate",
        "learning_rate",
        0.0,
        1.0,
        step=0.0005,
        format="%.5f",
        disabled=schedule == "warmup",
    )
    _number(columns[0], "Warm-up steps", "warmup_steps", 1, 100_000, disabled=schedule == "constant")
    _number(columns[1], "Label smoothing", "label_smoothing", 0.0, 0.9, step=0.05)
    _number(columns[2], "Clip gradients at", "clip_norm", 0.0, 100.0, step=0.5)
    _number(columns[3], "Patience", "patience", 0, 1000)
    _number(columns[0], "Seed", "seed", 0, 2**31 - 1)


def _number(
    column: DeltaGenerator,
    label: str,
    name: str,
    low: float,
    high: float,
    *,
    step: float | None = None,
    format: str | None = None,
    disabled: bool = False,
) -> None:
    column.number_input(
        label,
        low,
        high,
        step=step,
        format=format,
        key=_key(name),
        disabled=disabled,
        help=EXPLANATIONS[name],
    )


def _choice(column: DeltaGenerator, label: str, name: str, options: tuple[str, ...]) -> None:
    column.selectbox(label, options, key=_key(name), help=EXPLANATIONS[name])
