"""Shared batches with a translator that waits until the test lets it; the last test has a real one."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, cast

import pytest
from core.decoding.batches import MAX_BATCH, MAX_WORK, work_of

from core.classroom.jobs.shared_batches import SharedBatches
from core.config import DecodingConfig
from core.corpora.toy import PAIRS
from core.inference.translator import GREEDY, TranslationError
from core.records import Translation
from tests.classroom.test_translation_job import Scripted

if TYPE_CHECKING:
    from core.inference.translator import Translator


class Refusing(Scripted):
    """Cannot translate one sentence, nor anything together with it."""

    def translate_typed(self, sentences: list[str], decoding: DecodingConfig) -> list[Translation]:
        if "nein" in sentences:
            super().translate_typed(sentences, decoding)
            raise TranslationError("No.")
        return super().translate_typed(sentences, decoding)


class Class:
    """Students who ask one after another; each `ask` returns when it waits or has begun, which must not end before."""

    def __init__(self, max_calls: int = 1) -> None:
        self.batches = SharedBatches(max_calls)
        self._pool = ThreadPoolExecutor(100)

    def ask(
        self, scripted: Scripted, *sentences: str, decoding: DecodingConfig = GREEDY
    ) -> Future[list[Translation]]:
        before = len(self.batches._waiting) + self.batches._calls
        asked = self._pool.submit(self.batches.translate, cast("Translator", scripted), sentences, decoding)
        while len(self.batches._waiting) + self.batches._calls == before:
            threading.Event().wait(0.001)
        return asked


def texts(asked: Future[list[Translation]]) -> list[str]:
    return [translation.source for translation in asked.result(30)]


def test_what_comes_during_a_call_travels_together() -> None:
    scripted, students = Scripted(), Class()
    first = students.ask(scripted, "ja")  # alone, it waits for nobody
    assert scripted.began.acquire(timeout=30)
    others = [students.ask(scripted, "ja ja"), students.ask(scripted, "ja ja ja", "ja")]
    scripted.let(2)
    assert texts(first) == ["ja"]
    assert [texts(other) for other in others] == [["ja ja"], ["ja ja ja", "ja"]]
    assert scripted.portions == [["ja"], ["ja ja", "ja ja ja", "ja"]]


def test_other_models_and_searches_do_not_mix() -> None:
    scripted, another, students = Scripted(), Scripted(patient=False), Class()
    students.ask(scripted, "ja")
    beam = DecodingConfig(beam_size=4)
    asked = [
        students.ask(scripted, "b", decoding=beam),
        students.ask(another, "c"),
        students.ask(scripted, "d"),
        students.ask(scripted, "e", decoding=beam),
    ]
    scripted.let(4)
    assert [texts(each) for each in asked] == [["b"], ["c"], ["d"], ["e"]]
    assert scripted.portions[1:] == [["b", "e"], ["d"]]
    assert another.portions == [["c"]]


def test_a_batch_is_bounded() -> None:
    scripted, students = Scripted(), Class()
    students.ask(scripted, "ja")
    many = [students.ask(scripted, *["ja"] * 16) for _ in range(5)]
    wide = DecodingConfig(beam_size=16)
    heavy = [students.ask(scripted, *["ja"] * 4, decoding=wide) for _ in range(5)]
    scripted.let(5)
    for asked in (*many, *heavy):
        asked.result(30)
    assert [len(portion) for portion in scripted.portions] == [1, MAX_BATCH, 16, 16, 4]
    assert 16 * work_of(1, scripted.config, wide) == MAX_WORK
    assert MAX_WORK == 8 * 16 * 16


def test_as_many_calls_as_there_may_be() -> None:
    scripted, students = Scripted(), Class(max_calls=2)
    asked = [students.ask(scripted, "ja") for _ in range(4)]
    for _ in range(2):
        assert scripted.began.acquire(timeout=30)
    assert not scripted.began.acquire(timeout=0.1)
    scripted.let(3)
    assert [texts(each) for each in asked] == [["ja"]] * 4
    assert [len(portion) for portion in scripted.portions] == [1, 1, 2]
    assert students.batches._calls == 0


def test_who_cannot_be_translated_hurts_nobody_else() -> None:
    refusing, students = Refusing(), Class()
    students.ask(refusing, "ja")
    good, bad, too = (students.ask(refusing, text) for text in ("ja", "nein", "ja ja"))
    refusing.let(5)  # the first, all together, and each by itself
    assert (texts(good), texts(too)) == (["ja"], ["ja ja"])
    with pytest.raises(TranslationError, match="No"):
        bad.result(30)
    refusing.let()
    (after,) = students.batches.translate(cast("Translator", refusing), ["ja"], GREEDY)
    assert after.source == "ja"  # and it goes on


@pytest.mark.slow
@pytest.mark.parametrize("decoding", [GREEDY, DecodingConfig(beam_size=3)])
def test_together_as_alone(translator: Translator, decoding: DecodingConfig) -> None:
    sources = [pair.source for pair in PAIRS]
    batches = SharedBatches(1)

    def ask(source: str) -> list[Translation]:
        return batches.translate(translator, [source], decoding)

    with ThreadPoolExecutor(len(sources)) as pool:
        found = list(pool.map(ask, sources))
    for source, (received,) in zip(sources, found, strict=True):
        (alone,) = translator.translate_typed([source], decoding)
        assert [each.ids for each in received.hypotheses] == [each.ids for each in alone.hypotheses]
        assert received.best.log_probability == pytest.approx(alone.best.log_probability, abs=1e-4)
