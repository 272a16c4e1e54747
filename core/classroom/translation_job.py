"""One person's texts on their way through a model in a worker thread: it calls no Streamlit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.classroom.duration import duration
from core.classroom.job import ACTIVE, Status, WorkerJob
from core.classroom.queue import RunQueue
from core.classroom.trained_model import TrainedModel
from core.config import DecodingConfig

if TYPE_CHECKING:
    from core.decoding.long_text import TextTranslation
    from core.decoding.text_run import TextRun


@dataclass(frozen=True)
class TranslationRequest:
    """What is to be translated, and how."""

    model: TrainedModel
    texts: tuple[str, ...]
    decoding: DecodingConfig
    skip_wordless: bool = False  # a text without words stays without translation; else it is an error


@dataclass(frozen=True)
class TranslationView:
    """A translation at one moment, for drawing."""

    status: Status
    place: int  # translations to wait for
    done: int  # sentences
    total: int
    seconds_left: float | None  # None while unknown
    message: str  # why it failed or stopped by itself

    @property
    def active(self) -> bool:
        return self.status in ACTIVE


@dataclass(frozen=True)
class TranslationOutcome:
    """What a translation has come to, perhaps before its end."""

    texts: tuple[TextTranslation, ...]  # in the order asked for, as far as it came; the last perhaps in part
    seconds: float  # of its own work


class TranslationJob(WorkerJob):
    """Translates texts a portion a turn, so that others' short ones come between those of a long one.

    It may be stopped and goes on where it was; it stops by itself at its time limit, and when nobody is there.

    Args:
        request: what to translate.
        queue: of the server.
        time_limit: seconds of its own work after which it stops by itself.
        keep_on: whether anybody still waits for it; asked between portions.
    """

    def __init__(
        self, request: TranslationRequest, queue: RunQueue, time_limit: float, keep_on: Callable[[], bool]
    ) -> None:
        super().__init__(
            queue, time_limit, "The translation failed on the server. Try another text or model."
        )
        self.request = request
        self._keep_on = keep_on
        self._run: TextRun | None = None  # this and the next two are written by the worker, under the lock
        self._done = 0  # sentences
        self._seconds = 0.0  # for those done
        self._texts: tuple[TextTranslation, ...] = ()

    def view(self) -> TranslationView:
        """How it stands now."""
        with self._lock:
            total = self._run.total if self._run else 0
            left = self._seconds / self._done * (total - self._done) if self._done else None
            return TranslationView(self._status, self._place, self._done, total, left, self._message)

    def outcome(self) -> TranslationOutcome:
        """What it has translated when it rests."""
        with self._lock:
            return TranslationOutcome(self._texts, self._seconds)

    def _do(self, stop: threading.Event) -> None:
        message = self._stop_of_its_own(0.0)
        if not message and not stop.is_set():
            run = self._run or self._begin()
            with self._lock:
                self._run = run
                self._status = Status.RUNNING
            message = self._translate(run, stop)
            with self._lock:
                self._texts = tuple(run.result())
        finished = self._run is not None and self._run.done == self._run.total
        self._set(Status.FINISHED if finished else Status.STOPPED, message)

    def _begin(self) -> TextRun:
        model = self.request.model
        translator = model.translator  # before the import: it loads TensorFlow in the one place for that
        from core.decoding.text_run import TextRun

        tokens = model.checkpoint.source_tokenizer.tokens
        texts = [
            text if not self.request.skip_wordless or tokens(text) else "" for text in self.request.texts
        ]
        return TextRun(translator, texts, self.request.decoding)

    def _translate(self, run: TextRun, stop: threading.Event) -> str:
        """Translate until all is done or somebody stops it; why it stopped by itself, or nothing."""
        spent = 0.0
        started = time.monotonic()
        for done in run.steps():
            took = time.monotonic() - started
            spent += took
            with self._lock:
                self._done = done
                self._seconds += took
            if done == run.total:
                break
            if message := self._stop_of_its_own(spent):
                return message
            self._queue.give_way(self._ticket, stop)
            if stop.is_set():
                break
            started = time.monotonic()
        return ""

    def _stop_of_its_own(self, spent: float) -> str:
        """Why not to go on; nothing where it may."""
        if spent > self._time_limit:
            return (
                f"A translation stops by itself after {duration(self._time_limit)}. Continue goes on with it."
            )
        if not self._keep_on():
            return "The translation stopped when its tab was closed. Continue goes on with it."
        return ""
