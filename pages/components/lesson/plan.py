"""What a lesson is made of: steps, each at one page, in the order in which to teach them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.classroom.workspace import Workspace
from pages.components.app.menu import HOME, PAGES, PageEntry, is_shown

Parameter = tuple[str, str]
"""Of an address: name and value."""


@dataclass(frozen=True)
class Stop:
    """One page of a lesson."""

    page: PageEntry
    minutes: int
    task: str  # what to do there
    choice: Parameter | None = (
        None  # that the task needs, such as a view; the page may have been left with another
    )
    model: Callable[[Workspace], str | None] | None = None  # gives the id of the model that the task needs

    def query(self, workspace: Workspace) -> list[Parameter]:
        """What the address of its page says, for the tab that holds the workspace."""
        model = self.model(workspace) if self.model else None
        return [*([self.choice] if self.choice else []), *([("model", model)] if model else [])]


@dataclass(frozen=True)
class LessonPlan:
    """Pages in the order in which to teach them."""

    stops: tuple[Stop, ...]

    @property
    def minutes(self) -> int:
        return sum(stop.minutes for stop in self.stops)

    @property
    def shown(self) -> tuple[Stop, ...]:
        """The stops at pages that this server shows."""
        return tuple(stop for stop in self.stops if is_shown(stop.page))

    @property
    def path(self) -> tuple[PageEntry, ...]:
        """Home, then every stop that this server shows."""
        return (HOME, *(stop.page for stop in self.shown))

    def place(self, page: PageEntry) -> int | None:
        """Which step a page is, from 0, Home; None where the lesson leaves it out."""
        return self.path.index(page) if page in self.path else None

    @property
    def beyond(self) -> tuple[PageEntry, ...]:
        """The pages that the lesson leaves out."""
        return tuple(page for page in PAGES if page not in self.path and is_shown(page))
