"""A text through the current model, computed once."""

from __future__ import annotations

import time
from dataclasses import replace

import streamlit as st

from core.classroom.answers import Answer
from core.classroom.jobs.job import Status
from core.classroom.jobs.queue import QueueFullError
from core.classroom.jobs.translation_job import TranslationJob, TranslationRequest
from core.classroom.trained_model import TrainedModel
from core.classroom.workspace import Workspace
from core.config import DecodingConfig
from core.records import ValueNorms
from pages.components.app.queues import translation_queue, translation_turn
from pages.components.app.resources import presence_of
from pages.components.app.text_limits import TextError, check_text

_SHORT = 1000  # characters x beams that are waited for; others show how far they are
_SHORT_SECONDS = 30.0  # that a page waits for a short text: the first one loads TensorFlow
_LONG_SECONDS = 1.0


def answer_of(
    workspace: Workspace, model: TrainedModel, text: str, decoding: DecodingConfig, number: int | None = None
) -> Answer | None:
    """Translate a text and explain one of its sentences, or give back what was answered before.

    Args:
        workspace: keeps the answer, and the job that makes it.
        model: translates.
        text: of one sentence or several.
        decoding: how to search.
        number: of the sentence to explain, from 0; None leaves it as it was, or takes the first.

    Returns:
        The answer; None where `workspace.translation` is on its way, or was stopped before its first sentence.

    Raises:
        TextError: the text is blank, too long for the page or cannot be translated, or too many people wait.
        TranslationError: a sentence has too much attention to show.
    """
    check_text(text, decoding)
    request = TranslationRequest(model, (text,), decoding)
    answer = workspace.answer
    if answer is None or not _is_still_right(answer, request, workspace.translation):
        answer = _translated(workspace, request)
        if answer is None:
            return None
    if number is not None and number < len(answer.whole.sentences):
        answer = answer.about(number)
    if answer.explained is None:
        with st.spinner("Computing the attention weights and the candidates of each step."):
            answer = _explained(answer)
    workspace.answer = answer
    return answer


def _explained(answer: Answer) -> Answer:
    """With its attention, in turn with the translations of others."""
    try:
        with translation_turn():
            return answer.with_explained(answer.model.translator.explain(answer.sentence))
    except QueueFullError as error:
        raise TextError(str(error)) from error


def second_answer_of(
    workspace: Workspace, model: TrainedModel, text: str, decoding: DecodingConfig
) -> Answer:
    """A short text beside the page's own, translated as one sentence and explained; the last one is kept.

    Raises:
        TextError: it is blank or too long, or too many people wait.
        TranslationError: it cannot be translated.
    """
    check_text(text, decoding)
    kept = workspace.second
    if kept is not None and (kept.model, kept.text, kept.decoding) == (model, text, decoding):
        return kept
    translator = model.translator  # before the import: it loads TensorFlow in the one place for that
    from core.inference.texts import TextTranslation

    began = time.monotonic()
    try:
        with st.spinner("Translating the second sentence."), translation_turn():
            found = translator.translate_typed([text], decoding)[0]
            explained = translator.explain(found)
    except QueueFullError as error:
        raise TextError(str(error)) from error
    whole = TextTranslation(text, (found,))
    workspace.second = Answer(model, text, decoding, whole, time.monotonic() - began, explained=explained)
    return workspace.second


def norms_of(workspace: Workspace, answer: Answer) -> ValueNorms:
    """How long the vectors are that each head moves, computed once for an answer.

    Raises:
        TextError: too many people wait.
        TranslationError: the sentence is too long to be opened.
    """
    if answer.norms is None:
        from core.interpretability.attention.value_norms import value_norms

        model = answer.model
        try:
            with st.spinner("Computing the norm-weighted attention."), translation_turn():
                norms = value_norms(model.translator, model.checkpoint.weights, answer.sentence)
        except QueueFullError as error:
            raise TextError(str(error)) from error
        answer = replace(answer, norms=norms)
        if workspace.answer is not None and workspace.answer.explained is answer.explained:
            workspace.answer = answer
        if workspace.second is not None and workspace.second.explained is answer.explained:
            workspace.second = answer
    assert answer.norms is not None
    return answer.norms


def _is_still_right(answer: Answer, request: TranslationRequest, job: TranslationJob | None) -> bool:
    """Whether an answer is to what is asked, and the job has not come further since."""
    if (answer.model, (answer.text,), answer.decoding) != (request.model, request.texts, request.decoding):
        return False
    if not answer.whole.left or job is None or job.work.request != request:
        return True
    return not job.active and any(text is answer.whole for text in job.view().progress.texts)


def wait_a_little(job: TranslationJob) -> None:
    """Wait for what is short; of what is long, a page shows how far it is."""
    request = job.work.request
    work = sum(map(len, request.texts)) * request.decoding.num_hypotheses
    with st.spinner("Translating. The first translation after the server has started takes a few seconds."):
        job.wait(_SHORT_SECONDS if work <= _SHORT else _LONG_SECONDS)


def _translated(workspace: Workspace, request: TranslationRequest) -> Answer | None:
    """What has become of a text, after waiting for it a little; None where there is nothing of it yet."""
    job = workspace.translation
    if job is None or job.work.request != request:
        try:
            job = workspace.start_translation(request, translation_queue(), presence_of(workspace))
        except QueueFullError as error:
            raise TextError(str(error)) from error
    wait_a_little(job)
    view = job.view()
    if view.active:
        return None
    if view.status is Status.FAILED:
        workspace.translation = None  # the next run tries again
        raise TextError(view.message)
    texts = view.progress.texts
    if not texts:
        return None
    return Answer(request.model, request.texts[0], request.decoding, texts[0], view.seconds)
