"""What every explaining page has, in one order."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st

from core.classroom.settings import server_settings
from pages.components.content import (
    PAGE_TEXTS,
    ChoiceExercise,
    Exercise,
    NumberExercise,
    ViewTexts,
    terms_needed_on,
)
from pages.components.session import current_workspace, require_navigation
from pages.components.share import is_presenting
from pages.components.state import Look, choose, set_value, slider


def show_heading(page: str) -> None:
    """Show the title of a page, by its address, and its idea in one sentence."""
    require_navigation()
    show_title(page)
    st.markdown(PAGE_TEXTS[page].idea)


def show_title(page: str) -> None:
    """Show the title, with the glossary's entries of the page behind a question mark: no element of their own."""
    texts = PAGE_TEXTS[page]
    st.title(texts.heading or texts.title, anchor=False, help=terms_needed_on(page) or None)


_CLOSING = "closing_"  # before the keys of what is asked there


def exercises_are_on() -> bool:
    """Whether this server asks anything."""
    return server_settings().exercises


def offer_exercise(exercise: Exercise | None) -> None:
    """Ask it where this server asks anything."""
    if exercise is not None and exercises_are_on():
        show_exercise(exercise)


@st.fragment  # an answer draws nothing else of the page anew
def show_exercise(exercise: Exercise) -> None:
    """The question, what to answer it with, and what comes of the answer."""
    ask_exercise(exercise)


def ask_exercise(exercise: Exercise, closes: bool = False) -> bool | None:
    """As `show_exercise`, in the fragment of the caller; whether the answer is right, None while there is none.

    Args:
        exercise: to do.
        closes: whether it is asked at a lesson's end, where its page may ask it too.
    """
    key = f"{_CLOSING if closes else ''}{exercise.key}"
    with st.container(border=True):
        st.markdown(f"**Exercise.** {exercise.question}")
        right = _ask(exercise, key)
        if not right and st.toggle("Show the answer", key=f"{key}_shown", persist_state="session"):
            st.info(f"**{exercise.shown_answer}.** {exercise.why}", icon=":material/lightbulb:")
    return right


def _ask(exercise: Exercise, key: str) -> bool | None:
    """Let people answer and say how it went; returns whether the answer is right, None while there is none."""
    if isinstance(exercise, ChoiceExercise):
        chosen = st.radio(
            exercise.question,
            exercise.options,
            index=None,
            key=key,
            label_visibility="collapsed",
            persist_state="session",
        )
        if chosen is None:
            return None
        right, hint = exercise.is_right(chosen), exercise.wrong.get(chosen, "")
    else:
        typed = st.number_input(
            "Your answer",
            value=None,
            step=1.0,
            format="%.10g",
            key=key,
            placeholder="A number",
            width=240,
            persist_state="session",
        )
        if typed is None:
            return None
        right, hint = exercise.is_right(typed), exercise.hint
    current_workspace().answers[key] = st.session_state[key]
    if right:
        exact = f"It is {exercise.shown_answer}. " if isinstance(exercise, NumberExercise) else ""
        st.success(f"**Right.** {exact}{exercise.why}", icon=":material/check:")
    else:
        st.warning(f"**Not quite.** {hint}", icon=":material/refresh:")
    return right


def show_lesson(texts: ViewTexts, code: Sequence[Callable[..., Any]]) -> None:
    """Show what to notice, the formulas, an exercise and the code that ran.

    Args:
        texts: of the view.
        code: the functions that ran; no class, whose source `inspect` finds by `ast.parse`.
    """
    st.subheader("What to notice")
    st.markdown(texts.notice)
    st.subheader("The formula")
    for place, each in zip(st.columns(len(texts.formulas), gap="large"), texts.formulas, strict=True):
        place.latex(each.latex)
        place.caption(each.source)
    offer_exercise(texts.exercise)
    if is_presenting():
        return  # nobody reads code from the back row
    st.subheader("The code")
    for function in code:
        _show_source(function)


def _show_source(function: Callable[..., Any]) -> None:
    """The function's own lines, as they ran, and where they stand."""
    source, first = _short_source(function)
    st.code(source, language="python", wrap_lines=True)
    st.caption(f"{function.__module__.replace('.', '/')}.py, line {first}")


@cache
def _short_source(function: Callable[..., Any]) -> tuple[str, int]:
    """Return its source, with the first line of its docstring alone, and where it begins in its file.

    The rest (arguments, shapes, errors) would push the code itself out of sight.
    """
    lines, first = inspect.getsourcelines(function)
    source = textwrap.dedent("".join(lines))  # a method stands further in
    return re.sub(r'"""(?!.*""")(.*)\n[\s\S]*?"""', r'"""\1"""', source, count=1), first


@dataclass(frozen=True)
class View:
    """One of the views of an explaining page; its texts stand in the page's file of pages/content."""

    show: Callable[[], None]
    code: tuple[Callable[..., Any], ...]  # the functions that it shows below
    is_long: bool = False  # longer than a phone's screen: what changes it stays above


def show_views(page: str, views: Mapping[str, View], first: str) -> None:
    """Show a choice of views, the one chosen, and what it teaches.

    Args:
        page: its address, the name of its file of texts.
        views: by their names in the address and in the file.
        first: the one that is shown first.
    """
    texts = PAGE_TEXTS[page]
    titles = {name: texts.views[name].title for name in views}
    look: Look = "menu" if is_presenting() else "buttons"  # in a presenter's bar there is little room
    chosen = choose("View", titles, texts.parameter, default=first, look=look, hide_label=True)
    view = views[chosen]
    # A phone shows the figure before what changes it, where that is near enough.
    with st.container(key="long_view" if view.is_long else "view"):
        view.show()
    show_lesson(texts.views[chosen], view.code)


def choose_step(last: int, key: str, first: int = 1) -> int:
    """A slider over steps, with buttons for the step before and the next one.

    Args:
        last: number of steps, counted from 1.
        key: in the address.
        first: the step that is shown first.
    """
    number_place, buttons = st.columns(2, vertical_alignment="bottom")
    with number_place:
        number = slider(f"Step, 1 to {last}", 1, last, first, key)
    with buttons, st.container(horizontal=True):
        # The lesson's strip has a Back and a Next of its own.
        _button("Previous step", ":material/chevron_left:", key, "Left", number - 1, disabled=number == 1)
        _button("Next step", ":material/chevron_right:", key, "Right", number + 1, disabled=number == last)
    return number


@st.fragment
def show_steps(last: int, key: str, draw: Callable[[int], None]) -> None:
    """Show controls over steps and draw the chosen one; only this part of the page runs again.

    Args:
        last: number of steps, counted from 1.
        key: of the step, in the address.
        draw: the step.
    """
    draw(choose_step(last, key))


def _button(label: str, icon: str, key: str, arrow: str, number: int, disabled: bool) -> None:
    st.button(
        label,
        icon=icon,
        on_click=set_value,
        args=(key, number),
        disabled=disabled,
        key=f"{key}_{arrow}",
        shortcut=arrow if is_presenting() else None,
    )
