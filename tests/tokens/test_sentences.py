"""Where sentences end, and which of them lack a full stop."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.inference.translator import Translator
from core.tokens.sentences import (
    is_open,
    seen_with_stop_alone,
    split_sentences,
    with_final_stop,
    without_final_stop,
)
from tests.conftest import subword_checkpoint


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        (" \n\n ", []),
        ("um", ["um"]),
        ("Olá. Como vais? Bem!", ["Olá.", "Como vais?", "Bem!"]),
        ("uma linha\noutra linha", ["uma linha", "outra linha"]),
        (
            "O Dr. Silva chegou. Custa 3.50 euros... e daí?",
            ["O Dr. Silva chegou.", "Custa 3.50 euros...", "e daí?"],
        ),
        ("Disse «vem cá!» e foi.", ["Disse «vem cá!»", "e foi."]),
        ("J. S. Bach viveu.", ["J. S. Bach viveu."]),
        ("chama-se A.\noutra", ["chama-se A.", "outra"]),
        ("o fim ... e nada", ["o fim ...", "e nada"]),
    ],
)
def test_where_sentences_end(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@given(st.text("ab .!?\n,'", max_size=60))
def test_splitting_loses_nothing_but_space(text: str) -> None:
    assert "".join(" ".join(split_sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello", True),
        ("Hello  \n", True),
        ("olá", True),
        ("Hello 🙂", True),
        ('He said "yes"', True),
        ("see below)", True),
        ("5 €", True),
        ("Hello.", False),
        ('He said "yes."', False),
        ("Is it «so»?", False),
        ("well…", False),
        ("the first,", False),
        ("你好。", False),
        ("", False),
        (" \n", False),
        ('"', False),
    ],
)
def test_which_texts_have_no_final_punctuation(text: str, expected: bool) -> None:
    assert is_open(text) is expected
    assert with_final_stop(text) == (f"{text}." if expected else text)


@pytest.mark.parametrize(
    ("text", "bare"),
    [("Hi.", "Hi"), ("Hi", "Hi"), ("Hi!", "Hi!"), ("Well...", "Well..."), (".", "."), ("", "")],
)
def test_one_full_stop_goes(text: str, bare: str) -> None:
    assert without_final_stop(text) == bare


@pytest.mark.slow
def test_a_model_is_known_by_sentences_it_was_trained_on(translator: Translator) -> None:
    pieces = subword_checkpoint().source_tokenizer
    assert seen_with_stop_alone(["a casa.", "azul?"], pieces)
    assert not seen_with_stop_alone(["a casa.", "azul"], pieces)  # one sentence without punctuation is enough
    assert not seen_with_stop_alone([], pieces)
    assert not seen_with_stop_alone(["bonjour."], translator.source_tokenizer)  # which drops punctuation
