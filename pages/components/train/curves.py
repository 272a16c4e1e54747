"""What there is to see of a training: its curves, and its sample translations as they change."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from core.classroom.training_job import TrainingJob, TrainingProgress
from core.figures.training import training_curves_figure
from core.records import EpochReport
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.drawing.tables import ROW_HEIGHT, are_long
from pages.components.widgets.model.training import show_live_training

_HALF = 165  # pixels
_MAX_MOMENTS = 6  # at which sample translations are shown


def show_training(job: TrainingJob, before: tuple[EpochReport, ...]) -> None:
    """A training as it runs: how far it is, its curves over those of the one before, and its sample translations."""
    show_live_training(job, partial(_show_progress, before))


def _show_progress(before: tuple[EpochReport, ...], progress: TrainingProgress) -> None:
    if progress.epochs and progress.epochs[-1].validation_loss is not None:
        st.caption(
            "On held-out pairs, which it does not learn from, after the last whole epoch: loss "
            f"**{progress.epochs[-1].validation_loss:.3f}**, next token right in "
            f"**{progress.epochs[-1].validation_accuracy:.1%}**."
        )
    if not progress.reports:
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        show_figure(
            training_curves_figure(progress.reports, progress.epochs, before),
            alt="Loss, accuracy and learning rate over the training steps",
            key="training_curves",
        )
    if progress.previews:
        with right:
            _show_samples(progress)


def whose_weights(progress: TrainingProgress) -> str:
    """What a training at rest translates with; in the words of both tables."""
    if not progress.weights_epoch:
        return "with the last weights"
    judged = "held-out " if progress.epochs[-1].validation_loss is not None else ""
    return f"with the weights of epoch {progress.weights_epoch:,}, which had the lowest {judged}loss"


def _show_samples(progress: TrainingProgress) -> None:
    """The sample translations now and before, so that one sees them change."""
    tokenizer = progress.prepared.target_tokenizer
    if progress.results:  # at rest: those of the model that was kept, as in the table below
        kept = dict(zip(progress.prepared.pairs, progress.results, strict=True))
        now = tuple(kept[pair].text for pair in progress.preview_pairs)
        st.markdown(f"**Sample translations {whose_weights(progress)}**")
    else:
        epoch, now = progress.previews[-1]
        st.markdown(f"**Sample translations after epoch {epoch:,}**")
    sources = [pair.source for pair in progress.preview_pairs]
    expected = [tokenizer.decode(tokenizer.encode(pair.target)) for pair in progress.preview_pairs]
    marks = ["✓" if want == text else "…" for want, text in zip(expected, now, strict=True)]
    long = are_long((*sources, *now))
    width = st.column_config.TextColumn(width=_HALF if long else None)
    st.dataframe(
        pd.DataFrame({"": marks, "Source": sources, "Model": now}),
        hide_index=True,
        row_height=ROW_HEIGHT if long else None,
        column_config={"": st.column_config.TextColumn(width=30), "Source": width, "Model": width},
        alt="Five sentences with the model's translations at this point",
    )
    st.markdown("**Earlier sample translations**")
    history = {f"epoch {past:,}": texts for past, texts in progress.previews[-_MAX_MOMENTS:][::-1]}
    st.dataframe(
        pd.DataFrame(history, index=sources).T,
        alt="The same sentences' translations at earlier moments of the training",
    )
