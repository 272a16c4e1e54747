"""From a training run to a checkpoint."""

from itertools import islice

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.description import MAX_CARD_CHARACTERS, MAX_EPOCHS, MAX_EXAMPLE_CHARACTERS
from core.records.training import TrainingState, thinned
from core.tokens.sentences import needs_full_stop
from core.training.pairs import NUM_EXAMPLES
from core.training.recipe import PreparedTraining
from core.weights import unflatten


def checkpoint_of(
    saved: TrainingState,
    prepared: PreparedTraining,
    name: str = "",
    start: Checkpoint | None = None,
) -> Checkpoint:
    """Return a run's checkpoint: its best weights, or before the end of the first epoch, the latest.

    Args:
        saved: the run's state, when it is finished or stopped.
        prepared: the run's pairs, tokenizers and settings.
        name: the checkpoint's name for users.
        start: the checkpoint that training continued from; its data and licence apply too.
    """
    # Only examples that a page accepts when the checkpoint is opened again.
    short = (p for p in prepared.pairs if max(len(p.source), len(p.target)) <= MAX_EXAMPLE_CHARACTERS)
    metrics: dict[str, float] = {
        "pairs": len(prepared.encoded),
        "steps": saved.step,
        "steps_per_epoch": prepared.steps_per_epoch,
        "epochs": saved.step // prepared.steps_per_epoch,
        "seconds": round(saved.seconds, 3),
    }
    if saved.last is not None:
        metrics["last_loss"] = saved.last.loss
        metrics["last_accuracy"] = saved.last.accuracy
    if saved.best_epoch:
        metrics["best_epoch"] = saved.best_epoch
        metrics["best_epoch_loss"] = saved.best_loss
    return Checkpoint(
        config=prepared.model,
        weights=unflatten(saved.model_parameters, prepared.model),
        source_tokenizer=prepared.source_tokenizer,
        target_tokenizer=prepared.target_tokenizer,
        training=prepared.training,
        metrics=metrics,
        epochs=tuple(thinned(saved.epochs, MAX_EPOCHS)),
        examples=tuple(islice(short, NUM_EXAMPLES)),
        name=name,
        needs_full_stop=needs_full_stop((pair.source for pair in prepared.pairs), prepared.source_tokenizer),
        origin=start.full_card()[:MAX_CARD_CHARACTERS] if start else "",
    )
