"""A text through the current model, computed once."""

from __future__ import annotations

import streamlit as st

from core.classroom.answers import Answer
from core.classroom.jobs.job import Status
from core.classroom.jobs.queue import QueueFullError
from core.classroom.jobs.translation_job import TranslationJob, TranslationRequest
from core.classroom.settings import server_settings
from core.classroom.trained_model import TrainedModel
from core.classroom.workspace import Workspace
from core.config import DecodingConfig
from pages.components.app.resources import presence_of, translation_queue

_SHORT = 1000  # characters x beams that are waited for; others show how far they are
_SHORT_SECONDS = 30.0  # that a page waits for a short text: the first one loads TensorFlow
_LONG_SECONDS = 1.0


class TextError(ValueError):
    """A text the page cannot take; the message says why."""


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
            answer = answer.with_explained(model.translator.explain(answer.sentence))
    workspace.answer = answer
    return answer


def check_text(text: str, decoding: DecodingConfig) -> None:
    """Whether the page takes a text.

    Raises:
        TextError: it is blank, too long, or too long for so many beams.
    """
    if not text.strip():
        raise TextError("There are no words to translate. Type a sentence.")
    if len(text) > server_settings().max_text:
        raise TextError(
            f"The text has {len(text):,} characters; this page takes at most {server_settings().max_text:,}. Shorten it."
        )
    check_work(text, decoding)


def check_work(text: str, decoding: DecodingConfig) -> None:
    """Whether a text is short enough for its beams.

    Raises:
        TextError: it is not.
    """
    most = server_settings().max_characters_times_beams // decoding.beam_size
    if len(text) > most:
        raise TextError(
            f"With {decoding.beam_size} beams, at most {most:,} characters are translated at once. Shorten the text or "
            f"take fewer beams. Received: {len(text):,}."
        )


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
    work = sum(map(len, request.texts)) * request.decoding.beam_size
    with st.spinner("Translating. The first time, this loads TensorFlow and compiles the search."):
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
