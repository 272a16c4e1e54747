"""Sentences that differ in one thing alone, for asking where in a model the difference lives.

Both have as many tokens for the shipped models, and are translated differently by them: a test holds that.
"""

from __future__ import annotations

from typing import NamedTuple


class MinimalPair(NamedTuple):
    """Two sentences of one language."""

    difference: str  # "gender"
    first: str
    second: str


MINIMAL_PAIRS: dict[str, tuple[MinimalPair, ...]] = {
    "pt": (
        MinimalPair("gender", "ele comprou uma casa.", "ela comprou uma casa."),
        MinimalPair("gender", "ele disse que sim.", "ela disse que sim."),
        MinimalPair("number", "eu tenho um problema.", "eu tenho dois problemas."),
        MinimalPair("number", "eu vi o rapaz.", "eu vi os rapazes."),
        MinimalPair("tense", "eu tenho um problema.", "eu tinha um problema."),
        MinimalPair("tense", "isto é um problema.", "isto era um problema."),
        MinimalPair("negation", "isto sempre funciona.", "isto nunca funciona."),
        MinimalPair("negation", "eu também sei isso.", "eu não sei isso."),
    ),
    # To French, where the gender and the number of a noun change the words around it.
    "en": (
        MinimalPair("gender", "My brother is happy.", "My sister is happy."),
        MinimalPair("gender", "The boy is tired.", "The girl is tired."),
        MinimalPair("number", "I bought the book.", "I bought the books."),
        MinimalPair("number", "The dog is small.", "The dogs are small."),
        MinimalPair("tense", "She lives in London.", "She lived in London."),
        MinimalPair("tense", "It is cold.", "It was cold."),
        MinimalPair("negation", "I always eat meat.", "I never eat meat."),
        MinimalPair("negation", "I can swim.", "I cannot swim."),
    ),
    # The words of the classroom's fifteen pairs.
    "": (
        MinimalPair("another verb", "j aime apprendre", "j aime tensorflow"),
        MinimalPair("another adjective", "je suis étudiant", "je suis fatigué"),
    ),
}
"""By the language they are in; "" for the classroom's."""
