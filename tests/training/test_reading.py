from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from core.records import EpochReport
from core.training.reading import read_training


def epochs(losses: list[float], validation: list[float] | None = None) -> list[EpochReport]:
    held_out: Sequence[float | None] = validation or [None] * len(losses)
    return [
        EpochReport(number, number * 10, loss, 0.5, 0.001, float(number), of_held_out)
        for number, (loss, of_held_out) in enumerate(zip(losses, held_out, strict=True), start=1)
    ]


FALLING = [4.0 * 0.9**n for n in range(20)]
SETTLED = [4.0, *[1.0] * 20]


@pytest.mark.parametrize(
    ("finished", "exact", "pairs", "words"),
    [
        (epochs(FALLING), 15, 15, "Memorized: all 15 pairs"),
        (epochs([3.6, 3.5, 2.6, 2.6]), 0, 15, "stuck near 2.60"),
        (
            epochs([4, 2, 1, 0.5], [4, 2, 2.5, 3]),
            13,
            13,
            "Overfitting: .* was 2.00 after epoch 2 and has risen to 3.00, .* from 2.00 to 0.50. .* weights of epoch 2",
        ),
        (epochs([4, 2, 2.5, 3.5], [4, 2, 2.5, 3.5]), 0, 13, "stuck near 3.50"),  # both rise: no overfitting
        (epochs(FALLING), 3, 15, "still falling"),
        (epochs([3.0]), 0, 15, "settled"),  # one epoch is not stuck
        ([], 0, 15, "^$"),
        (epochs(SETTLED), 3, 15, "3 of 15 pairs are translated exactly, and the loss has settled at 1.00"),
    ],
)
def test_what_the_numbers_mean(finished: list[EpochReport], exact: int, pairs: int, words: str) -> None:
    assert re.search(words, read_training(finished, exact, pairs))
