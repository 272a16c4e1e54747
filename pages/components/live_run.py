"""A training as it runs: drawn again and again until it rests."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.figures.curves import training_curves_figure, training_curves_info
from pages.components.figure import show_figure
from pages.components.training_job import JobView, Status, TrainingJob
from pages.components.words import duration

_SECONDS_BETWEEN = 0.7
_SECONDS_WAITING = 2.0  # for others: thirty people may wait at once


def show_live_run(job: TrainingJob, *, curves: bool = True) -> None:
    """Draw a training; when it comes to rest, the whole page runs again.

    Args:
        job: waiting, running or at rest.
        curves: whether to draw more than its progress.
    """
    seconds = _SECONDS_WAITING if job.view().place else _SECONDS_BETWEEN
    st.fragment(_draw, run_every=seconds if job.active else None)(job, curves)


def _draw(job: TrainingJob, curves: bool) -> None:
    view = job.view()
    st.progress(min(1.0, view.steps_done / view.total_steps), text=_progress_text(view))
    if curves and view.reports:
        left, right = st.columns([3, 2], gap="medium")
        with left:
            show_figure(
                training_curves_figure(training_curves_info(view.reports)),
                alt="Loss, accuracy and learning rate over the training steps",
                key="training_curves",
            )
        with right:
            _show_watched(job, view)
    # The script that drew this fragment saw an active run; let it see the rest once.
    if not view.active and st.session_state.get("_drawn_active") is job:
        st.session_state["_drawn_active"] = None
        st.rerun()
    if view.active:
        st.session_state["_drawn_active"] = job


def _progress_text(view: JobView) -> str:
    epoch = view.reports[-1].epoch if view.reports else 0
    trained = f"Epoch {epoch:,} of {view.epochs:,}"
    if view.reports:
        trained += f" · loss {view.reports[-1].loss:.3f}"
    match view.status:
        case Status.WAITING if view.place:
            others = "one training" if view.place == 1 else f"{view.place} trainings"
            return f"Waiting for {others} of other people to end. Yours starts by itself."
        case Status.WAITING | Status.STARTING:
            return "Preparing: loading TensorFlow and compiling the training step. A few seconds, once."
        case Status.RUNNING:
            left = f" · about {duration(view.seconds_left)} left" if view.seconds_left is not None else ""
            return trained + left
        case Status.STOPPED:
            return f"Stopped. {trained} · {duration(view.seconds)}"
        case Status.FAILED:
            return f"Failed. {trained}"
        case _:
            return f"Done. {trained} · {duration(view.seconds)}"


def _show_watched(job: TrainingJob, view: JobView) -> None:
    """The watched sentences now and before, so that one sees them change."""
    if not view.watched:
        return
    epoch, now = view.watched[-1]
    st.markdown(f"**What it says after epoch {epoch:,}**")
    pairs = job.prepared.pairs[: job.num_watched]
    decode = job.prepared.target_tokenizer
    right = [decode.decode(decode.encode(pair.target)) == text for pair, text in zip(pairs, now, strict=True)]
    st.dataframe(
        pd.DataFrame(
            {
                "": ["✓" if is_right else "…" for is_right in right],
                "Source": [pair.source for pair in pairs],
                "Model": now,
            }
        ),
        hide_index=True,
        column_config={"": st.column_config.TextColumn(width=30)},
        alt="Five sentences with the model's translation at this moment",
    )
    st.markdown("**How they came about**")
    history = {f"epoch {past_epoch}": texts for past_epoch, texts in view.watched[-6:][::-1]}
    st.dataframe(
        pd.DataFrame(history, index=[pair.source for pair in pairs]).T,
        alt="The same sentences' translations at earlier moments of the training",
    )
