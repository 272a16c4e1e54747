"""Data of the training player: curves, translations and attention at each snapshot."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.records.training import EpochReport, LearningSnapshot, WatchedSentence

MAX_POINTS = 240  # per curve
_PER_MILLE = 1000


def player_data(
    sentences: Sequence[WatchedSentence],
    vocabulary: Sequence[str],
    snapshots: Sequence[LearningSnapshot],
    head: int,
    epochs: Sequence[EpochReport],
    steps_per_epoch: int,
    before: tuple[str, Sequence[EpochReport]],
) -> dict[str, Any]:
    """Return the data for player.js: probabilities to 0.001, and attention weights as bytes, row by row, to 0.002.

    Args:
        sentences: the watched sentences, in the order of each snapshot's answers.
        vocabulary: the tokens of the target vocabulary.
        snapshots: the snapshots in order; none before the training has started.
        head: the head whose attention is shown, from 0.
        epochs: the finished epochs.
        steps_per_epoch: the steps per epoch, which turn a snapshot's step into an epoch.
        before: the name and the epochs of the previous training, to compare with.
    """
    name_before, epochs_before = before
    translations = [each for snapshot in snapshots for each in snapshot.translations]
    used = sorted({token for each in translations for token, _ in each})
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
            for each in sentences
        ],
        "words": [vocabulary[token] for token in used],
        "snapshots": [
            {
                "epoch": round(snapshot.step / steps_per_epoch, 2),
                "answers": [
                    _answer(answer, each.target_ids, number)
                    for answer, each in zip(snapshot.translations, sentences, strict=True)
                ],
                "cross": [base64.b64encode(weights[head].tobytes()).decode() for weights in snapshot.cross],
            }
            for snapshot in snapshots
        ],
        "heads": len(snapshots[0].cross[0]) if snapshots else 0,
        "head": head + 1,
        "curves": _curves(epochs),
        "before": {"name": name_before, **_curves(epochs_before)},
    }


def _answer(
    answer: Sequence[tuple[int, float]], reference: tuple[int, ...], number: Mapping[int, int]
) -> dict[str, Any]:
    """Return an answer without the end token: indices of its words, and their probabilities in thousandths."""
    words = [(number[token], round(_PER_MILLE * p)) for token, p in answer if token != reference[-1]]
    return {
        "words": [word for word, _ in words],
        "p": [p for _, p in words],
        "right": tuple(token for token, _ in answer) == reference,
        "open": answer[-1][0] != reference[-1],
    }


def _curves(epochs: Sequence[EpochReport]) -> dict[str, list[Any]]:
    """Return at most MAX_POINTS points of each curve, including the first and the last."""
    places = np.linspace(0, len(epochs) - 1, min(MAX_POINTS, len(epochs))).round().astype(int)
    kept = [epochs[place] for place in places]
    return {
        "epochs": [each.epoch for each in kept],
        "loss": [round(each.loss, 4) for each in kept],
        "accuracy": [round(each.accuracy, 3) for each in kept],
        "held_out": [round(each.validation_loss, 4) for each in kept if each.validation_loss is not None],
    }
