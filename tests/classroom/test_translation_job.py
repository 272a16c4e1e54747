"""The job with a translator that begins a batch when the test says so; pages are tested with a real one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from core.classroom.jobs import JobQueue, Status
from core.classroom.translation_job import (
    TranslationJob,
    TranslationRequest,
    TranslationWork,
)
from core.config import DecodingConfig
from core.inference.texts import MAX_SENTENCES
from core.records import Hypothesis, Translation
from core.tokens.base import Tokenizer
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from tests.conftest import TINY, subword_checkpoint

if TYPE_CHECKING:
    from core.classroom.models import TrainedModel


LONG = "ja. " * (3 * MAX_SENTENCES)


class Scripted:
    """Says every sentence back, one batch each time it is let.

    Args:
        patient: False where nobody needs to let it.
    """

    def __init__(self, patient: bool = True) -> None:
        self.config = TINY
        self.source_tokenizer: Tokenizer = WordTokenizer(Vocabulary.from_tokens(["ja"], start_and_end=False))
        self.batches: list[list[str]] = []
        self.began = threading.Semaphore(0)
        self._let = threading.Semaphore(0)
        self._patient = patient

    def let(self) -> None:
        self._let.release()

    def check(self, sentences: Sequence[str]) -> None:
        assert all(map(self.source_tokenizer.tokens, sentences))

    def translate_typed(self, sentences: list[str], decoding: DecodingConfig) -> list[Translation]:
        self.batches.append(sentences)
        self.began.release()
        assert not self._patient or self._let.acquire(timeout=30)
        return [
            Translation(sentence, (), (), (Hypothesis(sentence, (), (), 0.0, 0.0, True),))
            for sentence in sentences
        ]


def job_of(scripted: Scripted, queue: JobQueue, *texts: str, skip_wordless: bool = False) -> TranslationJob:
    model = SimpleNamespace(
        translator=scripted, checkpoint=SimpleNamespace(source_tokenizer=scripted.source_tokenizer)
    )
    request = TranslationRequest(cast("TrainedModel", model), texts, DecodingConfig(), skip_wordless)
    return TranslationJob(TranslationWork(request), queue, 1000.0)


@pytest.fixture
def queue() -> JobQueue:
    return JobQueue(1, 5, doing="translating")


def test_stop_keeps_what_is_done_and_continue_goes_on(queue: JobQueue) -> None:
    scripted = Scripted()
    job = job_of(scripted, queue, LONG)
    job.start()
    assert scripted.began.acquire(timeout=30)
    scripted.let()
    assert scripted.began.acquire(timeout=30)
    assert job.view().done == MAX_SENTENCES
    job.stop()
    scripted.let()  # what is under way is the last
    assert job.wait(30)
    assert len(scripted.batches) == 2
    (text,) = job.view().progress.texts
    assert (job.view().status, len(text.sentences), text.left) == (Status.STOPPED, 32, 16)
    scripted.let()
    job.start()
    assert job.wait(30)
    assert len(scripted.batches) == 3  # nothing twice
    view = job.view()
    assert (view.status, view.done, view.total, view.message) == (Status.FINISHED, 48, 48, "")
    assert (len(view.progress.texts[0].sentences), view.progress.texts[0].left) == (48, 0)


def test_lines_without_words_are_skipped_or_refused(queue: JobQueue) -> None:
    job = job_of(Scripted(patient=False), queue, "ja", "?!", "ja ja", skip_wordless=True).start()
    assert job.wait(30)
    assert [text.text for text in job.view().progress.texts] == ["ja", "", "ja ja"]
    scripted = Scripted(patient=False)
    scripted.source_tokenizer = subword_checkpoint().source_tokenizer  # which knows punctuation
    job = job_of(scripted, queue, "casa", "??", skip_wordless=True).start()
    assert job.wait(30)
    assert [text.text for text in job.view().progress.texts] == ["casa", ""]
    job = job_of(Scripted(patient=False), queue, "ja", "?!").start()
    assert job.wait(30)
    assert job.view().status is Status.FAILED
    assert job.view().message.startswith("There are no words to translate")
