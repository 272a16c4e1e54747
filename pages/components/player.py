"""The training player: one animation of a training, before it starts, while it runs and afterwards."""

from __future__ import annotations

from core.classroom.training_job import TrainingPlan, TrainingProgress
from core.classroom.workspace import Workspace
from core.figures.browser.training_player import player_data
from core.interpretability.heads import clearest_watched_head
from core.records.training import WatchedTraining
from pages.components.content import read_asset
from pages.components.figures import draw_component

_PLACE = '<div class="player" role="group" tabindex="0" aria-label="The training, epoch by epoch"></div>'
_SCRIPT = read_asset("picture.js") + read_asset("player.js")


def show_player(workspace: Workspace, progress: TrainingProgress) -> None:
    """Show the tab's training: waiting, running or finished."""
    job = workspace.jobs.training
    assert job is not None
    training = _watched(job.work.plan, progress)
    before = workspace.jobs.run_before
    run = str(id(job))  # unique, since a job still exists when the next one replaces it
    draw_component("player", _PLACE, _SCRIPT, player_data(training, *before, run=run, running=job.active))


def show_player_before(plan: TrainingPlan) -> None:
    """Show the player of a training that has not started, with empty translations."""
    prepared = plan.prepared
    training = _watched(plan, TrainingProgress(num_epochs=prepared.training.epochs, prepared=prepared))
    run = f"{prepared.pairs} {prepared.held_out} {plan.wanted}"
    draw_component("player", _PLACE, _SCRIPT, player_data(training, run=run))


def _watched(plan: TrainingPlan, progress: TrainingProgress) -> WatchedTraining:
    prepared = progress.prepared
    snapshots = progress.snapshots
    return WatchedTraining(
        experiment=plan.experiment,
        sentences=plan.watched,
        vocabulary=prepared.target_tokenizer.vocabulary.tokens,
        num_epochs=progress.num_epochs,
        steps_per_epoch=prepared.encoded.steps_per_epoch(prepared.training),
        epochs=progress.epochs,
        snapshots=snapshots,
        head=clearest_watched_head(plan.watched, snapshots[-1]) if snapshots else 0,
    )
