"""What the page about the learning rate lets people change; all of it stands in the address."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.figures.schedule import Stand
from core.theory.schedule import Schedule, steps_per_epoch
from pages.components.app.session import workspace
from pages.components.learning_rate.kept_curves import MAX_STEPS, MAX_WIDTH
from pages.components.widgets.current_model import current_model
from pages.components.widgets.words import plain

if TYPE_CHECKING:
    from core.config import TrainingConfig
    from core.storage.checkpoint import Checkpoint

_KINDS = {
    "warmup": "The paper's",
    "linear": "Straight up and down",
    "constant": "Constant",
}
_CORPORA = {
    "TED talks, Portuguese–English": 51_785,
    "The fifteen classroom pairs": 15,
    "Tatoeba, English–French": 116_906,
    "WMT 2014, English–German (the paper's)": 4_500_000,
}
"""Pairs to train on."""


def choose_schedule() -> tuple[Schedule, int, bool]:
    """The curve that is looked at, how many steps there are in all, and whether axes count in powers of ten."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    kind = left.segmented_control(
        "Schedule",
        list(_KINDS),
        default="warmup",
        required=True,
        format_func=_KINDS.__getitem__,
        key="schedule",
        bind="query-params",
        wrap=True,
    )
    logarithmic = right.toggle("Axes in powers of ten", key="log", bind="query-params")
    first, second, third = st.columns(3)
    total = third.number_input(
        "Steps in all", 1, MAX_STEPS, 20_000, step=1000, key="total", bind="query-params"
    )
    if kind == "constant":
        return Schedule("constant", rate=_rate(first, "Rate")), total, logarithmic
    if kind == "linear":
        rate = _rate(first, "Highest rate")
        return Schedule("linear", rate=rate, warmup_steps=_warmup(second)), total, logarithmic
    d_model = first.number_input(
        "Width, d_model", 1, MAX_WIDTH, 512, key="width_of_model", bind="query-params"
    )
    return Schedule("warmup", d_model=d_model, warmup_steps=_warmup(second)), total, logarithmic


def choose_epoch() -> int:
    """How many steps one pass over a corpus takes."""
    left, right = st.columns([3, 2])
    corpus = left.selectbox(
        "Corpus, to count epochs",
        list(_CORPORA),
        format_func=lambda name: f"{name}: {_CORPORA[name]:,} pairs",
        key="corpus",
        bind="query-params",
    )
    batch = right.number_input("Pairs in a batch", 1, 100_000, 64, key="batch", bind="query-params")
    return steps_per_epoch(_CORPORA[corpus], batch)


def stand_of_current_model() -> Stand | None:
    """The current model's training, if its checkpoint says how long it was and people want to see it."""
    model = current_model(workspace())
    if model is None or model.checkpoint.training is None:
        return None
    checkpoint, training = model.checkpoint, model.checkpoint.training
    steps, planned = _steps_of(checkpoint, training)
    if not 1 <= steps <= planned <= MAX_STEPS or not st.toggle(
        f"Show the training of the current model, {plain(model.name)}",
        value=True,
        key="model_curve",
        bind="query-params",
    ):
        return None
    schedule = Schedule(
        training.schedule,
        d_model=checkpoint.config.d_model,
        warmup_steps=training.warmup_steps,
        rate=training.learning_rate,
    )
    return Stand(schedule, steps, planned, model.name)


def _steps_of(checkpoint: Checkpoint, training: TrainingConfig) -> tuple[int, int]:
    """Steps done and steps planned; 0 where the files do not tell."""
    metrics = checkpoint.metrics
    done, per_epoch = metrics.get("steps", 0), metrics.get("steps_per_epoch", 0)
    if checkpoint.epochs and checkpoint.epochs[-1].epoch > 0:
        last = checkpoint.epochs[-1]
        done, per_epoch = done or last.step, per_epoch or last.step / last.epoch
    return int(done), round(training.epochs * per_epoch)


def _rate(place: DeltaGenerator, label: str) -> float:
    rate: float = place.number_input(
        label, 0.00001, 1.0, 0.001, step=0.0005, format="%.5f", key="rate", bind="query-params"
    )
    return rate


def _warmup(place: DeltaGenerator) -> int:
    steps: int = place.number_input(
        "Warm-up steps", 0, MAX_STEPS, 4000, step=500, key="warmup", bind="query-params"
    )
    return steps
