"""The training player: one animation of a training, before it starts, while it runs and afterwards."""

from typing import Any

from core.figures.browser.training_player import player_data
from core.interpretability.heads import clearest_watched_head
from core.records.training import EpochReport, LearningSnapshot, PastRun, WatchedTraining
from core.server.jobs import JobState
from core.server.training_job import TrainingJob, TrainingPlan, TrainingProgress
from pages.components.frame.presenting import draw_figure


def show_player(job: TrainingJob, before: PastRun, state: JobState[TrainingProgress]) -> None:
    """Show a training, which waits, runs or has ended, over the curve of the one before."""
    training = _watched(job.work.plan, state.progress.epochs, state.progress.snapshots)
    run = str(id(job))  # unique, since a job still exists when the next one replaces it
    _draw(player_data(training, before, run, state.active))


def show_player_before(plan: TrainingPlan) -> None:
    """Show the player of a training that has not started, with empty translations."""
    prepared = plan.prepared
    training = _watched(plan)
    run = f"{prepared.pairs} {prepared.held_out} {plan.wanted}"
    _draw(player_data(training, PastRun(), run))


def _draw(data: dict[str, Any]) -> None:
    html = '<div class="player" role="group" tabindex="-1"></div>'
    draw_figure("player", html, data)


def _watched(
    plan: TrainingPlan, epochs: tuple[EpochReport, ...] = (), snapshots: tuple[LearningSnapshot, ...] = ()
) -> WatchedTraining:
    prepared = plan.prepared
    return WatchedTraining(
        experiment=plan.experiment,
        sentences=plan.watched,
        vocabulary=prepared.target_tokenizer.vocabulary.tokens,
        num_epochs=prepared.training.epochs,
        steps_per_epoch=prepared.steps_per_epoch,
        epochs=epochs,
        snapshots=snapshots,
        head=clearest_watched_head(plan.watched, snapshots[-1]) if snapshots else 0,
    )
