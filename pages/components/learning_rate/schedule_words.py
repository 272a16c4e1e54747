"""What the page about the learning rate says about the numbers that were chosen."""

from __future__ import annotations

import streamlit as st

from core.theory.schedule import Schedule, peak_rate


def say_peak(schedule: Schedule, total: int) -> None:
    """Where the rate is highest, and what a warmup that is too long or 0 means."""
    step = schedule.peak_step(total)
    rate = float(schedule.rates(step, total))
    if schedule.kind == "constant":
        st.markdown(f"The rate is **{rate:.3g}** at every step.")
    elif schedule.warmup_steps > total:
        there = (
            peak_rate(schedule.d_model, schedule.warmup_steps) if schedule.kind == "warmup" else schedule.rate
        )
        st.warning(
            f"The training ends before its warmup does. At step {total:,} the rate has only grown to "
            f"**{rate:.3g}**; the peak, {there:.3g}, would come at step {schedule.warmup_steps:,}.",
            icon=":material/warning:",
        )
    elif schedule.warmup_steps == 0:
        st.warning(
            f"Without warmup the very first step is the largest: **{rate:.3g}**, while the weights are still random."
            + (
                " (The formula itself would divide by 0; its second part is left out.)"
                if schedule.kind == "warmup"
                else ""
            ),
            icon=":material/warning:",
        )
    else:
        st.markdown(f"The rate is highest at step **{step:,}**: **{rate:.3g}**.")
