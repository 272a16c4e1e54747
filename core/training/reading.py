"""One sentence that says what a finished training's numbers mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.records import EpochReport

_STUCK = 0.7  # share of the first epoch's loss that is left: a working rate falls below it in no time
_STILL_FALLING = 0.9  # loss of the last epochs over that of those before
_WINDOW = 5  # epochs that are compared
_RESTLESS_EPOCHS = 20  # that end a training
_RESTLESS = 1.5  # their mean loss over the lowest one
_SMALL_LOSS = 0.1  # below it, up and down means nothing
_KNOWS_ALL = 0.9  # accuracy
_OVERFITTING = 1.05  # last validation loss over the best


@dataclass(frozen=True)
class Exact:
    """How many sentences the model, with the weights that it keeps, translates exactly."""

    learned: int
    num_learned: int  # pairs that it was trained on
    unseen: int = 0
    num_unseen: int = 0  # pairs that were held out


def read_training(
    epochs: Sequence[EpochReport], exact: Exact, tried: str = "", causal_mask: bool = True
) -> str:
    """What the curves and the translations say, and what to try next.

    Args:
        epochs: the finished ones, in order.
        exact: what is translated exactly.
        tried: the one change that this training tried; "" for none.
        causal_mask: whether the model could not read the words that it had to predict.

    Returns:
        A sentence or two; nothing before the first epoch is over.
    """
    if not epochs:
        return ""
    found = _reading([epoch.loss for epoch in epochs], epochs, exact, causal_mask)
    if exact.num_unseen:
        found = f"{_of_unseen(exact)} {found}".strip()
    return f"**{tried}**: {found[0].lower()}{found[1:]}" if tried else found


def _of_unseen(exact: Exact) -> str:
    sentences = f"sentence{'s' if exact.num_unseen > 1 else ''} that it has never seen"
    learned = f", and {exact.learned} of {exact.num_learned} that it learned" if exact.unseen else ""
    return f"It translates **{exact.unseen} of {exact.num_unseen}** {sentences}{learned}."


def _reading(losses: list[float], epochs: Sequence[EpochReport], exact: Exact, causal_mask: bool) -> str:
    if not causal_mask and exact.learned < exact.num_learned and epochs[-1].accuracy > _KNOWS_ALL:
        return (
            f"While it learned, it could read the word that it had to predict: the next word is right in "
            f"{epochs[-1].accuracy:.0%}. Now it must write by itself: {exact.learned} of {exact.num_learned} are right."
        )
    if not exact.unseen and (overfitting := _overfitting(epochs)):
        return overfitting
    if exact.learned == exact.num_learned and not _is_restless(losses):
        return _learned_all(exact, min(losses))
    best = losses.index(min(losses))
    if _is_restless(losses):
        return (
            f"It never settles: the loss was {losses[best]:.2f} after epoch {best + 1}, and is {losses[-1]:.2f} at the "
            f"end. With the weights that it keeps, {exact.learned} of {exact.num_learned} come out right."
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
        f"{exact.learned} of {exact.num_learned} pairs are translated exactly, and the loss has settled at "
        f"{losses[-1]:.2f}. A larger model, less dropout or a higher learning rate may get further."
    )


def _learned_all(exact: Exact, loss: float) -> str:
    if exact.unseen:
        return ""
    which = f"all {exact.num_learned} pairs are" if exact.num_learned > 1 else "the one pair is"
    if exact.num_unseen:
        return f"Memorized: {which} translated exactly."
    return (
        f"Memorized: {which} translated exactly, at a loss of {loss:.3f}. That says nothing about other sentences: "
        "hold some out."
    )


def _is_restless(losses: list[float]) -> bool:
    """Whether the loss has come back up, far above its lowest, and is not at rest there."""
    recent = losses[-_RESTLESS_EPOCHS:]
    return len(losses) > len(recent) and sum(recent) / len(recent) > max(_RESTLESS * min(losses), _SMALL_LOSS)


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
