"""The lessons of 10, 30 and 60 minutes: steps, each at one page, in the order in which to teach them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.classroom.models import default_name
from core.classroom.workspace import Workspace
from pages.components.app.content import CONTENT, PAGE_TEXTS, ViewTexts, build, read_toml
from pages.components.app.menu import HOME, PAGES, PageEntry, is_shown

Parameter = tuple[str, str]
"""Of an address: name and value."""


def _shipped(workspace: Workspace) -> str | None:
    """A shipped model, unless such a one is chosen: the classroom's has memorized its pairs, and is never in doubt."""
    chosen = workspace.model
    return None if chosen is not None and chosen.is_subword else default_name()


def _own(workspace: Workspace) -> str | None:
    """What Train has made: whoever goes through a lesson again still has the shipped model of its last steps."""
    own = workspace.trained if workspace.trained in workspace.models else None
    own = own or next(reversed(workspace.models), None)
    return own.id if own else None


_MODELS = {"shipped": _shipped, "own": _own}
"""Give the id of the model that a step needs."""


@dataclass(frozen=True)
class LessonStep:
    """One page of a lesson."""

    page: PageEntry
    minutes: int
    task: str  # what to do there
    view: str = ""  # that the task needs, of the page's texts
    model: str = ""  # of `_MODELS`

    @property
    def texts(self) -> ViewTexts | None:
        """What the view teaches."""
        return PAGE_TEXTS[self.page.address].views.get(self.view)

    def query(self, workspace: Workspace) -> list[Parameter]:
        """Return what the address of its page says, for the tab that holds the workspace."""
        parameter = PAGE_TEXTS[self.page.address].parameter
        model = _MODELS[self.model](workspace) if self.model else None
        return [*([(parameter, self.view)] if parameter else []), *([("model", model)] if model else [])]


@dataclass(frozen=True)
class LessonPlan:
    """Pages in the order in which to teach them."""

    steps: tuple[LessonStep, ...]

    @property
    def minutes(self) -> int:
        return sum(step.minutes for step in self.steps)

    @property
    def shown(self) -> tuple[LessonStep, ...]:
        """The steps at pages that this server shows."""
        return tuple(step for step in self.steps if is_shown(step.page))

    @property
    def path(self) -> tuple[PageEntry, ...]:
        """Home, then the page of every step that this server shows."""
        return (HOME, *(step.page for step in self.shown))

    def place(self, page: PageEntry) -> int | None:
        """Return which step a page is, from 0, Home; None where the lesson leaves it out."""
        return self.path.index(page) if page in self.path else None

    @property
    def beyond(self) -> tuple[PageEntry, ...]:
        """The pages that the lesson leaves out."""
        return tuple(page for page in PAGES if page not in self.path and is_shown(page))


def read_lessons(folder: Path = CONTENT) -> dict[int, LessonPlan]:
    """Return the lessons of lessons.toml by their length in minutes.

    Raises:
        ValueError: a step names a page, view or model that there is not, or the minutes do not add up.
    """
    plans = {}
    for lesson in read_toml("lessons.toml", folder)["lesson"]:
        minutes = lesson["minutes"]
        where = f"lessons.toml, {minutes} minutes"
        steps = enumerate(lesson["steps"], start=1)
        plans[minutes] = LessonPlan(
            tuple(_step(values, f"{where}, step {number}") for number, values in steps)
        )
        if plans[minutes].minutes != minutes:
            raise ValueError(f"{where}: the steps take {plans[minutes].minutes}")
    return plans


def _step(values: Mapping[str, Any], where: str) -> LessonStep:
    page = next((each for each in PAGES if each.address == values.get("page")), None)
    if page is None:
        raise ValueError(f"{where}: there is no page {values.get('page')!r}")
    step = build(LessonStep, {**values, "page": page}, where)
    if (step.view or PAGE_TEXTS[page.address].parameter) and step.texts is None:
        raise ValueError(f"{where}: {page.address}.toml has no view {step.view!r}")
    if step.model and step.model not in _MODELS:
        raise ValueError(f"{where}: model must be one of {', '.join(_MODELS)}")
    return step


LESSONS = read_lessons()
