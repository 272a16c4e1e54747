"""The lessons of lessons.toml, and the buttons on Home."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from core.presets import PRESETS
from pages.content.pages import HOME, LESSON_END, PAGES, PageEntry, is_shown
from pages.content.reader import CONTENT, PAGE_TEXTS, Exercise, ViewTexts, build, read_toml

# The model that a step is about: one that comes with the app, the visitor's own, or any.
StepModel = Literal["", "shipped", "own"]


@dataclass(frozen=True)
class LessonStep:
    """One page of a lesson."""

    page: PageEntry
    minutes: int
    task: str  # what to do there
    class_task: str = ""  # what a class does that follows its teacher, where that is something else
    view: str = ""  # the view that the task needs, a key of the page's texts
    model: StepModel = ""
    preset: str = ""  # of the training that a quick start begins
    choices: Mapping[str, Any] = field(default_factory=dict)  # what widgets show, by their keys

    @property
    def texts(self) -> ViewTexts | None:
        """Return the texts of the step's view."""
        return PAGE_TEXTS[self.page.address].views.get(self.view)


@dataclass(frozen=True)
class LessonPlan:
    """Pages in teaching order."""

    steps: tuple[LessonStep, ...]

    @property
    def minutes(self) -> int:
        return sum(step.minutes for step in self.shown)

    @property
    def shown(self) -> tuple[LessonStep, ...]:
        """Return the steps whose pages this server shows."""
        return tuple(step for step in self.steps if is_shown(step.page))

    @property
    def path(self) -> tuple[PageEntry, ...]:
        """Return Home, the page of every step that this server shows, and the end."""
        return (HOME, *(step.page for step in self.shown), LESSON_END)

    def place(self, page: PageEntry) -> int | None:
        """Return the number of a page's step (Home is 0); None where the lesson leaves it out."""
        return self.path.index(page) if page in self.path else None

    @property
    def beyond(self) -> tuple[PageEntry, ...]:
        """Return the pages that the lesson leaves out."""
        return tuple(page for page in PAGES if page not in self.path and is_shown(page))


def read_lessons(folder: Path = CONTENT) -> dict[int, LessonPlan]:
    """Return the lessons of lessons.toml by their length in minutes.

    Raises:
        ValueError: A step names an unknown page, view or model, or the minutes do not add up.
    """
    plans = {}
    for lesson in read_toml("lessons.toml", folder)["lesson"]:
        minutes = lesson["minutes"]
        where = f"lessons.toml, {minutes} minutes"
        steps = enumerate(lesson["steps"], start=1)
        read = tuple(_step(values, f"{where}, step {number}") for number, values in steps)
        plans[minutes] = LessonPlan(read)
        if (taken := sum(step.minutes for step in read)) != minutes:
            raise ValueError(f"{where}: the steps take {taken}")
    return plans


def _step(values: Mapping[str, Any], where: str) -> LessonStep:
    page = next((each for each in PAGES if each.address == values.get("page")), None)
    if page is None:
        raise ValueError(f"{where}: there is no page {values.get('page')!r}")
    step = build(LessonStep, {**values, "page": page}, where)
    if (step.view or PAGE_TEXTS[page.address].parameter) and step.texts is None:
        raise ValueError(f"{where}: {page.address}.toml has no view {step.view!r}")
    if step.model not in get_args(StepModel):
        raise ValueError(f"{where}: model must be one of {', '.join(filter(None, get_args(StepModel)))}")
    if step.preset and step.preset not in PRESETS:
        raise ValueError(f"{where}: preset must be one of {', '.join(PRESETS)}")
    return step


LESSONS = read_lessons()


@dataclass(frozen=True)
class QuickStart:
    """A button on Home and what it opens."""

    name: str
    title: str
    step: LessonStep


def _read_quick_starts(folder: Path = CONTENT) -> dict[str, list[QuickStart]]:
    """Return the buttons on Home by their place: "first", or one of the doors below.

    Raises:
        ValueError: A step names an unknown page, view or model.
    """
    starts: dict[str, list[QuickStart]] = {}
    for values in read_toml("lessons.toml", folder)["quick_start"]:
        door, name, title = (values.pop(each) for each in ("door", "name", "title"))
        starts.setdefault(door, []).append(QuickStart(name, title, _step(values, f"lessons.toml, {name}")))
    return starts


QUICK_STARTS = _read_quick_starts()


QUESTIONS = 3


def closing_questions(plan: LessonPlan) -> list[tuple[PageEntry, Exercise]]:
    """Return questions spread over a lesson, each with its page, in order; fewer in a short lesson."""
    pages = [step.page for step in plan.shown if PAGE_TEXTS[step.page.address].closing]
    parts = min(QUESTIONS, len(pages))
    firsts = [pages[len(pages) * part // parts] for part in range(parts)]
    return [(page, PAGE_TEXTS[page.address].closing[0]) for page in firsts]
