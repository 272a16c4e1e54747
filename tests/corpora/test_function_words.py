from __future__ import annotations

from collections import Counter

import pytest

from core.corpora.catalogue import CORPORA
from core.corpora.function_words import language_of


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("This is a problem that we have to solve.", "en"),
        ("Este é um problema que temos que resolver.", "pt"),
        ("Où est la gare ?", "fr"),
        ("bom dia", None),
        ("Das ist ein Problem, das wir lösen müssen.", None),
        ("the of o os", None),  # as many of two languages
        ("", None),
    ],
)
def test_known_sentences(text: str, code: str | None) -> None:
    assert language_of(text) == code


def test_no_talk_is_taken_for_another_language() -> None:
    if not CORPORA["ted_pt_en"].is_here:
        pytest.skip("The TED talks are not on this machine: python -m core data ted_pt_en")
    pairs = list(CORPORA["ted_pt_en"].read("validation"))
    sources = Counter(language_of(pair.source) for pair in pairs)
    targets = Counter(language_of(pair.target) for pair in pairs)
    assert sources.keys() == {"pt", None} and sources["pt"] > 0.6 * len(pairs)
    assert targets.keys() == {"en", None} and targets["en"] > 0.8 * len(pairs)
