"""A text through the current model, computed once."""

from __future__ import annotations

import time
from dataclasses import replace

from core.classroom.jobs import QueueFullError, Status, compute_gate
from core.classroom.models import TrainedModel
from core.classroom.translation_job import Answer, TranslationJob, TranslationRequest, gated_steps
from core.classroom.workspace import Workspace
from core.config import DecodingConfig
from core.inference.texts import TextRun, TextTranslation
from core.interpretability.norms import value_norms
from core.records import ValueNorms
from pages.components.app.queues import translation_queue
from pages.components.app.text_limits import TextError, check_text

_SHORT = 1000  # characters x hypotheses, which a page waits for; of more it shows how far it is
_WAIT_SECONDS = 1.0  # for a job that may be over soon


def answer_of(
    workspace: Workspace, model: TrainedModel, text: str, decoding: DecodingConfig, number: int | None = None
) -> Answer | None:
    """Translate a text and explain one of its sentences, or give back what was answered before.

    Args:
        workspace: keeps the answer, and the job that makes it where the text is long.
        model: translates.
        text: of one sentence or several.
        decoding: how to search.
        number: of the sentence to explain, from 0; None leaves it as it was, or takes the first.

    Returns:
        The answer; None where `workspace.translation` is on its way, or was stopped before its first sentence.

    Raises:
        TextError: the text is blank, too long for the page or cannot be translated, or too many people wait.
        TranslationError: it has no words, or a sentence has too much attention to show.
    """
    check_text(text, decoding)
    request = TranslationRequest(model, (text,), decoding)
    answer = workspace.answer
    if answer is None or not _is_still_right(answer, request, workspace.translation):
        if len(text) * decoding.num_hypotheses <= _SHORT:
            workspace.stop_translation()
            answer = _translated_here(request)
        else:
            answer = _translated_by_job(workspace, request)
        if answer is None:
            return None
    if number is not None and number < len(answer.whole.sentences):
        answer = answer.about(number)
    if answer.explained is None:
        with compute_gate():
            answer = answer.with_explained(model.translator.explain(answer.sentence))
    workspace.answer = answer
    return answer


def second_answer_of(
    workspace: Workspace, model: TrainedModel, text: str, decoding: DecodingConfig
) -> Answer:
    """A short text beside the page's own, translated as one sentence and explained; the last one is kept.

    Raises:
        TextError: it is blank or too long.
        TranslationError: it cannot be translated.
    """
    check_text(text, decoding)
    kept = workspace.second
    if kept is not None and (kept.model, kept.text, kept.decoding) == (model, text, decoding):
        return kept
    began = time.monotonic()
    with compute_gate():
        found = model.translator.translate_typed([text], decoding)[0]
        explained = model.translator.explain(found)
    whole = TextTranslation(text, (found,))
    workspace.second = Answer(model, text, decoding, whole, time.monotonic() - began, explained=explained)
    return workspace.second


def norms_of(workspace: Workspace, answer: Answer) -> ValueNorms:
    """How long the vectors are that each head moves, computed once for an answer.

    Raises:
        TranslationError: the sentence is too long to be opened.
    """
    if answer.norms is None:
        model = answer.model
        with compute_gate():
            norms = value_norms(model.translator, answer.sentence)
        answer = replace(answer, norms=norms)
        if workspace.answer is not None and workspace.answer.explained is answer.explained:
            workspace.answer = answer
        if workspace.second is not None and workspace.second.explained is answer.explained:
            workspace.second = answer
    assert answer.norms is not None
    return answer.norms


def wait_a_little(job: TranslationJob) -> None:
    """Wait for what is over soon; of what takes longer, a page shows how far it is."""
    job.wait(_WAIT_SECONDS)


def _is_still_right(answer: Answer, request: TranslationRequest, job: TranslationJob | None) -> bool:
    """Whether an answer is to what is asked, and the job has not come further since."""
    if (answer.model, (answer.text,), answer.decoding) != (request.model, request.texts, request.decoding):
        return False
    if not answer.whole.left or job is None or job.work.request != request:
        return True
    return not job.active and any(text is answer.whole for text in job.view().progress.texts)


def _translated_here(request: TranslationRequest) -> Answer:
    """Translate in the page's run.

    Raises:
        TranslationError: the text has no words, or the weights overflow.
    """
    began = time.monotonic()
    run = TextRun(request.model.translator, request.texts, request.decoding)
    for _ in gated_steps(run):
        pass
    return Answer(
        request.model, request.texts[0], request.decoding, run.result()[0], time.monotonic() - began
    )


def _translated_by_job(workspace: Workspace, request: TranslationRequest) -> Answer | None:
    """What has become of a text, after waiting for it a little; None where there is nothing of it yet."""
    job = workspace.translation
    if job is None or job.work.request != request:
        try:
            job = workspace.start_translation(request, translation_queue())
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
