"""Where sentences end, and which of them lack a full stop."""

import pytest

from core.tokens.sentences import is_open, needs_full_stop, split_sentences, without_full_stop
from core.tokens.word import WordTokenizer
from tests.conftest import subword_checkpoint


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (" \n\n ", []),
        ("Olá. Como vais? Bem!", ["Olá.", "Como vais?", "Bem!"]),
        ("uma linha\noutra linha", ["uma linha", "outra linha"]),
        ("O Dr. Silva tem 3.50 euros... e daí?", ["O Dr. Silva tem 3.50 euros...", "e daí?"]),
        ("Disse «vem cá!» e foi.", ["Disse «vem cá!»", "e foi."]),
        ("J. S. Bach viveu.", ["J. S. Bach viveu."]),
        ("chama-se A.\noutra", ["chama-se A.", "outra"]),
        ("o fim ... e nada", ["o fim ...", "e nada"]),
    ],
)
def test_where_sentences_end(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_an_open_end_is_seen_and_a_final_stop_taken_off() -> None:
    for text in ("Hello", "Hello  \n", "Hello 🙂", 'He said "yes"', "see below)", "5 €"):
        assert is_open(text)
    for text in ("Hello.", 'He said "yes."', "Is it «so»?", "well…", "the first,", "你好。", "", " \n", '"'):
        assert not is_open(text)
    for text in ("Hi", "Hi!", "Well...", ".", ""):
        assert without_full_stop(text) == text
    assert without_full_stop("Hi.") == "Hi"


def test_a_model_is_known_by_sentences_it_was_trained_on() -> None:
    pieces = subword_checkpoint().source_tokenizer
    assert needs_full_stop(["a casa.", "azul?"], pieces)
    assert not needs_full_stop(["a casa.", "azul"], pieces)  # one sentence without punctuation is enough
    assert not needs_full_stop([], pieces)
    words = WordTokenizer.fit(["bonjour"], start_and_end=True)  # which drops punctuation
    assert not needs_full_stop(["bonjour."], words)
