"""The learning player: one picture of a training, before it, while it runs and after it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime import exists

from core.classroom.training_job import TrainingJob, TrainingPlan, TrainingProgress
from core.classroom.workspace import Workspace
from core.figures.player import WatchedSentence, player_data
from core.figures.training import training_curves_figure
from core.records import EpochReport
from core.training.moments import watched_pairs
from core.training.recipe import PreparedTraining
from pages.components.figures import show_figure
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


def show_curves(job: TrainingJob) -> None:
    """Every step's loss, accuracy and learning rate, drawn when somebody opens them."""
    progress = job.view().progress
    folded = st.expander("Loss, accuracy and learning rate at each step", key="curves", on_change="rerun")
    if folded.open and progress.reports:
        with folded:
            show_figure(
                training_curves_figure(progress.reports),
                alt="Loss, accuracy and learning rate over the training steps",
                key="training_curves",
            )


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
            watched_sentences(prepared),
            prepared.target_tokenizer.vocabulary.tokens,
            progress.moments,
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
        js=read_asset("player.js"),
    )
    component(key="player", data=data)


def watched_sentences(prepared: PreparedTraining) -> tuple[WatchedSentence, ...]:
    """Return the sentences of a training whose translations are watched, as its moments have them."""
    watched, num_never_shown = watched_pairs(prepared.pairs, prepared.held_out)
    source, target = prepared.source_tokenizer, prepared.target_tokenizer
    tokens, end_id = source.vocabulary.tokens, target.vocabulary.end_id
    return tuple(
        WatchedSentence(
            pair.source,
            tuple(tokens[i] for i in source.encode(pair.source)),
            (*target.encode(pair.target), end_id),
            never_shown=number >= len(watched) - num_never_shown,
        )
        for number, pair in enumerate(watched)
    )
