"""When a model hardly believes its own translation."""

from __future__ import annotations

from core.config import DecodingConfig
from core.records import Hypothesis

LOW_CONFIDENCE = 0.5
"""Mean probability of a token. Of TED's validation sentences, which `ted_pt_en` translates greedily, 1.5 % are below,
with a mean chrF of 49 where the others have 62; of 600 of Tatoeba's by `anki_en_fr` 8 %, with 27 and 61. Of random
letters a sixth and nearly all are below, of English typed into `ted_pt_en` half."""

_FEWEST_TOKENS = 4  # of a shorter translation the mean says little: "Hi" may be several things


def is_unsure(hypothesis: Hypothesis, decoding: DecodingConfig) -> bool:
    """Whether a search found nothing that the model believes. Never of samples, which are unlikely by design."""
    if decoding.samples or len(hypothesis.ids) < _FEWEST_TOKENS:
        return False
    return round(hypothesis.mean_probability, 2) < LOW_CONFIDENCE
