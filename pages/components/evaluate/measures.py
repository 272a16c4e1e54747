"""The figures of an evaluation, each with what it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.evaluation import Evaluation


@dataclass(frozen=True)
class Measure:
    """One figure for people."""

    name: str
    value: float | None  # None where it could not be measured
    form: str  # of the value, for format()
    meaning: str  # one or two sentences
    margin: float = 0.0  # half the width of its confidence interval; 0 where there is none

    @property
    def text(self) -> str:
        """The value as people read it."""
        text = "–" if self.value is None else format(self.value, self.form)
        return f"{text} ± {self.margin:{self.form}}" if self.margin else text


def measures_of(figures: Evaluation) -> list[Measure]:
    """Return how like the references the translations are, and how well the model predicts the references."""
    return [
        Measure(
            "BLEU",
            figures.detokenized.bleu,
            ".1f",
            "N-grams of up to four words that translations share with references: 0 to 100, with a 95% confidence "
            "interval (bootstrap). On detokenized text; case is ignored.",
            figures.detokenized.bleu_margin,
        ),
        Measure(
            "chrF",
            figures.detokenized.chrf,
            ".1f",
            "N-grams of characters, 0 to 100: a wrong ending costs less than a wrong word.",
        ),
        Measure(
            "Loss",
            figures.loss,
            ".3f",
            "Mean cross-entropy per token of the reference, in nats. 0 would be no surprise at all.",
        ),
        Measure(
            "Perplexity",
            figures.perplexity,
            ",.2f",
            "e to the power of the loss: the model is as uncertain as if it chose among this many equally likely "
            "tokens.",
        ),
        Measure(
            "Masked accuracy",
            figures.accuracy,
            ".1%",
            "How often the reference's next token is the model's first choice, with teacher forcing. Padding is "
            "masked: it does not count.",
        ),
    ]
