"""What the page about the learning rate lets people change; all of it stands in the address."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from core.figures.schedule import RunPosition
from core.theory.schedule import Schedule, ScheduleKind, steps_per_epoch
from pages.components.app.session import current_workspace
from pages.components.learning_rate.kept_curves import MAX_STEPS, MAX_WIDTH
from pages.components.widgets import remembered
from pages.components.widgets.model.current_model import current_model
from pages.components.widgets.numbers import number_input
from pages.components.widgets.words import plain

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint
    from core.config import TrainingConfig

MAX_BATCH = 100_000
_KINDS: dict[ScheduleKind, str] = {
    "warmup": "The paper's",
    "linear": "Linear warmup and decay",
    "constant": "Constant",
}
_CORPORA = {
    "ted": ("TED talks, Portuguese–English", 51_785),
    "toy": ("The fifteen classroom pairs", 15),
    "tatoeba": ("Tatoeba, English–French", 116_906),
    "wmt": ("WMT 2014, English–German (the paper's)", 4_500_000),
}
"""Titles, and how many pairs there are to train on."""


def choose_schedule() -> tuple[Schedule, int, bool]:
    """The chosen curve, the number of steps in all, and whether the axes are logarithmic."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        kind = remembered.choose("Schedule", _KINDS, "schedule")
    with right:
        logarithmic = remembered.toggle("Logarithmic axes", False, "log")
    first, second, third = st.columns(3)
    schedule = Schedule(kind)
    with first:
        if kind == "warmup":
            width = number_input("Width, d_model", 1, MAX_WIDTH, 512, "width_of_model")
            schedule = replace(schedule, d_model=width)
        else:
            label = "Learning rate" if kind == "constant" else "Peak learning rate"
            rate = number_input(label, 0.00001, 1.0, 0.001, "rate", step=0.0005, format="%.5f")
            schedule = replace(schedule, rate=rate)
    with second:
        if kind != "constant":
            warmup = number_input("Warmup steps", 0, MAX_STEPS, 4000, "warmup", step=500)
            schedule = replace(schedule, warmup_steps=warmup)
    with third:
        total = number_input("Steps in total", 1, MAX_STEPS, 20_000, "total", step=1000)
    return schedule, total, logarithmic


def choose_epoch() -> int:
    """How many steps one pass over a corpus takes."""
    left, right = st.columns([3, 2])
    titles = {key: f"{title}: {pairs:,} pairs" for key, (title, pairs) in _CORPORA.items()}
    with left:
        corpus = remembered.choose("Corpus, to count epochs", titles, "corpus", look="menu")
    with right:
        batch = number_input("Pairs in a batch", 1, MAX_BATCH, 64, "batch")
    return steps_per_epoch(_CORPORA[corpus][1], batch)


def position_of_current_model() -> RunPosition | None:
    """The current model's training, if its checkpoint says how long it was and it is to be shown."""
    model = current_model(current_workspace())
    if model is None or model.checkpoint.training is None:
        return None
    checkpoint, training = model.checkpoint, model.checkpoint.training
    steps, planned = _steps_of(checkpoint, training)
    if not 1 <= steps <= planned <= MAX_STEPS or not remembered.toggle(
        f"Show the training of the current model, {plain(model.name)}", True, "model_curve"
    ):
        return None
    schedule = Schedule(
        training.schedule,
        d_model=checkpoint.config.d_model,
        warmup_steps=training.warmup_steps,
        rate=training.learning_rate,
    )
    return RunPosition(schedule, steps, planned, model.name)


def _steps_of(checkpoint: Checkpoint, training: TrainingConfig) -> tuple[int, int]:
    """Steps done and steps planned; 0 where the files do not tell."""
    metrics = checkpoint.metrics
    done, per_epoch = metrics.get("steps", 0), metrics.get("steps_per_epoch", 0)
    if checkpoint.epochs and checkpoint.epochs[-1].epoch > 0:
        last = checkpoint.epochs[-1]
        done, per_epoch = done or last.step, per_epoch or last.step / last.epoch
    return int(done), round(training.epochs * per_epoch)
