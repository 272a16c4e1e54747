"""Widgets in, config dataclasses out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.classroom.settings import server_settings
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
from pages.components.widgets.memory import set_value
from pages.components.widgets.remembered import choose, number_input, slider, toggle

_PRESET = "setting_preset"
_NONE = {"clip_norm": 0.0, "patience": 0}  # numbers that stand for None


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
        model = SettingsForm(_shown(preset.model), "setting_")
        _show_model_settings(model)
        st.markdown("**The training**")
        training = SettingsForm(_shown(preset.training), "setting_")
        _show_training_settings(training)
        st.button("Back to the preset", icon=":material/undo:", on_click=_apply_preset)
    return preset, preset.model.replace(**model.values), preset.training.replace(**training.values)


def decoding_settings(may_sample: bool = True, may_fold: bool = True) -> DecodingConfig:
    """Show greedy search, beam search or sampling with its settings.

    Args:
        may_sample: whether sampling is offered.
        may_fold: whether there may be a popover, which none may be inside another.
    """
    ways = {"greedy": "Greedy", "beam": "Beam search", "sample": "Sampling"}
    if not may_sample:
        del ways["sample"]
    first, *others = st.columns([5, 2, 2, 2], vertical_alignment="bottom")
    with first:
        search = choose(
            "Decoding",
            ways,
            key="search",
            help="Greedy takes the most likely token at each step. Beam search keeps several hypotheses and can find a "
            "sentence that is more likely as a whole. Sampling draws each token by its probability.",
        )
    if search == "beam":
        return _beam_settings(*others[:2])
    return _sampling_settings(others, may_fold) if search == "sample" else DecodingConfig()


def _beam_settings(first: DeltaGenerator, second: DeltaGenerator) -> DecodingConfig:
    with first:
        beam_size = slider("Beams", 2, 8, 4, key="beams", help=EXPLANATIONS["beam_size"])
    with second:
        length_penalty = slider(
            "Length penalty", 0.0, 2.0, 0.6, key="penalty", step=0.1, help=EXPLANATIONS["length_penalty"]
        )
    return DecodingConfig(beam_size=beam_size, length_penalty=length_penalty)


def _sampling_settings(places: Sequence[DeltaGenerator], may_fold: bool) -> DecodingConfig:
    """Two sliders beside the choice, and the rest folded where it may be."""
    with places[0]:
        samples = slider("Samples", 1, 8, 4, key="samples", help=EXPLANATIONS["samples"])
    with places[1]:
        temperature = slider(
            "Temperature", 0.0, 2.0, 1.0, key="temperature", step=0.1, help=EXPLANATIONS["temperature"]
        )
    with places[2]:
        more = st.popover("More", help="Top-k, top-p and the seed") if may_fold else st.container()
    with more:
        top_k = number_input("Top-k", 0, 1000, 0, key="top_k", help=EXPLANATIONS["top_k"])
        top_p = slider("Top-p", 0.05, 1.0, 1.0, key="top_p", step=0.05, help=EXPLANATIONS["top_p"])
        seed = number_input(
            "Seed", 0, 2**31 - 1, 42, key="draw_seed", address="seed", help=EXPLANATIONS["seed"]
        )
    return DecodingConfig(samples=samples, temperature=temperature, top_k=top_k, top_p=top_p, seed=seed)


class SettingsForm:
    """Widgets for settings, four in a row; `values` holds what they show, by field.

    Args:
        usual: what they show at first, by field.
        prefix: of the widgets' keys, before the field.
    """

    def __init__(self, usual: Mapping[str, Any], prefix: str) -> None:
        self._usual = usual
        self._prefix = prefix
        self._columns = st.columns(4)
        self._count = 0
        self.values: dict[str, Any] = {}

    def number(
        self,
        label: str,
        field: str,
        low: float,
        high: float,
        *,
        step: float | None = None,
        format: str | None = None,
        disabled: bool = False,
        help: str = "",
    ) -> None:
        """A number; `help` is for a field that no config explains."""
        with self._next_column():
            value = number_input(
                label,
                low,
                high,
                self._usual[field],
                key=self._prefix + field,
                step=step,
                format=format,
                help=help or EXPLANATIONS[field],
                disabled=disabled,
                address=field,
            )
        self.values[field] = None if field in _NONE and not value else value

    def choice(self, label: str, field: str, options: tuple[str, ...]) -> None:
        """One of several options."""
        with self._next_column():
            self.values[field] = choose(
                label,
                options,
                key=self._prefix + field,
                default=self._usual[field],
                look="menu",
                help=EXPLANATIONS[field],
                address=field,
            )

    def switch(self, label: str, field: str) -> None:
        """On or off."""
        with self._next_column():
            self.values[field] = toggle(
                label, self._usual[field], key=self._prefix + field, help=EXPLANATIONS[field], address=field
            )

    def _next_column(self) -> DeltaGenerator:
        column = self._columns[self._count % len(self._columns)]
        self._count += 1
        return column


def _show_model_settings(settings: SettingsForm) -> None:
    settings.number("Layers", "num_layers", 1, server_settings().max_layers)
    settings.number("Heads", "num_heads", 1, server_settings().max_heads)
    settings.number("d_model", "d_model", 4, server_settings().max_d_model)
    settings.number("d_ff", "d_ff", 4, server_settings().max_d_ff)
    settings.number("Dropout", "dropout_rate", 0.0, 0.9, step=0.05)
    settings.choice("Positional encoding", "positional_encoding", get_args(PositionalEncoding))
    settings.choice("Activation", "activation", get_args(Activation))
    settings.choice("Layer norm", "norm", get_args(NormPlacement))
    settings.number("Max source length", "max_source_length", 2, server_settings().max_length)
    settings.number("Max target length", "max_target_length", 3, server_settings().max_length)
    settings.switch("Tie embeddings", "tie_embeddings")


def _show_training_settings(settings: SettingsForm) -> None:
    settings.number("Epochs", "epochs", 1, server_settings().max_epochs)
    settings.number("Batch size", "batch_size", 1, server_settings().max_batch_size)
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
    settings.number("Warm-up steps", "warmup_steps", 1, 100_000, disabled=schedule == "constant")
    settings.number("Label smoothing", "label_smoothing", 0.0, 0.9, step=0.05)
    settings.number("Clip gradient norm at", "clip_norm", 0.0, 100.0, step=0.5)
    settings.number("Patience", "patience", 0, 1000)
    settings.number("Seed", "seed", 0, 2**31 - 1)


def _apply_preset() -> None:
    preset = PRESETS[st.session_state[_PRESET] or CLASSROOM.name]
    for config in (preset.model, preset.training):
        for field, value in _shown(config).items():
            set_value(f"setting_{field}", value)


def _shown(config: ModelConfig | TrainingConfig) -> dict[str, Any]:
    """What the widgets show of a config, by field."""
    return {field: _NONE.get(field) if value is None else value for field, value in config.to_dict().items()}
