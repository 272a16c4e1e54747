import re
from collections.abc import Sequence
from typing import Any

import pytest

from core.records.training import EpochReport
from core.training.diagnosis import ExactMatches, diagnose_training


def epochs(losses: list[float], validation: list[float] | None = None) -> list[EpochReport]:
    held_out: Sequence[float | None] = validation or [None] * len(losses)
    return [
        EpochReport(number, number * 10, loss, 0.95, 0.001, float(number), of_held_out)
        for number, (loss, of_held_out) in enumerate(zip(losses, held_out, strict=True), start=1)
    ]


FALLING = [4.0 * 0.9**n for n in range(20)]
SETTLED = [4.0, *[1.0] * 20]
UNSTABLE = [4.0, 1.0, 0.4, *[1.2, 0.9] * 15]


@pytest.mark.parametrize(
    ("finished", "exact", "words"),
    [
        (epochs(FALLING), (15, 15), "Memorized: all 15 pairs .* hold some out"),
        (epochs([3.6, 3.5, 2.6, 2.6]), (0, 15), "stuck near 2.60"),
        (
            epochs([4, 2, 1, 0.5], [4, 2, 2.5, 3]),
            (13, 13),
            "Overfitting: .* was 2.00 after epoch 2 and has risen to 3.00, .* from 2.00 to 0.50",
        ),
        (epochs([4, 2, 2.5, 3.5], [4, 2, 2.5, 3.5]), (0, 13), "stuck near 3.50"),  # both rise
        (epochs(FALLING), (3, 15), "Not finished yet"),
        (epochs([3.0]), (0, 15), "Not finished yet"),  # one epoch is not stuck
        ([], (0, 15), "^$"),
        (epochs(SETTLED), (3, 15), "3 of 15 pairs are translated exactly, and the loss has settled at 1.00"),
        (epochs(UNSTABLE), (15, 15), "never settles.* 0.40 after epoch 3 .* 0.90 at the end.* 15 of 15"),
        (epochs(FALLING, FALLING), (12, 12, 0, 3), r"\*\*0 of 3\*\* .* never seen. Memorized: all 12"),
    ],
)
def test_what_the_numbers_mean(finished: list[EpochReport], exact: Any, words: str) -> None:
    assert re.search(words, diagnose_training(finished, ExactMatches(*exact)))


def test_held_out_pairs_and_the_experiment_are_named_and_not_contradicted() -> None:
    rising = epochs([4, 2, 1, 0.5], [4, 2, 2.5, 3])
    for finished in (epochs(FALLING, FALLING), rising):
        text = diagnose_training(finished, ExactMatches(12, 12, 2, 3), "One head")
        assert text.startswith("**One head**: it translates **2 of 3** sentences that it has never seen")
        assert "Memorized" not in text and "hold some out" not in text


def test_a_few_sentences_that_fail_are_named() -> None:
    finished = epochs([4.0 * 0.7**n for n in range(20)])
    text = diagnose_training(finished, ExactMatches(15, 16, missed=("merci",)))
    assert text.startswith("15 of 16 ") and "Still wrong: *merci*." in text
