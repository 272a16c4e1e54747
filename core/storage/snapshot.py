from core.pipeline import PreparedPairs
from core.storage.checkpoint import Checkpoint
from core.training.loop import TrainingRun

NUM_EXAMPLES = 15


def snapshot(run: TrainingRun, prepared: PreparedPairs, seconds: float) -> Checkpoint:
    """The checkpoint of a run as it stands: its best weights, and the last ones before an epoch ended.

    Args:
        run: at rest, finished or stopped.
        prepared: what it trains on.
        seconds: how long it has trained.
    """
    metrics: dict[str, float] = {
        "pairs": len(prepared.pairs),
        "steps": run.state.step,
        "epochs": run.epochs_done,
        "seconds": round(seconds, 3),
    }
    if run.history:
        metrics["last_loss"] = run.history[-1].loss
        metrics["last_accuracy"] = run.history[-1].accuracy
    if run.best_epoch:
        metrics["best_epoch"] = run.best_epoch
        metrics["best_epoch_loss"] = run.best_loss
    return Checkpoint(
        config=run.model_config,
        weights=run.best_weights(),
        source_tokenizer=prepared.source_tokenizer,
        target_tokenizer=prepared.target_tokenizer,
        training=run.training_config,
        metrics=metrics,
        examples=prepared.pairs[:NUM_EXAMPLES],
    )
