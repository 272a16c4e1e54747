from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import pytest

from core.corpora.anki import space_punctuation
from core.corpora.everyday.en_fr import everyday_french
from core.corpora.everyday.pt_en import everyday_portuguese
from core.records import Pair

PORTUGUESE, FRENCH = list(everyday_portuguese()), list(everyday_french())
EACH = pytest.mark.parametrize("pairs", [PORTUGUESE, FRENCH], ids=["pt_en", "en_fr"])


def texts(pairs: Sequence[Pair]) -> list[str]:
    return [text for pair in pairs for text in (pair.source, pair.target)]


def test_greetings_and_what_the_patterns_make() -> None:
    found = {pair.source: pair.target for pair in PORTUGUESE}
    assert found["bom dia."] == "good morning."
    assert found["como chego ao hospital?"] == "how do i get to the hospital?"
    assert found["estou na praia."] == "i 'm at the beach."
    assert found["não tenho um bilhete."] == "i do n't have a ticket."  # as the TED files write it
    assert found["vamos nadar."] == "let 's swim."
    assert found["no inverno, vamos nadar."] == "in winter, we are going to swim."
    assert found["quero uma maçã, por favor."] == "i want an apple, please."


def test_french_is_spaced_as_the_tatoeba_sentences_are() -> None:
    found = {pair.source: pair.target for pair in FRENCH}
    assert found["Good morning !"] == "Bonjour !"
    assert found["Hi , Emma !"] == "Salut , Emma !"
    assert found["I need an apple ."] == "J'ai besoin d'une pomme ."
    assert found["What's your name ?"] == "Comment t'appelles-tu ?"
    assert all(space_punctuation(text) == text for text in texts(FRENCH))


@EACH
def test_no_sentence_has_two_translations(pairs: Sequence[Pair]) -> None:
    assert len({pair.source for pair in pairs}) == len(pairs) > 850


@EACH
def test_text_is_whole_and_already_normalised(pairs: Sequence[Pair]) -> None:
    for text in texts(pairs):
        assert text == unicodedata.normalize("NFC", text).strip()
        assert text[-1] in ".?!" and not set("{}|") & set(text)
    assert all(text == text.lower() for text in texts(PORTUGUESE))  # as the TED files are
