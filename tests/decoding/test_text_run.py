from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.config import DecodingConfig
from core.corpora.toy import PAIRS
from core.decoding.text.long_text import translate_texts
from core.decoding.text.text_run import MAX_SENTENCES, MAX_WORK, TextRun
from core.decoding.translator import TranslationError

if TYPE_CHECKING:
    from core.decoding.translator import Translator

TEXTS = ["! ".join(pair.source for pair in PAIRS), " ", *(pair.source for pair in PAIRS)]


def test_all_portions_together_are_what_is_translated_at_once(translator: Translator) -> None:
    run = TextRun(translator, TEXTS)
    steps = list(run.steps())
    assert steps == [MAX_SENTENCES, 2 * 15]
    assert run.total == run.done == 30
    assert [text.text for text in run.result()] == [text.text for text in translate_texts(translator, TEXTS)]
    assert list(run.steps()) == []


def test_what_is_done_when_somebody_stops(translator: Translator) -> None:
    run = TextRun(translator, TEXTS)
    assert run.result() == []
    assert next(run.steps()) == MAX_SENTENCES
    whole, blank, single = run.result()
    assert (len(whole.sentences), whole.left) == (15, 0)
    assert (blank.sentences, blank.left) == ((), 0)
    assert (single.source, single.left) == (TEXTS[2], 0)
    assert next(run.steps()) == 30  # it goes on from there
    assert len(run.result()) == len(TEXTS)


def test_a_text_in_part_says_what_is_left(translator: Translator) -> None:
    run = TextRun(translator, ["merci. " * 20])
    next(run.steps())
    (text,) = run.result()
    assert (len(text.sentences), text.left) == (MAX_SENTENCES, 20 - MAX_SENTENCES)


@pytest.mark.parametrize(("beams", "words", "expected"), [(1, 1, 16), (8, 1, 16), (16, 1, 8), (16, 17, 4)])
def test_more_beams_and_longer_sentences_are_fewer_at_a_time(
    beams: int, words: int, expected: int, translator: Translator
) -> None:
    run = TextRun(translator, ["merci " * words] * 20, DecodingConfig(beam_size=beams))
    portion = run._next_portion()
    assert len(portion) == expected
    assert len(portion) * beams * (16 if words == 1 else 32) <= MAX_WORK


def test_it_is_refused_before_anything_is_translated(translator: Translator) -> None:
    with pytest.raises(TranslationError, match="no words") as raised:
        TextRun(translator, ["merci", "?!"])
    assert raised.value.row == 1
