"""What the model writes from a beginning and how, computed once for a tab."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

from core.classroom.jobs import compute_gate
from core.classroom.models import TrainedModel
from core.classroom.translation_job import Answer
from core.interpretability.writing import Writer, Written
from core.records import DecodingStep
from pages.components.decoding.beginning import Beginning

Result = TypeVar("Result")

_MAX_KEPT = 12  # results of one model; of 128 tokens each takes about a megabyte
_KEPT = "decoding_results"  # key of st.session_state


def written_from(answer: Answer, beginning: Beginning) -> Written:
    """The sentence's translations that begin so, found as the answer's were.

    Raises:
        TranslationError: the weights overflow.
    """
    if not beginning.ids and answer.decoding.beam_size == 1:
        return Written(answer.sentence.hypotheses)  # only a tree needs the search again
    key = (answer.sentence.read, answer.decoding, beginning.ids)
    return _once(
        answer.model, key, lambda writer: writer.write(_source_ids(answer), answer.decoding, beginning.ids)
    )


def steps_of(answer: Answer, ids: tuple[int, ...]) -> tuple[DecodingStep, ...]:
    """What each step of a translation could have written.

    Raises:
        TranslationError: that would be too much to show.
    """
    key = (answer.sentence.read, ids)
    return _once(answer.model, key, lambda writer: writer.steps(_source_ids(answer), ids))


def most_tokens(answer: Answer) -> int:
    """Of a translation of the sentence, its end included."""
    return Writer(answer.model.translator).limit(_source_ids(answer))


def _source_ids(answer: Answer) -> list[int]:
    return answer.model.checkpoint.source_tokenizer.encode(answer.sentence.read)


def _once(model: TrainedModel, key: Hashable, make: Callable[[Writer], Result]) -> Result:
    of, results = st.session_state.get(_KEPT, (None, {}))
    if of is not model:
        results = {}
    if key not in results:
        with compute_gate():
            results[key] = make(Writer(model.translator))
    results[key] = results.pop(key)  # the last used one is the last
    while len(results) > _MAX_KEPT:
        del results[next(iter(results))]
    st.session_state[_KEPT] = (model, results)
    found: Result = results[key]
    return found
