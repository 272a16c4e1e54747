"""The sentence that is looked into, with the model opened."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import TypeVar

import streamlit as st

from core.classroom.jobs import compute_gate
from core.classroom.models import TrainedModel
from core.classroom.translation_job import Answer
from core.inference.translator import GREEDY
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.words import Words, merged_words
from core.records import Translation
from pages.components.app.findings import kept_finding
from pages.components.app.navigation import end_page
from pages.components.widgets.words import plain

Found = TypeVar("Found")

_MAX_TOKENS = 128  # on each side, of a sentence whose computation is opened
_MAX_SECONDS = 30.0  # that one finding may compute


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

    def find(self, what: str, find: Callable[[OpenedSentence], Found], *more: Hashable) -> Found:
        """What is asked about this pair, computed once; the page's run ends here where it cannot be had.

        Args:
            what: kind of finding.
            find: computes it.
            more: what it depends on beside model and pair.
        """
        content = (self.pair.source.tobytes(), self.pair.predicted.tobytes(), *more)
        tracer = Tracer(self.model.translator, pausing(_MAX_SECONDS))
        return found_or_said(self.model, what, lambda: find(replace(self, tracer=tracer)), *content)


def pausing(seconds: float) -> Callable[[], None]:
    """What lets others compute between two batches, and ends what computes for too long; waiting does not count.

    It is called with a place at the gate.
    """
    left = seconds
    since: float | None = None

    def pause() -> None:
        nonlocal left, since
        if since is not None:
            left -= time.monotonic() - since
        if left < 0:
            raise ValueError("This analysis takes too long on this server. Try a shorter sentence.")
        compute_gate().leave()
        compute_gate().enter()
        since = time.monotonic()

    return pause


def found_or_said(model: TrainedModel, what: str, find: Callable[[], Found], *content: Hashable) -> Found:
    """A finding, computed once; where it cannot be had people read why, and the page's run ends."""
    try:
        return kept_finding(model.id, what, content, find)
    except ValueError as error:
        st.error(plain(str(error)), icon=":material/error:")
        end_page()
