"""Sentences of different people, translated in one call."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from core.config import DecodingConfig
from core.decoding.batches import MAX_BATCH, MAX_WORK, work_of
from core.records import Translation

if TYPE_CHECKING:
    from core.decoding.text.text_translator import TextTranslator

MAX_TRANSLATIONS = 2  # at a time; each keeps about one core busy


@dataclass(eq=False)
class _Portion:
    """What one person waits for."""

    translator: TextTranslator
    sentences: list[str]
    decoding: DecodingConfig
    longest: int  # tokens of a sentence
    work: int  # as `work_of`, of all
    ready: threading.Event = field(default_factory=threading.Event)  # it leads, or is translated
    # What it leads, itself first; none where another does.
    batch: list[_Portion] = field(default_factory=list)
    translations: list[Translation] = field(default_factory=list)
    error: Exception | None = None

    def goes_with(self, other: _Portion) -> bool:
        return self.translator is other.translator and self.decoding == other.decoding


class SharedBatches:
    """Calls a Translator for several people at once: while a few calls are under way, what comes gathers.

    So nobody waits for others to come, and the more wait, the larger the batches. Portions are served in the order
    they come; one takes along those behind it for the same model and search, within the limits of a batch.

    Args:
        max_calls: under way at a time.
    """

    def __init__(self, max_calls: int) -> None:
        self._max_calls = max_calls
        self._calls = 0
        self._waiting: list[_Portion] = []
        self._lock = threading.Lock()

    def translate(
        self, translator: TextTranslator, sentences: Sequence[str], decoding: DecodingConfig
    ) -> list[Translation]:
        """As `Translator.translate_typed`.

        Raises:
            TranslationError: as there, for these sentences alone.
        """
        lengths = [len(translator.source_tokenizer.tokens(sentence)) for sentence in sentences]
        work = sum(work_of(length, translator.config, decoding) for length in lengths)
        portion = _Portion(translator, list(sentences), decoding, max(lengths, default=0), work)
        with self._lock:
            self._waiting.append(portion)
            self._begin_next()
        portion.ready.wait()
        if portion.batch:
            self._lead(portion.batch)
        if portion.error is not None:
            raise portion.error
        return portion.translations

    def _begin_next(self) -> None:
        """Let the first portion that waits begin a call, if there is room. Called with the lock held."""
        if self._waiting and self._calls < self._max_calls:
            self._calls += 1
            leader = self._waiting.pop(0)
            leader.batch = self._batch_of(leader)
            leader.ready.set()

    def _lead(self, batch: list[_Portion]) -> None:
        """Translate a batch in the thread of its first portion."""
        try:
            self._translate(batch)
        finally:
            with self._lock:
                self._calls -= 1
                self._begin_next()
            for portion in batch:
                portion.ready.set()

    def _batch_of(self, leader: _Portion) -> list[_Portion]:
        """What goes with the leader, taken from those that wait: sentences of similar length, which end when it does.

        Called with the lock held.
        """
        batch, rows, work = [leader], len(leader.sentences), leader.work
        fitting = [portion for portion in self._waiting if portion.goes_with(leader)]
        for portion in sorted(fitting, key=lambda portion: abs(portion.longest - leader.longest)):
            if rows + len(portion.sentences) <= MAX_BATCH and work + portion.work <= MAX_WORK:
                batch.append(portion)
                self._waiting.remove(portion)
                rows, work = rows + len(portion.sentences), work + portion.work
        return batch

    def _translate(self, batch: list[_Portion]) -> None:
        """All in one call. If that fails, each by itself, so that only the faulty ones fail."""
        leader = batch[0]
        try:
            together = [sentence for portion in batch for sentence in portion.sentences]
            found = iter(leader.translator.translate_typed(together, leader.decoding))
            for portion in batch:
                portion.translations = [next(found) for _ in portion.sentences]
        except Exception as error:
            if len(batch) == 1:
                leader.error = error
                return
            for portion in batch:
                self._translate([portion])


@cache
def shared_batches() -> SharedBatches:
    """The one that everybody on this server shares."""
    return SharedBatches(MAX_TRANSLATIONS)
