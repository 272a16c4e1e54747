"""What the page about the learning rate says about the numbers that were chosen."""

from __future__ import annotations

import streamlit as st

from core.figures.schedule import RunPosition
from core.theory.schedule import Schedule, peak_rate
from pages.components.widgets.words import plain


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


def say_epochs(schedule: Schedule, total: int, epoch: int, position: RunPosition | None) -> None:
    """Steps as passes over the corpus, and how far the current model was trained."""
    warmup = ""
    if schedule.kind != "constant" and schedule.warmup_steps:
        warmup = f" The warmup lasts **{_epochs(schedule.warmup_steps, epoch)}**."
    st.markdown(
        f"One epoch is **{epoch:,}** step{'' if epoch == 1 else 's'}.{warmup} The training of {total:,} "
        f"step{'' if total == 1 else 's'} is **{_epochs(total, epoch)}** long."
    )
    if position is not None:
        beyond = " That is beyond the right end of the axis." if position.step > total else ""
        st.caption(
            f"{plain(position.name)} was trained to step {position.step:,} of {position.total_steps:,}, where its rate "
            f"was {position.rate:.3g}.{beyond} The epochs on the axis are those of the batches chosen above, not its own."
        )


def _epochs(steps: int, epoch: int) -> str:
    count = steps / epoch
    return f"{count:,.0f} epochs" if count >= 100 else f"{count:.3g} epoch{'' if count == 1 else 's'}"
