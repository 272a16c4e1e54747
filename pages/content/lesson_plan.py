"""What a lesson is: steps, each a page as it is to be seen, with a task."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal
from zlib import crc32

from core.language import _
from core.records.question import ChoiceQuestion, Kind, Moment
from core.records.text import Pair
from core.server.settings import server_settings
from pages.content.markdown import typed
from pages.content.pages import HOME, LESSON_END, PAGES, PageEntry, is_shown
from pages.content.reader import PAGE_TEXTS, ViewTexts

# The model that a step is about: one that comes with the app, the visitor's own, or any.
StepModel = Literal["", "shipped", "own"]
# What a step asks: what the app asks of its view, nothing, or the teacher's own question, before or after the figure.
Asks = Literal["ours", "none", "before", "after"]


NUM_ANSWERS = 2, 5  # to a teacher's own question: at least and at most


def missing_in(question: ChoiceQuestion) -> str:
    """Return what a teacher's own question lacks; empty where it is whole."""
    fewest, most = NUM_ANSWERS
    if not question.question or not question.answer:
        return _("A question needs a text and a right answer.")
    if not fewest <= len(question.options) <= most or question.answer in question.wrong:
        return _("A question needs {fewest} to {most} different answers.").format(fewest=fewest, most=most)
    return ""


@dataclass(frozen=True)
class LessonStep:
    """One page of a lesson, as it is to be seen."""

    page: PageEntry
    minutes: int
    task: str  # what to do there
    class_task: str = ""  # what a class does that follows its teacher, where that is something else
    note: str = ""  # for the speaker alone
    view: str = ""  # the view that the task needs, a key of the page's texts
    model: StepModel = ""
    preset: str = ""  # of the training that the step begins with, or that makes its model
    pairs: tuple[Pair, ...] = ()  # to train on, where they are the teacher's own
    choices: Mapping[str, Any] = field(default_factory=dict)  # what widgets show, by their keys
    asks: Asks = "ours"
    question: ChoiceQuestion | None = None  # of the teacher's own

    @property
    def texts(self) -> ViewTexts | None:
        """Return the texts of the step's view."""
        return PAGE_TEXTS[self.page.address].views.get(self.view)

    @property
    def title(self) -> str:
        """Return the title of the step's page, with that of its view where the page has several."""
        view = self.texts.title if self.texts else ""
        return _("{page}: {view}").format(page=self.page.title, view=view) if view else self.page.title

    @property
    def own_prediction(self) -> ChoiceQuestion | None:
        """Return the teacher's own question with which the step begins."""
        return self.question if self.asks == "before" else None

    @property
    def own_exercise(self) -> ChoiceQuestion | None:
        """Return the teacher's own question that follows the figure."""
        return self.question if self.asks == "after" else None

    @property
    def prediction(self) -> ChoiceQuestion | None:
        """Return the question with which the step begins: the figure waits for its answer."""
        is_ours = self.asks == "ours" and self.texts and server_settings().exercises
        return self.texts.prediction if self.texts and is_ours else self.own_prediction

    @property
    def exercises(self) -> tuple[Kind, ...]:
        """Return the questions that follow the figure."""
        is_ours = self.asks != "none" and self.texts and server_settings().exercises
        ours = self.texts.exercise if self.texts and is_ours else None
        return tuple(filter(None, (self.own_exercise, ours)))

    def in_markdown(self) -> "LessonStep":
        """Return a step that a teacher has typed with texts in Markdown, and a question only if it is whole."""
        asked = self.question
        if asked is not None:
            # Another text is another question: a room counts it anew.
            texts = repr((asked.page, asked.question, asked.answer, *asked.wrong))
            name = f"own_{crc32(texts.encode()):08x}"
            moment: Moment = "exercise" if self.asks == "after" else "prediction"
            wrong = {typed(answer): typed(hint) for answer, hint in asked.wrong.items()}
            question, answer, why = map(typed, (asked.question, asked.answer, asked.why))
            is_whole = not missing_in(asked)
            made = ChoiceQuestion(name, asked.page, question, answer, why, wrong, moment=moment)
            asked = made if is_whole else None
        task, class_task, note = map(typed, (self.task, self.class_task, self.note))
        return replace(self, task=task, class_task=class_task, note=note, question=asked)


@dataclass(frozen=True)
class LessonPlan:
    """Steps in teaching order."""

    steps: tuple[LessonStep, ...] = ()
    name: str = ""  # in addresses
    title: str = ""  # as a teacher has typed it, or as we call it; most of ours are called by their length
    is_ours: bool = False

    @property
    def is_own(self) -> bool:
        """Whether a teacher has typed its texts, which are shown as they are."""
        return bool(self.title) and not self.is_ours

    @property
    def called(self) -> str:
        """Return the title, or what it is called by its length."""
        return self.title or _("The {count}-minute lesson").format(count=self.minutes)

    @property
    def minutes(self) -> int:
        return sum(step.minutes for step in self.shown)

    @cached_property
    def _in_markdown(self) -> tuple[LessonStep, ...]:
        return tuple(step.in_markdown() for step in self.steps) if self.is_own else self.steps

    @property
    def shown(self) -> tuple[LessonStep, ...]:
        """Return the steps whose pages this server shows, with all texts in Markdown."""
        return tuple(step for step in self._in_markdown if is_shown(step.page))

    def step(self, number: int) -> LessonStep | None:
        """Return a step by its number, from 1; None elsewhere."""
        return self.shown[number - 1] if 0 < number <= len(self.shown) else None

    @property
    def path(self) -> tuple[PageEntry, ...]:
        """Return Home, the page of every step that this server shows, and the end."""
        return (HOME, *(step.page for step in self.shown), LESSON_END)

    def number_of(self, page: PageEntry, near: int = 0) -> int | None:
        """Return the number of a page's step (Home is 0); None where the lesson leaves it out.

        Args:
            page: the page.
            near: the step that is returned if it is on this page; else it is the first one.
        """
        if near < len(self.path) and self.path[near] == page:
            return near
        return self.path.index(page) if page in self.path else None

    @property
    def beyond(self) -> tuple[PageEntry, ...]:
        """Return the pages that the lesson leaves out."""
        return tuple(page for page in PAGES if page not in self.path and is_shown(page))

    def title_of(self, number: int) -> str:
        """Return what a place is called: by its page, with the view where the lesson comes to the page twice."""
        page = self.path[number]
        step = self.step(number)
        return step.title if step and self.path.count(page) > 1 else page.title

    def for_class(self, number: int) -> "LessonPlan":
        """Return what a class has of the lesson at a step: no notes, and of the teacher's own questions that of the step.

        At the end, it has all questions.
        """
        steps = [step for step in self.steps if is_shown(step.page)]
        is_at_end = number > len(steps)
        handed_out = (
            replace(step, note="", question=step.question if is_at_end or place == number else None)
            for place, step in enumerate(steps, start=1)
        )
        return self.with_steps(*handed_out)

    def with_steps(self, *steps: LessonStep) -> "LessonPlan":
        """Return the lesson with other steps."""
        return replace(self, steps=steps)


QUESTIONS = 3


def closing_questions(plan: LessonPlan) -> list[tuple[PageEntry, Kind]]:
    """Return questions spread over a lesson, each with its page; fewer in a short lesson, none without exercises."""
    if not server_settings().exercises:
        return []
    asked = {step.texts.exercise.name for step in plan.shown if step.texts and step.texts.exercise}
    found = {}
    for page in dict.fromkeys(step.page for step in plan.shown):
        new = [each for each in PAGE_TEXTS[page.address].closing if each.name not in asked]
        if new:
            found[page] = new[0]
    pages = list(found)
    parts = min(QUESTIONS, len(pages))
    firsts = [pages[len(pages) * part // parts] for part in range(parts)]
    return [(page, found[page].at("closing")) for page in firsts]
