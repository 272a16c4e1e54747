"""Presets and hyperparameters as widgets."""

from __future__ import annotations

from typing import get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.classroom.settings import server_settings
from core.config import (
    Activation,
    ModelConfig,
    NormPlacement,
    PositionalEncoding,
    ScheduleName,
    TrainingConfig,
)
from core.presets import CLASSROOM, PRESETS, Preset
from pages.components.widgets.memory import sent_value, set_value
from pages.components.widgets.remembered import choose
from pages.components.widgets.settings.settings_form import SettingsForm

_PRESET = "setting_preset"


def training_settings(folded: DeltaGenerator) -> tuple[Preset, ModelConfig, TrainingConfig]:
    """Show the presets and, folded, every hyperparameter.

    Args:
        folded: where the hyperparameters are drawn.

    Raises:
        ConfigError: the settings do not fit together.
    """
    chosen = choose(
        "Preset",
        {name: preset.title for name, preset in PRESETS.items()},
        key=_PRESET,
        default=CLASSROOM.name,
        address="preset",
        help="  \n".join(f"**{preset.title}**: {preset.description}" for preset in PRESETS.values()),
        on_change=_apply_preset,
    )
    preset = PRESETS[chosen]
    with folded:
        st.caption(f"**{preset.title}**: {preset.description}")
        st.markdown("**The model**")
        model = SettingsForm(preset.model.to_dict(), "setting_")
        _show_model_settings(model)
        st.markdown("**The training**")
        training = SettingsForm(preset.training.to_dict(), "setting_")
        _show_training_settings(training)
        st.button("Back to the preset", icon=":material/undo:", on_click=_apply_preset)
    return preset, preset.model.replace(**model.values), preset.training.replace(**training.values)


def _show_model_settings(settings: SettingsForm) -> None:
    settings.number("Layers", "num_layers", 1, 6)
    settings.number("Heads", "num_heads", 1, 8)
    settings.number("d_model", "d_model", 4, 256)
    settings.number("d_ff", "d_ff", 4, 1024)
    settings.number("Dropout", "dropout_rate", 0.0, 0.9, step=0.05)
    settings.choice("Positional encoding", "positional_encoding", get_args(PositionalEncoding))
    settings.choice("Activation", "activation", get_args(Activation))
    settings.choice("Layer norm", "norm", get_args(NormPlacement))
    settings.switch("Tie embeddings", "tie_embeddings")


def _show_training_settings(settings: SettingsForm) -> None:
    settings.number("Epochs", "epochs", 1, server_settings().max_epochs)
    settings.number("Batch size", "batch_size", 1, 64)
    settings.choice("Learning-rate schedule", "schedule", get_args(ScheduleName))
    schedule = settings.values["schedule"]
    settings.number(
        "Learning rate",
        "learning_rate",
        0.0,
        1.0,
        step=0.0005,
        format="%.5f",
        disabled=schedule == "warmup",
    )
    settings.number("Warmup steps", "warmup_steps", 1, 100_000, disabled=schedule == "constant")
    settings.number("Label smoothing", "label_smoothing", 0.0, 0.9, step=0.05)
    settings.number("Seed", "seed", 0, 2**31 - 1)


def _apply_preset() -> None:
    chosen = sent_value(_PRESET)
    if chosen is None:
        return
    preset = PRESETS[chosen]
    for config in (preset.model, preset.training):
        for field, value in config.to_dict().items():
            set_value(f"setting_{field}", value)
