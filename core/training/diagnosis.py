"""A diagnosis of a finished training from its losses and translations, in a sentence or two."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from core.records.training import EpochReport

_STUCK = 0.7  # last loss over that of the first epoch: a good learning rate soon falls below it
_STILL_FALLING = 0.9  # mean loss of the last epochs over that of those before
_WINDOW = 5  # epochs in each of these means
_UNSTABLE_EPOCHS = 20  # the last ones, whose mean loss is compared with the lowest
_UNSTABLE = 1.5  # that mean over the lowest loss
_SMALL_LOSS = 0.1  # fluctuations below it mean nothing
_HIGH_ACCURACY = 0.9
_FEW = 3  # missed sentences that are named
_OVERFITTING = 1.05  # last validation loss over the lowest


@dataclass(frozen=True)
class ExactMatches:
    """How many pairs the model translates exactly, with the weights that it keeps."""

    learned: int
    num_learned: int  # training pairs
    unseen: int = 0
    num_unseen: int = 0  # held-out pairs
    missed: tuple[str, ...] = ()  # the sources of the other training pairs, in Markdown


def diagnose_training(
    epochs: Sequence[EpochReport], exact: ExactMatches, experiment: str = "", causal_mask: bool = True
) -> str:
    """Describe what the losses and the translations show, and what to try next.

    Args:
        epochs: the finished epochs, in order.
        exact: the numbers of exact translations.
        experiment: the name of the one setting that this training changed; "" for none.
        causal_mask: whether the causal mask hid the words to predict.

    Returns:
        A sentence or two; "" before the end of the first epoch.
    """
    if not epochs:
        return ""
    diagnosis = _diagnosis([epoch.loss for epoch in epochs], epochs, exact, causal_mask)
    if exact.num_unseen:
        diagnosis = f"{_describe_unseen(exact)} {diagnosis}".strip()
    return f"**{experiment}**: {diagnosis[0].lower()}{diagnosis[1:]}" if experiment else diagnosis


def _describe_unseen(exact: ExactMatches) -> str:
    sentences = f"sentence{'s' if exact.num_unseen > 1 else ''} that it has never seen"
    learned = f", and {exact.learned} of {exact.num_learned} that it learned" if exact.unseen else ""
    return f"It translates **{exact.unseen} of {exact.num_unseen}** {sentences}{learned}."


def _diagnosis(
    losses: list[float], epochs: Sequence[EpochReport], exact: ExactMatches, causal_mask: bool
) -> str:
    if not causal_mask and exact.learned < exact.num_learned and epochs[-1].accuracy > _HIGH_ACCURACY:
        return (
            f"In training, it could read the word that it had to predict, so it got the next word right "
            f"{epochs[-1].accuracy:.0%} of the time. On its own it gets {exact.learned} of {exact.num_learned} "
            "sentences right."
        )
    if not exact.unseen and (overfitting := _overfitting(epochs)):
        return overfitting
    if exact.learned == exact.num_learned and not _is_unstable(losses):
        return _learned_all(exact, min(losses))
    best = losses.index(min(losses))
    if _is_unstable(losses):
        return (
            f"The loss never settles: it was {losses[best]:.2f} after epoch {best + 1} and is {losses[-1]:.2f} at the "
            f"end. With the weights that the model keeps, {exact.learned} of {exact.num_learned} are translated exactly."
        )
    if len(losses) > 1 and losses[-1] > _STUCK * losses[0]:
        return (
            f"The loss is stuck near {losses[-1]:.2f}. Most often the learning rate is too high, and each step "
            "overshoots; a rate far too low looks the same. Try one tenth of it, then ten times."
        )
    if losses[-1] < _SMALL_LOSS and 0 < len(exact.missed) <= _FEW:
        named = ", ".join(f"*{source}*" for source in exact.missed)
        return (
            f"{exact.learned} of {exact.num_learned} pairs are translated exactly. Still wrong: {named}. "
            "Continue for more epochs, unless a sentence has two translations among the pairs."
        )
    recent = losses[-_WINDOW:]
    before = losses[-2 * _WINDOW : -_WINDOW]
    if not before or fmean(recent) < _STILL_FALLING * fmean(before):
        return f"Not finished yet: the loss is {losses[-1]:.2f}. Continue for more epochs."
    return (
        f"{exact.learned} of {exact.num_learned} pairs are translated exactly, and the loss has settled at "
        f"{losses[-1]:.2f}. A larger model, less dropout or a higher learning rate may get further."
    )


def _learned_all(exact: ExactMatches, loss: float) -> str:
    if exact.unseen:
        return ""
    which = f"all {exact.num_learned} pairs are" if exact.num_learned > 1 else "the one pair is"
    if exact.num_unseen:
        return f"Memorized: {which} translated exactly."
    return (
        f"Memorized: {which} translated exactly, at a loss of {loss:.2f}. That says nothing about new sentences. "
        "To find out, hold some out."
    )


def _is_unstable(losses: list[float]) -> bool:
    """Return whether the loss is far above its lowest again and has not settled there."""
    recent = losses[-_UNSTABLE_EPOCHS:]
    return len(losses) > len(recent) and fmean(recent) > max(_UNSTABLE * min(losses), _SMALL_LOSS)


def _overfitting(epochs: Sequence[EpochReport]) -> str:
    """Return a text if the validation loss rose while the training loss fell; else ""."""
    evaluated = [(epoch.validation_loss, epoch) for epoch in epochs if epoch.validation_loss is not None]
    if not evaluated:
        return ""
    lowest, best = min(evaluated, key=lambda each: each[0])
    highest, last = evaluated[-1]
    if highest <= _OVERFITTING * lowest or last.loss >= best.loss:
        return ""
    return (
        f"Overfitting: the validation loss was {lowest:.2f} after epoch {best.epoch} and has risen to {highest:.2f}, "
        f"while the training loss fell from {best.loss:.2f} to {last.loss:.2f}. "
        "More pairs, more dropout or fewer epochs help."
    )
