"""The parts that all explaining pages share, in one order: heading, views, what to notice, formula, exercise, code."""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st

from core.language import _
from pages.components.explaining.exercise import offer_exercise
from pages.components.explaining.prediction import offer_prediction, predict_or_end
from pages.components.frame.presenting import is_presenting
from pages.components.frame.visit import Visit
from pages.components.widgets.state import Look, choose, set_value, slider
from pages.content.reader import PAGE_TEXTS, ViewTexts, terms_needed_on


def show_heading(visit: Visit) -> None:
    """Show a page's title and its idea in one sentence."""
    show_title(visit)
    if not is_presenting():  # the presenter says what the page is about; the figure gets the space
        st.markdown(PAGE_TEXTS[visit.page.address].idea)


def show_title(visit: Visit) -> None:
    """Show the title, with the page's glossary entries behind a question mark."""
    page = visit.page.address
    texts = PAGE_TEXTS[page]
    with visit.in_bar("title"):
        st.title(texts.heading or texts.title, anchor=False, help=terms_needed_on(page) or None)


def show_lesson(visit: Visit, texts: ViewTexts, code: Sequence[Callable[..., Any]]) -> None:
    """Show what to notice, the formulas, an exercise and the code that ran.

    Args:
        visit: on the view's page.
        texts: the view's texts.
        code: the functions that ran; not classes, whose source `inspect` finds slowly, by `ast.parse`.
    """
    st.subheader(_("What to notice"))
    st.markdown(texts.notice)
    if texts.formulas:
        st.subheader(_("The formula"))
        for place, each in zip(st.columns(len(texts.formulas), gap="large"), texts.formulas, strict=True):
            place.latex(each.latex)
            place.caption(each.source)
    offer_exercise(visit, texts.exercise)
    if is_presenting():
        return  # code is too small for the back row
    st.subheader(_("The code"))
    for function in code:
        _show_source(function)


def _show_source(function: Callable[..., Any]) -> None:
    """Show a function's source, and its file and line."""
    source, first = _short_source(function)
    st.code(source, language="python", wrap_lines=True)
    file = f"{function.__module__.replace('.', '/')}.py"
    st.caption(_("{file}, line {line}").format(file=file, line=first))


@cache
def _short_source(function: Callable[..., Any]) -> tuple[str, int]:
    """Return a function's source with only the first line of its docstring, and its line in the file.

    The rest (arguments, shapes, errors) would push the code out of sight.
    """
    lines, first = inspect.getsourcelines(function)
    source = textwrap.dedent("".join(lines))  # a method is indented
    return re.sub(r'"""(?!.*""")(.*)\n[\s\S]*?"""', r'"""\1"""', source, count=1), first


@dataclass(frozen=True)
class View:
    """One view of an explaining page; its texts are in the page's file of pages/content."""

    show: Callable[[], None]
    code: tuple[Callable[..., Any], ...]  # the functions whose code is shown
    is_long: bool = False  # longer than a phone's screen: its controls stay above
    asks: bool = False  # its prediction by itself, between its controls and its figure


def show_views(visit: Visit, views: Mapping[str, View], first: str) -> None:
    """Show a choice of views, the chosen view with its prediction above, and its lesson.

    Args:
        visit: on the page of the views.
        views: the views, by their names in the page's file of texts.
        first: the view shown first.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = choose_view(visit, views, first)
    view = views[chosen]
    if not view.asks:
        predict_or_end(visit, chosen)
    # A phone shows the figure before its controls, where both fit on the screen.
    with st.container(key="long_view" if view.is_long else "view"):
        view.show()
    show_lesson(visit, PAGE_TEXTS[visit.page.address].views[chosen], view.code)


def choose_view(visit: Visit, names: Iterable[str], first: str) -> str:
    """Show a choice of views by their names, and offer the prediction of the chosen one; return its name."""
    texts = PAGE_TEXTS[visit.page.address]
    titles = {name: texts.views[name].title for name in names}
    look: Look = "menu" if is_presenting() else "buttons"  # the presenter's bar is short
    with visit.in_bar("view"):
        chosen = choose(_("View"), titles, texts.parameter, default=first, look=look, hide_label=True)
    offer_prediction(visit, texts.views[chosen].prediction)
    return chosen


def choose_step(last: int, key: str, first: int = 1, beside: Callable[[], object] | None = None) -> int:
    """Show a slider over steps with buttons for the previous and the next one; return the step.

    Args:
        last: the number of steps, counted from 1.
        key: the slider's key, also in the address.
        first: the step shown first.
        beside: draws another button beside the two.
    """
    number_place, buttons = st.columns([2, 3] if beside else 2, vertical_alignment="bottom")
    with number_place:
        number = slider(_("Step, 1 to {last}").format(last=last), 1, last, first, key)
    with buttons, st.container(horizontal=True):
        # The lesson bar has its own Back and Next.
        _button(_("Previous step"), ":material/chevron_left:", key, "Left", number - 1, disabled=number == 1)
        _button(_("Next step"), ":material/chevron_right:", key, "Right", number + 1, disabled=number == last)
        if beside is not None:
            beside()
    return number


@st.fragment
def show_steps(last: int, key: str, draw: Callable[[int], None], first: int = 1) -> None:
    """Show the controls of `choose_step` and draw the chosen step; a new one reruns only this part of the page."""
    draw(choose_step(last, key, first))


def _button(label: str, icon: str, key: str, arrow: str, number: int, disabled: bool) -> None:
    st.button(
        label,
        icon=icon,
        on_click=set_value,
        args=(key, number),
        disabled=disabled,
        key=f"{key}_{arrow}",
    )
