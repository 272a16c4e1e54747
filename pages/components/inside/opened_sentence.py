"""The sentence that is looked into, with the model opened."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import TypeVar

import streamlit as st

from core.classroom.jobs import Progress, Status
from core.classroom.models import TrainedModel
from core.classroom.queue import QueueFullError
from core.classroom.translation_job import Answer, FindingJob, FindingWork, Pause
from core.inference.translator import GREEDY
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.words import Words, merged_words
from core.records import Translation
from pages.components.app.findings import kept_finding
from pages.components.app.navigation import end_page
from pages.components.app.queues import translation_queue
from pages.components.app.session import current_workspace
from pages.components.widgets.live_job import JobText, show_continue, show_live_job, show_stop
from pages.components.widgets.words import plain

Found = TypeVar("Found")

_MAX_TOKENS = 128  # on each side, of a sentence whose computation is opened
_MAX_SHORT = 32  # tokens on each side
_WAIT_SECONDS = 0.5  # for a job that may be over at once
_TEXT = JobText[Progress](noun="translation", progress=lambda view: "")


@dataclass(frozen=True)
class OpenedSentence:
    """A sentence and its translation, as one pass reads them."""

    model: TrainedModel
    translation: Translation
    text: str  # of the whole box
    tracer: Tracer
    pair: ForcedPair
    greedy: bool  # whether the translation was found greedily

    @classmethod
    def of(cls, answer: Answer) -> OpenedSentence:
        """The sentence of an answer; the page's run ends here where it is too long to open."""
        translator, translation = answer.model.translator, answer.sentence
        pair = ForcedPair.of_translation(translator, translation)
        longest = max(len(pair.source), len(pair.predicted))
        if longest > _MAX_TOKENS or not len(pair.predicted):
            st.error(
                f"This sentence or its translation has {longest} tokens; this page opens at most {_MAX_TOKENS}. "
                "Shorten the sentence.",
                icon=":material/error:",
            )
            end_page()
        is_greedy = answer.decoding == GREEDY
        return cls(answer.model, translation, answer.text, Tracer(translator), pair, is_greedy)

    @property
    def source_words(self) -> Words:
        """Words of the source's tokens."""
        return merged_words(self.pair.source_tokens)

    @property
    def target_words(self) -> Words:
        """Words of the translation's tokens, the end included."""
        return merged_words(self.pair.predicted_tokens)

    @property
    def is_long(self) -> bool:
        """Whether batches of it take so long that people should see how far they are, and may stop them."""
        return max(len(self.pair.source), len(self.pair.predicted)) > _MAX_SHORT

    def find(
        self, what: str, find: Callable[[OpenedSentence], Found], *more: Hashable, many: bool = False
    ) -> Found:
        """What is asked about this pair, computed once; the page's run ends here where it cannot be had yet.

        Args:
            what: kind of finding.
            find: computes it.
            more: what it depends on beside model and pair.
            many: whether it takes a run for each word or head.
        """
        found = self.find_if_ready(what, find, *more, many=many)
        if found is None:
            end_page()
        return found

    def find_if_ready(
        self, what: str, find: Callable[[OpenedSentence], Found], *more: Hashable, many: bool
    ) -> Found | None:
        """As `find`, but where a job is on its way people see how far it is, and the page goes on with None."""
        content = (self.pair.source.tobytes(), self.pair.predicted.tobytes(), *more)
        if many and self.is_long:
            return self._found_by_job((self.model.id, what, content), find)
        return found_or_said(self.model, what, lambda: find(self), *content)

    def _found_by_job(self, key: Hashable, find: Callable[[OpenedSentence], Found]) -> Found | None:
        workspace = current_workspace()
        job = workspace.finding
        if job is None or job.work.key != key:

            def find_pausing(pause: Pause) -> Found:
                return find(replace(self, tracer=Tracer(self.model.translator, pause)))

            try:
                job = workspace.start_finding(FindingWork(key, find_pausing), translation_queue())
            except QueueFullError as error:
                st.error(str(error), icon=":material/group:")
                return None
            job.wait(_WAIT_SECONDS)
        view = job.view()
        if view.status is Status.FAILED:
            workspace.finding = None  # the next run tries again
            st.error(plain(view.message), icon=":material/error:")
            return None
        if view.status is not Status.FINISHED:
            _show_job(job)
            return None
        found: Found = job.work.found
        return found


def _show_job(job: FindingJob) -> None:
    """How far it is, with Stop; where it was stopped, with Continue."""
    if job.active:
        show_stop(job, "finding")
    elif job.view().status is Status.STOPPED:
        show_continue(job, "finding", help="It keeps nothing when it stops, so it starts over.")
    show_live_job(job, _TEXT)


def found_or_said(model: TrainedModel, what: str, find: Callable[[], Found], *content: Hashable) -> Found:
    """A finding, computed once; where it cannot be had people read why, and the page's run ends."""
    try:
        return kept_finding(model.id, what, content, find)
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/error:")
        end_page()
