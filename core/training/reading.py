"""One sentence that says what a finished training's numbers mean."""

from __future__ import annotations

from collections.abc import Sequence

from core.records import EpochReport

_STUCK = 0.7  # share of the first epoch's loss that is left: a working rate falls below it in no time
_STILL_FALLING = 0.9  # loss of the last epochs over that of those before
_WINDOW = 5  # epochs that are compared
_OVERFITTING = 1.05  # last validation loss over the best


def read_training(epochs: Sequence[EpochReport], exact: int, pairs: int) -> str:
    """What the curves and the translations say, and what to try next.

    Args:
        epochs: the finished ones, in order.
        exact: training pairs that the model, with the weights of the best epoch, translates exactly.
        pairs: training pairs.

    Returns:
        A sentence or two; nothing before the first epoch is over.
    """
    if not epochs:
        return ""
    losses = [epoch.loss for epoch in epochs]
    if overfitting := _overfitting(epochs):
        return overfitting
    if exact == pairs:
        which = f"all {pairs} pairs are" if pairs > 1 else "the one pair is"
        return (
            f"Memorized: {which} translated exactly, and the loss is down to {min(losses):.3f}. That says nothing about "
            "other sentences: try some on Translate."
        )
    if len(losses) > 1 and losses[-1] > _STUCK * losses[0]:
        return (
            f"The loss is stuck near {losses[-1]:.2f}. Most often the learning rate is too high, and each step "
            "overshoots; a rate that is far too low looks the same. Try a tenth of it, then ten times."
        )
    recent, before = losses[-_WINDOW:], losses[-2 * _WINDOW : -_WINDOW]
    if before and sum(recent) / len(recent) < _STILL_FALLING * sum(before) / len(before):
        return f"Not finished yet: the loss, {losses[-1]:.2f}, is still falling. Continue for more epochs."
    return (
        f"{exact} of {pairs} pairs are translated exactly, and the loss has settled at {losses[-1]:.2f}. A larger "
        "model, less dropout or a higher learning rate may get further."
    )


def _overfitting(epochs: Sequence[EpochReport]) -> str:
    """What to say where the loss on held-out pairs has risen while that on the training pairs fell; else nothing."""
    judged = [(epoch.validation_loss, epoch) for epoch in epochs if epoch.validation_loss is not None]
    if not judged:
        return ""
    lowest, best = min(judged, key=lambda each: each[0])
    highest, last = judged[-1]
    if highest <= _OVERFITTING * lowest or last.loss >= best.loss:
        return ""
    return (
        f"Overfitting: the validation loss was {lowest:.2f} after epoch {best.epoch} and has risen to {highest:.2f}, "
        f"while that on the training pairs fell from {best.loss:.2f} to {last.loss:.2f}. The model keeps the weights of "
        f"epoch {best.epoch}. More pairs, more dropout or fewer epochs help."
    )
