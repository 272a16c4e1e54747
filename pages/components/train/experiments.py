"""Trainings that differ from the last one in a single setting, at one press."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.classroom.workspace import Workspace
from core.config import ConfigError, ModelConfig, TrainingConfig
from core.presets import Preset
from core.training.pairs import PipelineError
from pages.components.app.queues import training_queue
from pages.components.train.run_plan import plan_run
from pages.components.widgets.live_job import try_to_start
from pages.components.widgets.memory import set_value


@dataclass(frozen=True)
class Experiment:
    """One setting changed."""

    label: str
    question: str
    changes: Callable[[ModelConfig, TrainingConfig], dict[str, Any]]  # by field, for the settings' widgets


EXPERIMENTS = (
    Experiment(
        "10 × the learning rate",
        "Does it learn ten times as fast?",
        lambda model, training: {
            "schedule": "constant",
            "learning_rate": min(1.0, 10 * training.learning_rate),
        },
    ),
    Experiment("One head", "Are several heads needed?", lambda model, training: {"num_heads": 1}),
    Experiment(
        "No dropout",
        "What does dropout cost, and what does it gain?",
        lambda model, training: {"dropout_rate": 0.0},
    ),
    Experiment(
        "Learned positions",
        "Are the waves needed?",
        lambda model, training: {"positional_encoding": "learned"},
    ),
)


def show_experiments(
    workspace: Workspace,
    preset: Preset,
    model: ModelConfig,
    training: TrainingConfig,
    held_out_share: float,
) -> None:
    """A button for each experiment that would change something; its curve is drawn over that of this training."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**What if?**", width="content")
        for experiment in EXPERIMENTS:
            changes = experiment.changes(model, training)
            values = {**model.to_dict(), **training.to_dict()}
            st.button(
                experiment.label,
                help=f"{experiment.question} Trains again with this one setting changed, and keeps the previous curve.",
                disabled=all(values[field] == value for field, value in changes.items()),
                on_click=_start,
                args=(workspace, preset, model, training, held_out_share, changes),
                key=f"experiment_{experiment.label}",
            )


def _start(
    workspace: Workspace,
    preset: Preset,
    model: ModelConfig,
    training: TrainingConfig,
    held_out_share: float,
    changes: dict[str, Any],
) -> None:
    for field, value in changes.items():
        set_value(f"setting_{field}", value)
    model_fields = {field: value for field, value in changes.items() if field in model.to_dict()}
    training_fields = {field: value for field, value in changes.items() if field not in model_fields}
    try:
        plan = plan_run(
            workspace.pairs,
            model.replace(**model_fields),
            training.replace(**training_fields),
            preset,
            held_out_share,
        )
    except (ConfigError, PipelineError):
        return  # the page says what is wrong with the settings
    try_to_start(lambda: workspace.start_training(plan.plan, training_queue()))
