"""From a training run to a checkpoint."""

from dataclasses import replace
from itertools import islice

from core.checkpoints.card import with_origin
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.files import MAX_EXAMPLE_CHARACTERS
from core.tokens.sentences import needs_final_stop
from core.training.loop import TrainingRun
from core.training.pairs import NUM_EXAMPLES
from core.training.recipe import PreparedTraining


def snapshot(
    run: TrainingRun,
    prepared: PreparedTraining,
    name: str = "",
    start: Checkpoint | None = None,
) -> Checkpoint:
    """Return a run's checkpoint: its best weights, or before the end of the first epoch, the latest.

    Args:
        run: a finished or stopped run.
        prepared: the run's pairs and tokenizers.
        name: the checkpoint's name for users.
        start: the checkpoint that training continued from; its data and licence apply too.
    """
    # Only examples that a page accepts when the checkpoint is opened again.
    short = (p for p in prepared.pairs if max(len(p.source), len(p.target)) <= MAX_EXAMPLE_CHARACTERS)
    metrics: dict[str, float] = {
        "pairs": len(prepared.encoded),
        "steps": run.state.step,
        "steps_per_epoch": run.steps_per_epoch,
        "epochs": run.epochs_done,
        "seconds": round(run.seconds, 3),
    }
    if (last := run.log.last) is not None:
        metrics["last_loss"] = last.loss
        metrics["last_accuracy"] = last.accuracy
    if run.best_epoch:
        metrics["best_epoch"] = run.best_epoch
        metrics["best_epoch_loss"] = run.best_loss
    checkpoint = Checkpoint(
        config=run.model_config,
        weights=run.best_weights(),
        source_tokenizer=prepared.source_tokenizer,
        target_tokenizer=prepared.target_tokenizer,
        training=run.training_config,
        metrics=metrics,
        epochs=tuple(run.epochs),
        examples=tuple(islice(short, NUM_EXAMPLES)),
        name=name,
        needs_stop=needs_final_stop((pair.source for pair in prepared.pairs), prepared.source_tokenizer),
    )
    if start is None:
        return checkpoint
    origin = start.card or start.default_card()
    return replace(checkpoint, card=with_origin(checkpoint.default_card(), origin))
