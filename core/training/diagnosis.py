"""A diagnosis of a finished training from its losses and translations, in a sentence or two."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from core.language import _, ngettext, number
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
    if not experiment:
        return diagnosis
    return _("**{experiment}**: {diagnosis}").format(
        experiment=experiment, diagnosis=f"{diagnosis[0].lower()}{diagnosis[1:]}"
    )


def _describe_unseen(exact: ExactMatches) -> str:
    count = exact.num_unseen
    text = (
        ngettext(
            "It translates **{unseen} of {count}** sentence that it has never seen, and {learned} of {num_learned} that "
            "it learned.",
            "It translates **{unseen} of {count}** sentences that it has never seen, and {learned} of {num_learned} that "
            "it learned.",
            count,
        )
        if exact.unseen
        else ngettext(
            "It translates **{unseen} of {count}** sentence that it has never seen.",
            "It translates **{unseen} of {count}** sentences that it has never seen.",
            count,
        )
    )
    return text.format(unseen=exact.unseen, count=count, **_learned(exact))


def _learned(exact: ExactMatches) -> dict[str, int]:
    """Return how many training pairs are translated exactly, and of how many, for a text's placeholders."""
    return {"learned": exact.learned, "num_learned": exact.num_learned}


def _diagnosis(
    losses: list[float], epochs: Sequence[EpochReport], exact: ExactMatches, causal_mask: bool
) -> str:
    if not causal_mask and exact.learned < exact.num_learned and epochs[-1].accuracy > _HIGH_ACCURACY:
        return _(
            "In training, it could read the word that it had to predict, so it got the next word right {accuracy} of the "
            "time. On its own it gets {learned} of {num_learned} sentences right."
        ).format(accuracy=number(epochs[-1].accuracy, ".0%"), **_learned(exact))
    if not exact.unseen and (overfitting := _overfitting(epochs)):
        return overfitting
    if exact.learned == exact.num_learned and not _is_unstable(losses):
        return _learned_all(exact, min(losses))
    best = losses.index(min(losses))
    loss = number(losses[-1], ".2f")
    if _is_unstable(losses):
        return _(
            "The loss never settles: it was {lowest} after epoch {epoch} and is {loss} at the end. With the weights that "
            "the model keeps, {learned} of {num_learned} are translated exactly."
        ).format(lowest=number(losses[best], ".2f"), epoch=best + 1, loss=loss, **_learned(exact))
    if len(losses) > 1 and losses[-1] > _STUCK * losses[0]:
        return _(
            "The loss is stuck near {loss}. Most often the learning rate is too high, and each step overshoots; a rate "
            "far too low looks the same. Try one tenth of it, then ten times."
        ).format(loss=loss)
    if losses[-1] < _SMALL_LOSS and 0 < len(exact.missed) <= _FEW:
        named = ", ".join(f"*{source}*" for source in exact.missed)
        return _(
            "{learned} of {num_learned} pairs are translated exactly. Still wrong: {sentences}. Continue for more "
            "epochs, unless a sentence has two translations among the pairs."
        ).format(sentences=named, **_learned(exact))
    recent = losses[-_WINDOW:]
    before = losses[-2 * _WINDOW : -_WINDOW]
    if not before or fmean(recent) < _STILL_FALLING * fmean(before):
        return _("Not finished yet: the loss is {loss}. Continue for more epochs.").format(loss=loss)
    return _(
        "{learned} of {num_learned} pairs are translated exactly, and the loss has settled at {loss}. A larger model, "
        "less dropout or a higher learning rate may get further."
    ).format(loss=loss, **_learned(exact))


def _learned_all(exact: ExactMatches, loss: float) -> str:
    if exact.unseen:
        return ""
    count = exact.num_learned
    text = (
        ngettext(
            "Memorized: the one pair is translated exactly.",
            "Memorized: all {count} pairs are translated exactly.",
            count,
        )
        if exact.num_unseen
        else ngettext(
            "Memorized: the one pair is translated exactly, at a loss of {loss}. That says nothing about new sentences. "
            "To find out, hold some out.",
            "Memorized: all {count} pairs are translated exactly, at a loss of {loss}. That says nothing about new "
            "sentences. To find out, hold some out.",
            count,
        )
    )
    return text.format(count=count, loss=number(loss, ".2f"))


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
    return _(
        "Overfitting: the validation loss was {lowest} after epoch {epoch} and has risen to {highest}, while the "
        "training loss fell from {before} to {now}. More pairs, more dropout or fewer epochs help."
    ).format(
        lowest=number(lowest, ".2f"),
        epoch=best.epoch,
        highest=number(highest, ".2f"),
        before=number(best.loss, ".2f"),
        now=number(last.loss, ".2f"),
    )
