import re
from collections.abc import Sequence

from core.records.training import EpochReport
from core.training.diagnosis import ExactMatches, diagnose_training
from tests.conftest import numbers


def epochs(losses: list[float], validation: list[float] | None = None) -> list[EpochReport]:
    held_out: Sequence[float | None] = validation or [None] * len(losses)
    return [
        EpochReport(number, number * 10, loss, 0.95, 0.001, float(number), of_held_out)
        for number, (loss, of_held_out) in enumerate(zip(losses, held_out, strict=True), start=1)
    ]


FALLING = [4.0 * 0.9**n for n in range(20)]
SETTLED = [4.0, *[1.0] * 20]
UNSTABLE = [4.0, 1.0, 0.4, *[1.2, 0.9] * 15]


RISING = epochs([4, 2, 1, 0.5], [4, 2, 2.5, 3])
# What kind of training it was, its epochs, what is exact, and the numbers that are said of it.
CASES = [
    ("memorized", epochs(FALLING), ExactMatches(15, 15), ["15", f"{FALLING[-1]:.2f}"]),
    ("stuck", epochs([3.6, 3.5, 2.6, 2.6]), ExactMatches(0, 15), ["2.60"]),
    ("overfitting", RISING, ExactMatches(13, 13), ["2.00", "2", "3.00", "2.00", "0.50"]),
    ("stuck", epochs([4, 2, 2.5, 3.5], [4, 2, 2.5, 3.5]), ExactMatches(0, 13), ["3.50"]),  # both rise
    ("unfinished", epochs(FALLING), ExactMatches(3, 15), [f"{FALLING[-1]:.2f}"]),
    ("unfinished", epochs([3.0]), ExactMatches(0, 15), ["3.00"]),  # one epoch is not stuck
    ("not begun", [], ExactMatches(0, 15), []),
    ("settled", epochs(SETTLED), ExactMatches(3, 15), ["3", "15", "1.00"]),
    ("unstable", epochs(UNSTABLE), ExactMatches(15, 15), ["0.40", "3", "0.90", "15", "15"]),
    ("held out", epochs(FALLING, FALLING), ExactMatches(12, 12, 0, 3), ["0", "3", "12"]),
]


def test_what_the_numbers_mean() -> None:
    """Each kind of training has a text of its own, with its numbers."""
    found = set()
    for kind, finished, exact, said in CASES:
        text = diagnose_training(finished, exact)
        assert numbers(text) == said, kind
        found.add((kind, re.sub(r"\d", "", text)))
    assert len(found) == len({kind for kind, _text in found}) == len({text for _kind, text in found})


def test_held_out_pairs_and_the_experiment_are_named_and_not_contradicted() -> None:
    for finished in (epochs(FALLING, FALLING), RISING):
        text = diagnose_training(finished, ExactMatches(12, 12, 2, 3), "One head")
        assert text.startswith("**One head**") and numbers(text) == ["2", "3", "12", "12"]


def test_a_few_sentences_that_fail_are_named() -> None:
    finished = epochs([4.0 * 0.7**n for n in range(20)])
    text = diagnose_training(finished, ExactMatches(15, 16, missed=("merci",)))
    assert numbers(text)[:2] == ["15", "16"] and "*merci*" in text
