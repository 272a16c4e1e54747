"""When a translation is likely wrong or invented."""

from __future__ import annotations

from core.records import Hypothesis

LOW_CONFIDENCE = 0.45
"""Mean probability of a token. Of 580 TED validation sentences, translated by `ted_pt_en` greedily, 4 % are below, with
a mean chrF of 42 where the others have 60; of random letters and of English a quarter to a half is below."""


def is_unsure(hypothesis: Hypothesis) -> bool:
    """Whether a search found nothing that the model believes; samples are unlikely by design."""
    return hypothesis.mean_probability < LOW_CONFIDENCE
