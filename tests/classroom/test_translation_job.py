"""The job with a translator that takes a turn when the test says so; pages are tested with a real one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from core.classroom.jobs.job import Status
from core.classroom.jobs.queue import JobQueue, QueueFullError
from core.classroom.jobs.translation_job import TranslationJob, TranslationRequest, TranslationWork
from core.config import DecodingConfig
from core.inference.texts import MAX_SENTENCES
from core.records import Hypothesis, Translation
from core.tokens.base import Tokenizer
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from tests.conftest import TINY, subword_checkpoint

if TYPE_CHECKING:
    from core.classroom.trained_model import TrainedModel

LONG = "ja. " * (3 * MAX_SENTENCES)


class Scripted:
    """Says every sentence back, one portion each time it is let.

    Args:
        patient: False where nobody needs to let it.
    """

    def __init__(self, patient: bool = True) -> None:
        self.config = TINY
        self.source_tokenizer: Tokenizer = WordTokenizer(Vocabulary.from_tokens(["ja"], start_and_end=False))
        self.portions: list[list[str]] = []
        self.began = threading.Semaphore(0)
        self._let = threading.Semaphore(0)
        self._patient = patient

    def let(self, portions: int = 1) -> None:
        for _ in range(portions):
            self._let.release()

    def check(self, sentences: Sequence[str]) -> None:
        assert all(map(self.source_tokenizer.tokens, sentences))

    def translate_typed(self, sentences: list[str], decoding: DecodingConfig) -> list[Translation]:
        self.portions.append(sentences)
        self.began.release()
        assert not self._patient or self._let.acquire(timeout=30)
        return [
            Translation(sentence, (), (), (Hypothesis(sentence, (), (), 0.0, 0.0, True),))
            for sentence in sentences
        ]


def job_of(
    scripted: Scripted,
    queue: JobQueue,
    *texts: str,
    seconds: float = 1000.0,
    keep_on: Callable[[], bool] = lambda: True,
    skip_wordless: bool = False,
) -> TranslationJob:
    model = SimpleNamespace(
        translator=scripted, checkpoint=SimpleNamespace(source_tokenizer=scripted.source_tokenizer)
    )
    request = TranslationRequest(cast("TrainedModel", model), texts, DecodingConfig(), skip_wordless)
    return TranslationJob(TranslationWork(request, keep_on), queue, seconds)


def begun(scripted: Scripted) -> None:
    assert scripted.began.acquire(timeout=30)


@pytest.fixture
def queue() -> JobQueue:
    return JobQueue(1, 5, doing="translating")


def test_all_of_a_text(queue: JobQueue) -> None:
    job = job_of(Scripted(patient=False), queue, LONG, "ja")
    job.start()
    assert job.wait(30)
    view = job.view()
    assert (view.status, view.done, view.total, view.message) == (Status.FINISHED, 49, 49, "")
    long, short = job.view().progress.texts
    assert (len(long.sentences), long.left, short.text) == (48, 0, "ja")
    queue.leave(queue.enter())


def test_stop_keeps_what_is_done_and_continue_goes_on(queue: JobQueue) -> None:
    scripted = Scripted()
    job = job_of(scripted, queue, LONG)
    job.start()
    begun(scripted)
    scripted.let()
    begun(scripted)
    assert job.view().done == MAX_SENTENCES
    assert job.view().seconds_left is not None
    job.stop()
    scripted.let()  # what is under way is the last
    assert job.wait(30)
    assert len(scripted.portions) == 2
    (text,) = job.view().progress.texts
    assert (job.view().status, len(text.sentences), text.left) == (Status.STOPPED, 32, 16)
    scripted.let()
    job.start()
    assert job.wait(30)
    assert len(scripted.portions) == 3  # nothing twice
    assert (job.view().status, job.view().progress.texts[0].left) == (Status.FINISHED, 0)


def test_its_time_ends(queue: JobQueue) -> None:
    scripted = Scripted()
    job = job_of(scripted, queue, LONG, seconds=0.01)
    job.start()
    begun(scripted)
    time.sleep(0.05)
    scripted.let()
    assert job.wait(30)
    assert (job.view().status, len(scripted.portions)) == (Status.STOPPED, 1)
    assert "stops by itself after 1 s. Press Continue" in job.view().message


def test_the_time_of_others_is_not_its_own(queue: JobQueue) -> None:
    ours, theirs = Scripted(), Scripted()
    job, other = job_of(ours, queue, LONG, seconds=0.5), job_of(theirs, queue, "ja")
    job.start()
    begun(ours)
    other.start()
    ours.let()
    begun(theirs)
    time.sleep(0.6)
    theirs.let()
    ours.let(2)
    assert job.wait(30)
    assert job.view().status is Status.FINISHED


def test_nobody_reads_it_any_more(queue: JobQueue) -> None:
    scripted, there = Scripted(), [True]
    job = job_of(scripted, queue, LONG, keep_on=lambda: there[0])
    job.start()
    begun(scripted)
    there[0] = False
    scripted.let()
    assert job.wait(30)
    assert (job.view().status, len(scripted.portions)) == (Status.STOPPED, 1)
    assert "tab was closed" in job.view().message
    waiting = job_of(scripted, queue, LONG, keep_on=lambda: False)
    waiting.start()
    assert waiting.wait(30)
    assert len(scripted.portions) == 1  # gone before its turn: no work at all


def test_a_short_text_gets_through_between_portions_of_a_long_one(queue: JobQueue) -> None:
    novel, note = Scripted(), Scripted(patient=False)
    long, short = job_of(novel, queue, LONG), job_of(note, queue, "ja")
    long.start()
    begun(novel)
    short.start()
    assert short.view().place == 1
    assert not short.wait(0.1)
    novel.let()
    assert short.wait(30)
    assert short.view().status is Status.FINISHED
    begun(novel)  # and the long one goes on
    assert long.view().done == MAX_SENTENCES
    novel.let(2)
    assert long.wait(30)
    assert long.view().status is Status.FINISHED


def test_stop_while_others_have_their_turn(queue: JobQueue) -> None:
    novel, other = Scripted(), Scripted()
    long, between = job_of(novel, queue, LONG), job_of(other, queue, "ja")
    long.start()
    begun(novel)
    between.start()
    novel.let()
    begun(other)
    long.stop()
    assert long.wait(30)  # though the other has not ended
    assert (long.view().status, len(novel.portions)) == (Status.STOPPED, 1)
    other.let()
    assert between.wait(30)
    assert between.view().status is Status.FINISHED


def test_lines_without_words_are_skipped_or_refused(queue: JobQueue) -> None:
    job = job_of(Scripted(patient=False), queue, "ja", "?!", "ja ja", skip_wordless=True)
    job.start()
    assert job.wait(30)
    assert [text.text for text in job.view().progress.texts] == ["ja", "", "ja ja"]
    job = job_of(Scripted(patient=False), queue, "ja", "?!")
    job.start()
    assert job.wait(30)
    assert job.view().status is Status.FAILED
    assert job.view().message.startswith("There are no words to translate")


def test_a_line_of_punctuation_is_skipped_though_the_model_knows_it(queue: JobQueue) -> None:
    scripted = Scripted(patient=False)
    scripted.source_tokenizer = subword_checkpoint().source_tokenizer
    job = job_of(scripted, queue, "casa", "??", skip_wordless=True)
    job.start()
    assert job.wait(30)
    assert [text.text for text in job.view().progress.texts] == ["casa", ""]


def test_too_many_people(queue: JobQueue) -> None:
    for _ in range(6):
        queue.enter()
    with pytest.raises(QueueFullError, match="Too many people are translating"):
        job_of(Scripted(), queue, "ja").start()


def test_a_class_that_asks_at_once_shares_batches(queue: JobQueue) -> None:
    """All have their turn together; what comes while a call is under way goes into the next."""
    scripted = Scripted()
    jobs = [job_of(scripted, queue, "ja " * (number + 1)) for number in range(6)]
    for job in jobs:
        job.start()
    begun(scripted)
    assert {job.view().place for job in jobs} == {0}
    scripted.let(6)
    for number, job in enumerate(jobs):
        assert job.wait(30)
        assert job.view().progress.texts[0].text.split() == ["ja"] * (number + 1)
    assert len(scripted.portions) < len(jobs)


def test_stop_in_a_shared_batch_is_for_one_alone(queue: JobQueue) -> None:
    scripted, there = Scripted(), [True]
    stopped, gone, stays = (
        job_of(scripted, queue, LONG),
        job_of(scripted, queue, LONG, keep_on=lambda: there[0]),
        job_of(scripted, queue, LONG),
    )
    for job in (stopped, gone, stays):
        job.start()
    begun(scripted)
    stopped.stop()
    there[0] = False
    scripted.let(9)
    for job in (stopped, gone, stays):
        assert job.wait(30)
    assert [job.view().status for job in (stopped, gone, stays)] == [
        Status.STOPPED,
        Status.STOPPED,
        Status.FINISHED,
    ]
    assert stopped.view().done <= MAX_SENTENCES
    queue.leave(queue.enter())
