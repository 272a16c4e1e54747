from __future__ import annotations

import unicodedata

from core.corpora.everyday import everyday_pairs

PAIRS = list(everyday_pairs())


def test_greetings_and_what_the_patterns_make() -> None:
    found = {pair.source: pair.target for pair in PAIRS}
    assert found["bom dia."] == "good morning."
    assert found["como chego ao hospital?"] == "how do i get to the hospital?"
    assert found["estou na praia."] == "i 'm at the beach."
    assert found["não tenho um bilhete."] == "i do n't have a ticket."  # as the TED files write it
    assert found["quero uma maçã, por favor."] == "i want an apple, please."


def test_no_sentence_has_two_translations() -> None:
    assert len({pair.source for pair in PAIRS}) == len(PAIRS) > 850


def test_text_is_whole_and_already_normalised() -> None:
    for pair in PAIRS:
        for text in (pair.source, pair.target):
            assert text == unicodedata.normalize("NFC", text).lower().strip()
            assert text[-1] in ".?!" and not set("{}|") & set(text)
