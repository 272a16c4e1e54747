"""A training as it runs: drawn again and again until it rests."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.classroom.duration import duration
from core.classroom.job import Status
from core.classroom.training_job import JobView, TrainingJob
from core.figures.curves import training_curves_figure, training_curves_info
from pages.components.widgets.figure import show_figure
from pages.components.widgets.tables import ROW_HEIGHT

_LONG = 32  # characters that do not fit into half of a narrow table
_HALF = 165  # pixels
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
    st.progress(min(1.0, view.steps_done / max(1, view.total_steps)), text=_progress_text(job, view))
    if validation := next((each.validation for each in reversed(view.reports) if each.validation), None):
        st.caption(
            f"On pairs it does not learn from, after the last whole epoch: loss **{validation.loss:.3f}**, "
            f"next token right in **{validation.accuracy:.1%}**."
        )
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


def _progress_text(job: TrainingJob, view: JobView) -> str:
    if view.active and job.stopping:
        return "Stopping after what is under way."
    epoch = view.reports[-1].epoch if view.reports else 0
    trained = f"Epoch {epoch:,} of {view.epochs:,}"
    if view.reports:
        trained += f" · loss {view.reports[-1].loss:.3f}"
    match view.status:
        case Status.WAITING if view.place:
            others = "one training" if view.place == 1 else f"{view.place} trainings"
            return f"Waiting for {others} of other people to end. Yours starts by itself."
        case Status.WAITING | Status.STARTING:
            return (
                view.doing
                or "Preparing: loading TensorFlow and compiling the training step. A few seconds, once."
            )
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
    moment, now = view.watched[-1]
    st.markdown(f"**What it says after {job.moments} {moment:,}**")
    assert job.prepared is not None  # it has been translated with
    pairs = job.watched_pairs
    decode = job.prepared.target_tokenizer
    right = [decode.decode(decode.encode(pair.target)) == text for pair, text in zip(pairs, now, strict=True)]
    long = (
        max(len(text) for pair, said in zip(pairs, now, strict=True) for text in (pair.source, said)) > _LONG
    )
    st.dataframe(
        pd.DataFrame(
            {
                "": ["✓" if is_right else "…" for is_right in right],
                "Source": [pair.source for pair in pairs],
                "Model": now,
            }
        ),
        hide_index=True,
        row_height=ROW_HEIGHT if long else None,
        column_config={
            "": st.column_config.TextColumn(width=30),
            "Source": st.column_config.TextColumn(width=_HALF if long else None),
            "Model": st.column_config.TextColumn(width=_HALF if long else None),
        },
        alt="Five sentences with the model's translation at this moment",
    )
    st.markdown("**How they came about**")
    history = {f"{job.moments} {past:,}": texts for past, texts in view.watched[-6:][::-1]}
    st.dataframe(
        pd.DataFrame(history, index=[pair.source for pair in pairs]).T,
        alt="The same sentences' translations at earlier moments of the training",
    )
