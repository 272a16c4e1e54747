"""The parts that all explaining pages share, in one order: heading, views, what to notice, formula, exercise, code."""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.language import _
from pages.components.explaining.exercise import offer_exercise
from pages.components.explaining.prediction import is_predicted, offer_prediction, prediction_of_step
from pages.components.frame.device import is_phone
from pages.components.frame.presenting import is_presenting, look_of_choice
from pages.components.frame.visit import Visit
from pages.components.widgets.state import choose, noting_part, set_value, slider
from pages.content.reader import PAGE_TEXTS, ViewTexts, terms_needed_on


def show_heading(visit: Visit, row: AbstractContextManager[object] = nullcontext()) -> None:  # noqa: B008 - it has no state
    """Show a page's title, which may stand in a row with more, and below it its idea in one sentence."""
    with row:
        show_title(visit)
    if not is_presenting():  # the presenter says what the page is about; the figure gets the space
        st.markdown(PAGE_TEXTS[visit.page.address].idea)


def show_title(visit: Visit) -> None:
    """Show the title, with the page's glossary entries behind a question mark."""
    page = visit.page.address
    texts = PAGE_TEXTS[page]
    with visit.in_bar("title"):
        st.title(texts.heading or texts.title, anchor=False, help=terms_needed_on(page) or None)


_FORMULAS_ACROSS = 2  # a third would not fit beside them


def _show_lesson(visit: Visit, texts: ViewTexts, code: Sequence[Callable[..., Any]]) -> None:
    """Show what to notice, the formulas, an exercise and the code that ran; of a tool, only the exercise.

    Args:
        visit: on the view's page.
        texts: the view's texts.
        code: the functions that ran; not classes, whose source `inspect` finds slowly, by `ast.parse`.
    """
    if code:
        st.subheader(_("What to notice"))
        st.markdown(texts.notice)
    if code and texts.formulas:
        st.subheader(_("The formula"))
        for first in range(0, len(texts.formulas), _FORMULAS_ACROSS):
            row = texts.formulas[first : first + _FORMULAS_ACROSS]
            width = min(_FORMULAS_ACROSS, len(texts.formulas))
            for place, each in zip(st.columns(width, gap="large"), row, strict=False):
                place.latex(each.latex)
                place.caption(each.source)
    offer_exercise(visit, texts.exercise)
    if is_presenting() or not code:
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


T = TypeVar("T")


@dataclass(frozen=True)
class View(Generic[T]):
    """One view of a page: what its controls are, and what its figure is. Where they go is `show_view`'s business."""

    # Draws them; returns what the figure needs, None where there is nothing to show.
    controls: Callable[[], T | None]
    figure: Callable[[T], object]  # draws it, and all that depends on the controls
    code: tuple[Callable[..., Any], ...] = ()  # the functions whose code is shown
    is_long: bool = False  # whether the figure is longer than a phone's screen
    is_divided: bool = False  # whether its controls have a column beside the figure
    changes_page: bool = False  # whether its controls change what is around it: then all is drawn anew


def show_views(visit: Visit, views: Mapping[str, View[Any]], first: str) -> None:
    """Show a choice of views, and the chosen one.

    Args:
        visit: on the page of the views.
        views: the views, by their names in the page's file of texts.
        first: the view shown first.
    """
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        chosen = choose_view(visit, views, first)
    show_view(visit, chosen, views[chosen], row)


def control_row(visit: Visit) -> DeltaGenerator:
    """Return the row of what is chosen above a page's figure: a projector has it in the bar."""
    return visit.bar.get("controls") or st.container(horizontal=True, vertical_alignment="center")


def choose_view(visit: Visit, names: Iterable[str], first: str) -> str:
    """Show a choice of views by their names; return the name of the chosen one."""
    texts = PAGE_TEXTS[visit.page.address]
    titles = {name: texts.views[name].title for name in names}
    with visit.in_bar("view"):
        return choose(
            _("View"), titles, texts.parameter, default=first, look=look_of_choice(), hide_label=True
        )


def show_view(
    visit: Visit,
    name: str,
    view: View[Any],
    row: DeltaGenerator | None = None,
    taught: str | None = None,
) -> None:
    """Show a view: its controls, the question with which the lesson's step begins, its figure, and its lesson.

    The figure and the lesson come once the question is answered. A change of its controls draws only these and the
    figure anew, unless they change what is around them.

    Args:
        visit: on the view's page.
        name: the view's name in the page's file of texts.
        view: the view.
        row: of controls that the page has above it: the question is offered there where no step asks it.
        taught: the name of the texts of its lesson, where it is another; "" for none.
    """
    texts = PAGE_TEXTS[visit.page.address].views
    with st.container() if row is None else row:
        offer_prediction(visit, texts[name].prediction)
    part = _ViewPart(visit, name, view)
    # The presenter's bar is outside, where a fragment draws no widgets.
    draw = part.draw if is_presenting() or view.changes_page else st.fragment(part.draw)
    draw()
    if part.is_shown and taught != "":
        _show_lesson(visit, texts[taught or name], view.code)


@dataclass
class _ViewPart:
    """What a control of a view draws anew: all controls, the question and the figure."""

    visit: Visit
    name: str
    view: View[Any]
    is_shown: bool | None = None  # whether the page's run has shown the figure; None before
    keys: set[str] = field(default_factory=set)  # of the widgets that it has drawn last

    def draw(self) -> None:
        """Draw them for the page's run, or for a control; the page runs again where more than these would change."""
        is_alone = self.is_shown is not None
        if is_alone and not self.visit.is_current:
            st.rerun()
        # Its styles are for windows that are narrow; a phone has its order from here.
        with noting_part(self.keys), st.container(key="phone_view" if is_phone() else "view"):
            is_shown = self._draw()
        if is_alone and is_shown != self.is_shown:
            st.rerun()
        self.is_shown = is_shown

    def _draw(self) -> bool:
        """Draw them, in Python's order, in their places; return whether there is a figure."""
        places = _lay_out(self.visit, self.view)
        with places.controls:
            chosen = self.view.controls()
        if chosen is None:
            return False
        question = prediction_of_step(self.visit, self.name)
        if question is not None:
            with places.question:
                if not is_predicted(self.visit, question):
                    return False
        token = _ABOVE.set(places.above)
        try:
            with places.figure:
                self.view.figure(chosen)
        finally:
            _ABOVE.reset(token)
        return True


# Where the view that is being drawn has what stands above its figure.
_ABOVE: ContextVar[AbstractContextManager[object]] = ContextVar("above", default=nullcontext())  # noqa: B039 - it has no state


def above_figure() -> AbstractContextManager[object]:
    """Return the place of what a view says above its figure; on a projector it stands below, and the figure is first."""
    return _ABOVE.get()


class _Places(NamedTuple):
    """Where the parts of a view go."""

    controls: AbstractContextManager[object]
    question: AbstractContextManager[object]
    figure: AbstractContextManager[object]
    above: AbstractContextManager[object] = nullcontext()


def _lay_out(visit: Visit, view: View[Any]) -> _Places:
    """Return the places of a view, drawn in their order on the page.

    A desk has the controls above the figure, a projector in the bar, and a phone below it, so that the effect of a
    slider is in sight, unless the figure is longer than its screen.
    """
    if is_phone():
        if view.is_long:
            question, controls, figure = (st.container() for _place in range(3))
        else:
            question, figure, controls = (st.container() for _place in range(3))
        return _Places(controls, question, figure)
    if view.is_divided:
        controls, right = st.columns([1, 4])
        if not is_presenting():
            return _Places(controls, right, right)
        with right:  # its tables take the height of the screen: what came of a question stands below them
            figure, above, question = (st.container() for _place in range(3))
        return _Places(controls, question, figure, above)
    if is_presenting():
        return _Places(visit.bar["controls"], st.container(), st.container(), st.container())
    return _Places(nullcontext(), nullcontext(), nullcontext())


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
def show_steps(
    last: int, key: str, draw: Callable[[int], None], first: int = 1, is_steered: bool = False
) -> None:
    """Show the controls of `choose_step` and draw the chosen step; a new one reruns only this part of the page.

    A projector has the controls below the figure, unless it `is_steered` by what stands between them.
    """
    figure: AbstractContextManager[object] = nullcontext()
    if is_presenting() and not is_steered:
        figure = st.container()
    step = choose_step(last, key, first)
    with figure:
        draw(step)


def _button(label: str, icon: str, key: str, arrow: str, number: int, disabled: bool) -> None:
    st.button(
        label,
        icon=icon,
        on_click=set_value,
        args=(key, number),
        disabled=disabled,
        key=f"{key}_{arrow}",
    )
