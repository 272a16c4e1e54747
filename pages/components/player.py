"""The learning player: one picture of a training, before it, while it runs and after it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st
from streamlit.runtime import exists

from core.classroom.training_job import TrainingPlan, TrainingProgress
from core.classroom.workspace import Workspace
from core.figures.player import player_data
from core.interpretability.heads import clearest_head
from core.records import AttentionRecord, EpochReport, LearningMoment, WatchedSentence
from pages.components.share import is_presenting
from pages.components.style import read_asset


def show_player(workspace: Workspace, progress: TrainingProgress) -> None:
    """Draw the tab's training, waiting, running or at rest."""
    job = workspace.job
    assert job is not None
    before = workspace.name_before, workspace.epochs_before
    run = str(id(job))  # another job's, since both exist when one follows the other
    _draw(job.work.plan, progress, before, run, running=job.active)


def show_player_before(plan: TrainingPlan) -> None:
    """Draw what a training will show, with empty answers."""
    progress = TrainingProgress(num_epochs=plan.prepared.training.epochs, prepared=plan.prepared)
    run = f"{plan.prepared.pairs} {plan.prepared.held_out}"
    _draw(plan, progress, ("", ()), run, running=False)


def _draw(
    plan: TrainingPlan,
    progress: TrainingProgress,
    before: tuple[str, Sequence[EpochReport]],
    run: str,
    running: bool,
) -> None:
    if not exists():  # components need a running server; a test that drives the script has none
        return
    prepared = progress.prepared
    data = {
        **player_data(
            plan.watched,
            prepared.target_tokenizer.vocabulary.tokens,
            progress.moments,
            shown_head(plan.watched, progress.moments[-1]) if progress.moments else 0,
            progress.epochs,
            prepared.encoded.steps_per_epoch(prepared.training),
            before,
        ),
        "run": run,
        "running": running,
        "total": progress.num_epochs,
        "label": plan.experiment,
        "presenting": is_presenting(),
    }
    component = st.components.v2.component(
        "transformer_classroom_player",
        html='<div class="player" role="group" tabindex="0" aria-label="The training, moment by moment"></div>',
        css=read_asset("player.css"),
        js=read_asset("picture.js") + read_asset("player.js"),
    )
    component(key="player", data=data)


def shown_head(sentences: Sequence[WatchedSentence], moment: LearningMoment) -> int:
    """Return the head of the last layer, from 0, that aligns the watched sentences best."""
    none = np.zeros((0, 0, 0, 0), np.float32)
    records = [
        AttentionRecord(
            each.source_tokens, (), each.target_tokens, none, none, (weights[None] / 255).astype(np.float32)
        )
        for each, weights in zip(sentences, moment.cross, strict=True)
    ]
    return clearest_head(records)[1]
