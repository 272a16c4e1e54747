"""What the page about the learning rate lets people change; all of it stands in the address."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.theory.schedule import Schedule, ScheduleKind
from pages.components.learning_rate.kept_curves import MAX_STEPS, MAX_WIDTH
from pages.components.widgets import remembered
from pages.components.widgets.numbers import number_input

_KINDS: dict[ScheduleKind, str] = {
    "warmup": "The paper's",
    "linear": "Linear warmup and decay",
    "constant": "Constant",
}


def choose_schedule() -> tuple[Schedule, int]:
    """The chosen curve, and the number of steps in all."""
    kind = remembered.choose("Schedule", _KINDS, "schedule")
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
    return schedule, total
