"""The task in a page that needs no server: the steps of a lesson with their questions, which the page checks."""

from collections.abc import Callable, Sequence
from typing import Any

from core.records.question import Answer, ChoiceQuestion, Kind
from pages.components.explaining.exercise import said_to
from pages.content.lesson_plan import LessonStep
from pages.content.markdown import parts_of, text_of
from pages.content.pages import ATTENTION_MAPS, TRANSLATE

_ITS_FIGURES = (TRANSLATE, ATTENTION_MAPS)  # the pages whose figures the page has, too


def task_data(
    title: str, steps: Sequence[LessonStep], may_ask: Callable[[Kind], bool] = lambda question: True
) -> dict[str, Any]:
    """Return the task of some steps for page_task.js.

    The app's own questions are in it where the page has the figure that they are about, each once. All that are have a
    choice of answers: numbers are asked about other figures.

    Args:
        title: of the lesson; a teacher may have typed it.
        steps: the steps, with texts in Markdown.
        may_ask: whether a question may be handed out, whose answer is in the page.
    """
    before: set[str] = set()
    return {"title": title, "steps": [_step_data(step, may_ask, before) for step in steps]}


def _step_data(step: LessonStep, may_ask: Callable[[Kind], bool], before: set[str]) -> dict[str, Any]:
    """Return a step's data; add the keys of its questions to those that were asked before."""
    asked: tuple[Kind | None, ...] = (step.own_prediction, step.own_exercise)
    if step.page in _ITS_FIGURES and step.model != "shipped":
        asked = (step.prediction, *step.exercises)
    choices = [each for each in asked if isinstance(each, ChoiceQuestion)]
    questions = [each for each in choices if each.key not in before and may_ask(each)]
    before.update(each.key for each in questions)
    return {
        "title": step.title,
        "task": parts_of(step.task),
        "questions": list(map(_question_data, questions)),
    }


def _question_data(question: ChoiceQuestion) -> dict[str, Any]:
    options = question.options
    answers = [Answer(question, option) for option in range(len(options))]
    return {
        "key": question.key,
        "kind": "choice",
        "text": parts_of(question.question),
        "options": list(map(parts_of, options)),
        "note": "",
        "before": "",
        "right_option": question.right_option,
        "said": [parts_of(said_to(each)) for each in answers],
        "plain": text_of(question.question),
        "plain_options": list(map(text_of, options)),
    }
