"""The lessons of 10, 30 and 60 minutes, and the one that a visitor follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import streamlit as st

from core.classroom.models import TrainedModel
from core.classroom.workspace import Workspace
from pages.components.content import CONTENT, PAGE_TEXTS, Exercise, ViewTexts, build, read_toml
from pages.components.menu import HOME, PAGES, PageEntry, go_to, is_shown
from pages.components.models import chosen_model, shipped_models
from pages.components.session import current_workspace
from pages.components.share import is_presenting
from pages.components.state import linked_text, set_value
from pages.components.views import ask_exercise, exercises_are_on


def _shipped(workspace: Workspace) -> TrainedModel | None:
    """A shipped model, unless such a one is chosen: the classroom's has memorized its pairs, and is never in doubt."""
    chosen = workspace.model
    return None if chosen is not None and chosen.is_subword else next(iter(shipped_models()), None)


def _own(workspace: Workspace) -> TrainedModel | None:
    """What Train has made: whoever goes through a lesson again still has the shipped model of its last steps."""
    own = workspace.trained if workspace.trained in workspace.models else None
    return own or next(reversed(workspace.models), None)


_MODELS = {"shipped": _shipped, "own": _own}
"""Give the model that a step needs."""


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

    def open(self) -> NoReturn:
        """Go to its page, with the view and the model that the task needs."""
        choices: dict[str, tuple[object, str]] = {}
        if (parameter := PAGE_TEXTS[self.page.address].parameter) and self.texts:
            choices[parameter] = self.view, self.texts.title
        if self.model and (model := _MODELS[self.model](current_workspace())):
            choices |= chosen_model(model)
        go_to(self.page, choices)


@dataclass(frozen=True)
class LessonPlan:
    """Pages in the order in which to teach them."""

    steps: tuple[LessonStep, ...]

    @property
    def minutes(self) -> int:
        return sum(step.minutes for step in self.shown)

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
    if step.model and step.model not in _MODELS:
        raise ValueError(f"{where}: model must be one of {', '.join(_MODELS)}")
    return step


LESSONS = read_lessons()


def read_doors(folder: Path = CONTENT) -> dict[str, LessonStep]:
    """Return what Home leads with by its titles.

    Raises:
        ValueError: a door names a page, view or model that there is not.
    """
    doors = {}
    for values in read_toml("lessons.toml", folder)["door"]:
        title = values.pop("title")
        doors[title] = _step(values, f"lessons.toml, {title}")
    return doors


DOORS = read_doors()


QUESTIONS = 3
ANCHOR = "three-questions"  # of their heading, for a link on the same page


def closing_questions(plan: LessonPlan) -> list[tuple[PageEntry, Exercise]]:
    """Return questions from all over a lesson, each with its page, in the lesson's order; fewer where pages are few."""
    pages = [step.page for step in plan.shown if PAGE_TEXTS[step.page.address].closing]
    parts = min(QUESTIONS, len(pages))
    firsts = [pages[len(pages) * part // parts] for part in range(parts)]
    return [(page, PAGE_TEXTS[page.address].closing[0]) for page in firsts]


def show_closing(plan: LessonPlan) -> None:
    """The three questions."""
    questions = closing_questions(plan)
    if not exercises_are_on() or not questions:
        return
    st.subheader("Three questions" if len(questions) == QUESTIONS else "To close", anchor=ANCHOR)
    _ask(questions)


@st.fragment  # an answer draws nothing else of the page anew
def _ask(questions: list[tuple[PageEntry, Exercise]]) -> None:
    """The questions beside each other, and below them how many are answered rightly."""
    answers = []
    for column, (page, exercise) in zip(st.columns(len(questions)), questions, strict=True):
        with column:
            st.caption(f"{page.icon} {page.title}")
            answers.append(ask_exercise(exercise, closes=True))
    score = f"**{sum(map(bool, answers))} of {len(answers)} right.**"
    if all(answers):
        st.success(f"{score} You have finished the lesson.", icon=":material/trophy:")
    elif None not in answers:
        st.info(
            f"{score} The hint below an answer says what to think about; try again.",
            icon=":material/refresh:",
        )


_KEY, _CHOICE = "lesson", "lesson_choice"  # keys of st.session_state; the first stands in the address
_NONE = "0"
_TITLES = {_NONE: "No lesson", **{str(minutes): f"{minutes} min" for minutes in LESSONS}}


def choose_lesson() -> LessonPlan | None:
    """How long the lesson is that a visitor wants to follow; on Home."""
    lesson = linked_text(_KEY, _NONE)
    if lesson not in _TITLES:
        lesson = _NONE
    # What the widget of one page holds in the address is nothing that another page may read there.
    set_value(_CHOICE, lesson)
    st.segmented_control(
        "How long is your lesson?",
        list(_TITLES),
        format_func=_TITLES.__getitem__,
        required=True,
        key=_CHOICE,
        on_change=_begin,
    )
    return _lesson(lesson)


def _begin() -> None:
    set_value(_KEY, st.session_state.get(_CHOICE, _NONE))


def _lesson(name: str) -> LessonPlan | None:
    return LESSONS.get(int(name)) if name in _TITLES else None


def show_strip(page: PageEntry) -> None:
    """Above a page of the lesson that is followed: its step, minutes and task, back and next."""
    plan = _followed(page)
    place = plan.place(page) if plan else None
    if plan is None or not place:
        return
    step = plan.shown[place - 1]
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small", key="strip"):
        _show_way(plan, place, -1, "strip", "PageUp" if is_presenting() else None)
        last = place == len(plan.shown)
        then = f" Then [three questions](#{ANCHOR})." if last and exercises_are_on() else ""
        st.markdown(
            f"**Step {place} of {len(plan.shown)}** · {step.minutes} min · {step.task}{then}", width="stretch"
        )
        _show_way(plan, place, 1, "strip", "PageDown" if is_presenting() else None)


def _show_way(plan: LessonPlan, place: int, way: int, where: str, shortcut: str | None = None) -> None:
    """Show the button that leads to the lesson's step before or after.

    Args:
        plan: the lesson.
        place: of this page in its path.
        way: -1 or 1.
        where: begins the button's key.
        shortcut: the key that presses it.
    """
    step = (place + way) % len(plan.path)
    label, icon, end = f"Next: **{plan.path[step].title}**", ":material/arrow_forward:", "next"
    if way < 0:
        label, icon, end = "Back", ":material/arrow_back:", "back"
    elif not step:
        label, icon = "End of the lesson", ":material/check:"
    if st.button(label, icon=icon, key=f"{where}_{end}", shortcut=shortcut, type="tertiary"):
        if step:
            plan.shown[step - 1].open()
        go_to(HOME)


def show_foot(page: PageEntry) -> None:
    """Below a lesson's page the way on, and below its last one three questions; else the neighbours in the menu."""
    plan = _followed(page)
    if plan is not None and page == plan.path[-1]:
        show_closing(plan)
    if plan is not None and (step := plan.place(page)):
        with st.container(horizontal=True, horizontal_alignment="distribute", key="foot"):
            _show_way(plan, step, -1, "foot")
            _show_way(plan, step, 1, "foot")
        return
    if page not in PAGES or page == HOME:
        return
    pages = [entry for entry in PAGES if is_shown(entry)]
    place = pages.index(page)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="foot"):
        if place > 0:
            before = pages[place - 1]
            st.page_link(
                before.file, label=f"Back: {before.title}", icon=":material/arrow_back:", width="content"
            )
        if place + 1 < len(pages):
            after = pages[place + 1]
            label = f"Next: **{after.title}**"
            st.page_link(after.file, label=label, icon=":material/arrow_forward:", width="content")


def _followed(page: PageEntry) -> LessonPlan | None:
    """The lesson chosen; on Home the choice itself is drawn later and writes the address."""
    if page == HOME:
        return None
    return _lesson(linked_text(_KEY, _NONE))
