"""Data of the training player: curves, translations and attention at each snapshot."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from core.figures import theme
from core.language import _
from core.records.training import EpochReport, PastRun, WatchedTraining, thinned

MAX_POINTS = 240  # per curve
_PER_MILLE = 1000


def player_data(
    training: WatchedTraining, before: PastRun, run: str, running: bool = False
) -> dict[str, Any]:
    """Return the data for player.js: probabilities to 0.001, and attention weights as bytes, row by row, to 0.002.

    Args:
        training: the training to show.
        before: the training before, to compare with.
        run: tells this training from others.
        running: whether it goes on.
    """
    snapshots = training.snapshots
    used = sorted(
        {token for snapshot in snapshots for answer in snapshot.translations for token, _p in answer}
    )
    number = {token: place for place, token in enumerate(used)}
    return {
        "sentences": [
            {
                "source": each.source,
                "columns": each.source_tokens,
                "rows": each.target_tokens,
                "never": each.never_shown,
                "wanted": each.wanted,
            }
            for each in training.sentences
        ],
        "words": [training.vocabulary[token] for token in used],
        "snapshots": [
            {
                "epoch": round(snapshot.step / training.steps_per_epoch, 2),
                "answers": [
                    _answer(answer, each.target_ids, number)
                    for answer, each in zip(snapshot.translations, training.sentences, strict=True)
                ],
                "cross": [
                    base64.b64encode(weights[training.head].tobytes()).decode() for weights in snapshot.cross
                ],
            }
            for snapshot in snapshots
        ],
        "heads": len(snapshots[0].cross[0]) if snapshots else 0,
        "head": training.head + 1,
        "curves": _curves(training.epochs),
        "before": {"name": _(before.title), **_curves(before.epochs)},
        "run": run,
        "running": running,
        "total": training.num_epochs,
        "label": _(training.experiment),
        "shades": theme.SHADES,
    }


def _answer(
    answer: Sequence[tuple[int, float]], reference: tuple[int, ...], number: Mapping[int, int]
) -> dict[str, Any]:
    """Return an answer without the end token: indices of its words, and their probabilities in thousandths."""
    words = [(number[token], round(_PER_MILLE * p)) for token, p in answer if token != reference[-1]]
    return {
        "words": [word for word, _p in words],
        "p": [p for _word, p in words],
        "right": tuple(token for token, _p in answer) == reference,
        "open": answer[-1][0] != reference[-1],
    }


def _curves(epochs: Sequence[EpochReport]) -> dict[str, list[Any]]:
    """Return at most MAX_POINTS points of each curve, including the first and the last."""
    kept = thinned(epochs, MAX_POINTS)
    return {
        "epochs": [each.epoch for each in kept],
        "loss": [round(each.loss, 4) for each in kept],
        "accuracy": [round(each.accuracy, 3) for each in kept],
        "held_out": [round(each.validation_loss, 4) for each in kept if each.validation_loss is not None],
    }
