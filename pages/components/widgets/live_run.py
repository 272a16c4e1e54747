"""A training as it runs: drawn again and again until it rests."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.classroom.duration import duration
from core.classroom.job import JobView, Status
from core.classroom.training_job import TrainingJob, TrainingProgress
from core.figures.curves import training_curves_figure, training_curves_info
from pages.components.widgets.figure import show_figure
from pages.components.widgets.live_job import show_live_job, waiting_text
from pages.components.widgets.tables import ROW_HEIGHT

_LONG = 32  # characters that do not fit into half of a narrow table
_HALF = 165  # pixels
_SECONDS_BETWEEN = 0.7


def show_live_run(job: TrainingJob, *, curves: bool = True) -> None:
    """Draw a training; when it comes to rest, the whole page runs again.

    Args:
        job: waiting, running or at rest.
        curves: whether to draw more than its progress.
    """
    show_live_job(job, partial(_draw, job, curves), _SECONDS_BETWEEN)


def _draw(job: TrainingJob, curves: bool, view: JobView[TrainingProgress]) -> None:
    progress = view.progress
    st.progress(min(1.0, view.done / max(1, view.total)), text=_progress_text(job, view))
    if progress.epochs and progress.epochs[-1].validation_loss is not None:
        st.caption(
            "On pairs it does not learn from, after the last whole epoch: loss "
            f"**{progress.epochs[-1].validation_loss:.3f}**, next token right in "
            f"**{progress.epochs[-1].validation_accuracy:.1%}**."
        )
    if curves and progress.reports:
        left, right = st.columns([3, 2], gap="medium")
        with left:
            show_figure(
                training_curves_figure(training_curves_info(progress.reports, progress.epochs)),
                alt="Loss, accuracy and learning rate over the training steps",
                key="training_curves",
            )
        with right:
            _show_preview(progress, job.work.plan.pace.preview_unit)


def _progress_text(job: TrainingJob, view: JobView[TrainingProgress]) -> str:
    if view.active and job.stopping:
        return "Stopping after what is under way."
    reports = view.progress.reports
    trained = f"Epoch {reports[-1].epoch if reports else 0:,} of {view.progress.num_epochs:,}"
    if reports:
        trained += f" · loss {reports[-1].loss:.3f}"
    match view.status:
        case Status.WAITING | Status.STARTING:
            return waiting_text(view, "training")
        case Status.RUNNING:
            left = f" · about {duration(view.seconds_left)} left" if view.seconds_left is not None else ""
            return trained + left
        case Status.STOPPED:
            return f"Stopped. {trained} · {duration(view.seconds)}"
        case Status.FAILED:
            return f"Failed. {trained}"
        case _:
            return f"Done. {trained} · {duration(view.seconds)}"


def _show_preview(progress: TrainingProgress, unit: str) -> None:
    """The preview sentences now and before, so that one sees their translations change."""
    if not progress.previews:
        return
    moment, now = progress.previews[-1]
    st.markdown(f"**What it says after {unit} {moment:,}**")
    assert progress.prepared is not None  # it has been translated with
    pairs = progress.preview_pairs
    decode = progress.prepared.target_tokenizer
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
    history = {f"{unit} {past:,}": texts for past, texts in progress.previews[-6:][::-1]}
    st.dataframe(
        pd.DataFrame(history, index=[pair.source for pair in pairs]).T,
        alt="The same sentences' translations at earlier moments of the training",
    )
