"""The training player: one animation of a training, before it starts, while it runs and afterwards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.classroom.training_job import TrainingPlan, TrainingProgress
from core.classroom.workspace import Workspace
from core.figures.player import player_data
from core.interpretability.heads import clearest_head
from core.records.attention import AttentionRecord
from core.records.training import EpochReport, LearningSnapshot, WatchedSentence
from pages.components.content import read_asset
from pages.components.figures import draw_component
from pages.components.share import is_presenting


def show_player(workspace: Workspace, progress: TrainingProgress) -> None:
    """Show the tab's training: waiting, running or finished."""
    job = workspace.jobs.training
    assert job is not None
    # Unique, since a job still exists when the next one replaces it.
    run = str(id(job))
    _draw(job.work.plan, progress, workspace.jobs.run_before, run, running=job.active)


def show_player_before(plan: TrainingPlan) -> None:
    """Show the player of a training that has not started, with empty translations."""
    progress = TrainingProgress(num_epochs=plan.prepared.training.epochs, prepared=plan.prepared)
    run = f"{plan.prepared.pairs} {plan.prepared.held_out} {plan.wanted}"
    _draw(plan, progress, ("", ()), run, running=False)


def _draw(
    plan: TrainingPlan,
    progress: TrainingProgress,
    before: tuple[str, Sequence[EpochReport]],
    run: str,
    running: bool,
) -> None:
    prepared = progress.prepared
    data = {
        **player_data(
            plan.watched,
            prepared.target_tokenizer.vocabulary.tokens,
            progress.snapshots,
            shown_head(plan.watched, progress.snapshots[-1]) if progress.snapshots else 0,
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
    html = '<div class="player" role="group" tabindex="0" aria-label="The training, epoch by epoch"></div>'
    draw_component("player", html, read_asset("picture.js") + read_asset("player.js"), data)


def shown_head(sentences: Sequence[WatchedSentence], snapshot: LearningSnapshot) -> int:
    """Return the head of the last layer, from 0, whose cross-attention aligns the watched sentences best."""
    none = np.zeros((0, 0, 0, 0), np.float32)
    records = [
        AttentionRecord(
            each.source_tokens, (), each.target_tokens, none, none, (weights[None] / 255).astype(np.float32)
        )
        for each, weights in zip(sentences, snapshot.cross, strict=True)
    ]
    return clearest_head(records)[1]
