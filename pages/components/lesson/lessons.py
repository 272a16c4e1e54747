"""The lesson that a visitor follows: its bar, its steps, and the class that is taken along."""

import time
from dataclasses import replace
from functools import partial
from typing import NoReturn

import streamlit as st

from core.language import _
from core.presets import PAIRS_NAMES, PRESETS, classroom_with
from core.records.room import Place
from core.server.trained_model import TrainedModel
from core.server.workspace import why_no_training
from pages.components.explaining.exercise import ask_exercise, begin_in_class
from pages.components.explaining.prediction import is_predicted, own_question_of_page
from pages.components.explaining.view import show_title
from pages.components.frame.links import PRESET
from pages.components.frame.menu import go_to, link_to, target_of
from pages.components.frame.presenter_switch import show_presenter_buttons
from pages.components.frame.presenting import LEADS_ON, is_presenting
from pages.components.frame.visit import LESSON_NAME, NO_LESSON, Visit, lessons_of, open_lesson, use_classroom
from pages.components.model.choice import (
    current_model,
    is_model_linked,
    shipped_models,
    show_live_training,
    start_classroom_training,
)
from pages.components.pairs.table import replace_pairs
from pages.components.training.player import show_player
from pages.components.widgets.state import choose_linked, open_with
from pages.content.lesson_plan import LessonPlan, LessonStep
from pages.content.lessons import MINE, OF_CLASS
from pages.content.markdown import first_words, plain
from pages.content.pages import ALL_PAGES, CHECKPOINTS, HOME, LESSON_END, PAGES, TRAIN, is_shown
from pages.content.reader import PAGE_TEXTS


def _shipped(visit: Visit) -> TrainedModel | None:
    """Return a shipped model unless a subword model is chosen: the classroom model is never in doubt."""
    chosen = visit.workspace.models.selected
    return None if chosen is not None and chosen.is_subword else next(iter(shipped_models()), None)


def _own(visit: Visit) -> TrainedModel | None:
    """Return the model that the class has, or the one trained last in this tab.

    In a repeated lesson, the shipped one of its last steps is still chosen.
    """
    models = visit.workspace.models
    return visit.class_model or models.trained or next(reversed(models.kept), None)


_TO_THE_TOP = "document.querySelector('[data-testid=stMain]').scrollTo(0, 0)"

# The functions that return the model for a step, by name.
_MODELS = {"shipped": _shipped, "own": _own}


def open_step(visit: Visit, step: LessonStep) -> NoReturn:
    """Open a step's page, with the view, the model and the pairs that its task needs."""
    if step.model and (model := _MODELS[step.model](visit)):
        visit.workspace.models.select(model)
    _take_pairs(visit, step)
    go_to(step.page, _choices_of(step))  # which may name one of several shipped models


def _choices_of(step: LessonStep) -> dict[str, object]:
    """Return what the widgets of a step's page show, by their keys."""
    choices = dict(step.choices)
    if (parameter := PAGE_TEXTS[step.page.address].parameter) and step.view:
        choices[parameter] = step.view
    if step.preset:
        choices[PRESET] = step.preset
    return choices


def _take_pairs(visit: Visit, step: LessonStep) -> None:
    """Let Train have a step's own pairs, or those of its preset, unless the visitor has typed others."""
    memory = visit.memory
    if step.page != TRAIN or memory.pairs not in PAIRS_NAMES:
        return
    preset = PRESETS.get(step.preset)
    pairs = step.pairs or (preset.pairs if preset is not None else ())
    classroom = classroom_with(pairs)
    if classroom is not None:
        use_classroom(classroom)
    elif step.pairs:
        replace_pairs(memory, step.pairs)


def open_number(visit: Visit, plan: LessonPlan, number: int) -> NoReturn:
    """Open a place of a lesson's path: a step with its view and model.

    Args:
        visit: where the visitor is.
        plan: the lesson.
        number: of the step; 0 is Home, and after the last step comes the end.
    """
    open_lesson(plan.name, number)
    page = plan.path[number]
    visit.memory.lesson_moved = page == visit.page
    if page in (HOME, LESSON_END):
        go_to(page)
    visit.memory.lesson_step = plan.name, number
    open_step(visit, plan.shown[number - 1])


def begin_lesson(visit: Visit, plan: LessonPlan) -> NoReturn:
    """Open the first step of a lesson, which asks its questions again, as another class would like."""
    visit.memory.ledger.forget(lambda question: question.moment == "prediction")
    visit.memory.answering = None
    visit.memory.lesson_begun = None
    if visit.seat is not None and visit.leads:
        begin_in_class(plan, visit.seat.room)
    open_number(visit, plan, 1)


def choose_lesson(visit: Visit) -> None:
    """Ask which lesson to follow; shown on Home."""
    titles = {NO_LESSON: _("none")}
    for name, plan in lessons_of(visit.memory, visit.seat).items():
        if not (name == OF_CLASS and visit.leads):
            length = _("{count} min").format(count=plan.minutes)
            titles[name] = first_words(plain(plan.title)) or length
    chosen = visit.lesson.name if visit.lesson is not None else NO_LESSON
    choose_linked(LESSON_NAME, _("Lesson"), titles, chosen, look="buttons")


def show_lesson_bar(visit: Visit) -> bool:
    """Show the lesson bar above a page of the current lesson: step, minutes, task, Back and Next.

    In presenter mode it has Share and Leave too, also without a lesson.

    Returns:
        Whether the page can be shown: not while the model that its step is about does not exist.
    """
    plan = visit.lesson
    number = visit.number
    if plan is None or not number:
        visit.memory.lesson_step = None
        last = last_step(visit)
        if is_presenting() or (last and visit.page != HOME):
            with st.container(horizontal=True, horizontal_alignment="right", key="lesson_bar"):
                if plan is not None and last and visit.page != HOME:
                    _show_way_back(visit, plan, last)
                if is_presenting():
                    show_presenter_buttons(visit)
        return True
    visit.memory.lesson_last = plan.name, number
    step = visit.step
    has_moved = visit.memory.lesson_moved
    visit.memory.lesson_moved = False
    is_ready = step is None or _begin_step(visit, plan, step)
    with st.container(
        border=True, horizontal=True, vertical_alignment="center", gap="small", key="lesson_bar"
    ):
        _show_turn(visit, plan, -1, "lesson")
        if step is None:
            about = [f"**{_end_of(plan)}**", _minutes(visit, plan)]
        else:
            where = _("Step {number} of {steps}").format(number=number, steps=len(plan.shown))
            about = [f"**{where}**", _minutes(visit, plan), task_of(visit, step)]
        st.markdown(" · ".join(about), width="stretch")
        share = min(1.0, number / len(plan.shown))
        st.html(f'<div class="lesson-progress" style="width: {share:.0%}"></div>')
        if has_moved:  # another step on the same page, where the browser would stay
            st.html(f"<script>/* {number} */{_TO_THE_TOP}</script>", unsafe_allow_javascript=True)
        if step is not None and not is_ready:
            _offer_training(visit, step)
        _show_note(visit, plan, step)
        _show_turn(visit, plan, 1, "lesson")
        if is_presenting():
            show_presenter_buttons(visit)
    return is_ready


def last_step(visit: Visit) -> int:
    """Return the step of the lesson that was shown last; 0 where it has not begun, or has ended."""
    plan, last = visit.lesson, visit.memory.lesson_last
    if plan is None or last is None or last[0] != plan.name or last[1] > len(plan.shown):
        return 0
    return last[1]


def _show_way_back(visit: Visit, plan: LessonPlan, number: int) -> None:
    """Show the button to the step that was shown last, on a page that the lesson leaves out."""
    if st.button(
        name_way_back(plan, number), icon=":material/arrow_back:", key="lesson_next", type="tertiary"
    ):
        open_number(visit, plan, number)


def name_way_back(plan: LessonPlan, number: int) -> str:
    """Return what the button to a step that was left says, in Markdown."""
    return _("Back to step {number}: **{title}**").format(number=number, title=plan.title_of(number))


def _minutes(visit: Visit, plan: LessonPlan) -> str:
    """Return the minutes that the lesson has taken beside those planned until the end of the step."""
    memory = visit.memory
    now = time.monotonic()
    if memory.lesson_begun is None or memory.lesson_begun[0] != plan.name:
        memory.lesson_begun = plan.name, now
    used = int((now - memory.lesson_begun[1]) / 60)
    planned = sum(step.minutes for step in plan.shown[: visit.number])
    return _("{used} min, planned {planned}").format(used=used, planned=planned)


def _end_of(plan: LessonPlan) -> str:
    """Return, in Markdown, that a lesson is at its end."""
    if plan.title:
        return _("The end of “{title}”").format(title=plain(plan.title))
    return _("The end of the {count}-minute lesson").format(count=plan.minutes)


def task_of(visit: Visit, step: LessonStep) -> str:
    """Return the task of a step, in Markdown."""
    return (visit.attends and step.class_task) or step.task


def _show_note(visit: Visit, plan: LessonPlan, step: LessonStep | None) -> None:
    """Show the speaker's note, folded, where the lesson is led from and nobody else sees it."""
    if step is None or not step.note or is_presenting() or not (visit.leads or plan.name == MINE):
        return
    with st.popover(_("Notes"), icon=":material/sticky_note_2:"):
        st.markdown(step.note)


def _begin_step(visit: Visit, plan: LessonPlan, step: LessonStep) -> bool:
    """Choose the view and the model of a step when the visitor comes to it, also by the menu or a link.

    What the address names stays chosen, and so does the visitor's choice when the tab is reloaded.

    Returns:
        Whether there is a model that the step is about.
    """
    models = visit.workspace.models
    memory = visit.memory
    if step.model == "own" and _own(visit) is None:
        memory.lesson_step = None
        return False
    here = plan.name, visit.number
    choices = _choices_of(step)
    if memory.lesson_step != here and not any(key in st.query_params for key in choices):
        open_with(step.page.address, choices)
        _take_pairs(visit, step)
    if step.model and not is_model_linked(visit) and memory.lesson_step != here:
        model = _MODELS[step.model](visit)
        # A reloaded tab takes over a model that is set before it gets its workspace back.
        if model is not None and model is not current_model(visit.workspace):
            models.select(model)
    memory.lesson_step = here
    return True


def _offer_training(visit: Visit, step: LessonStep) -> None:
    """Show the button that trains the model that a step is about, or say why it cannot be trained here."""
    workspace = visit.workspace
    preset = PRESETS.get(step.preset, visit.classroom)
    if reason := why_no_training():
        st.caption(_("This step is about a model of your own. {reason}").format(reason=reason))
        link_to(CHECKPOINTS, _("Open a model"))
    elif not workspace.jobs.is_training:
        st.button(
            _("Train it now (some seconds)"),
            type="primary",
            icon=":material/play_arrow:",
            key=LEADS_ON,
            on_click=start_classroom_training,
            args=(workspace, replace(preset, pairs=step.pairs, held_out=()) if step.pairs else preset),
        )


def is_question_answered(visit: Visit) -> bool:
    """Ask the teacher's own question with which a step begins; return whether the page can be shown."""
    asked = own_question_of_page(visit)
    return asked is None or is_predicted(visit, asked, partial(show_title, visit))


def show_question_after(visit: Visit) -> None:
    """Ask the teacher's own question that follows a step's figure."""
    if visit.step and visit.step.own_exercise:
        st.fragment(ask_exercise)(visit, visit.step.own_exercise)


def show_missing_model(visit: Visit) -> None:
    """Say on a page that its step waits for a model, and show the training that makes it."""
    show_title(visit)
    workspace = visit.workspace
    job = workspace.jobs.training
    if job is not None and not why_no_training():
        state = job.state()
        if _own(visit) is not None:  # trained since the bar above the page was drawn
            st.rerun()
        show_live_training(job, state, partial(show_player, job, workspace.jobs.run_before))
    else:
        st.info(
            _("This step is about the model that the first step trains, and this tab has none yet."),
            icon=":material/school:",
        )


def _show_turn(visit: Visit, plan: LessonPlan, way: int, where: str) -> None:
    """Show the button to the previous or next step of a lesson; after the last there is none.

    Args:
        visit: at a step of the lesson.
        plan: the lesson.
        way: -1 for back, 1 for next.
        where: begins the button's key.
    """
    number = visit.number + way
    if number >= len(plan.path):
        return
    label = _("Next: **{title}**").format(title=plan.title_of(number))
    icon = ":material/arrow_forward:"
    end = "next"
    if way < 0:
        label = _("Back")
        icon = ":material/arrow_back:"
        end = "back"
    if st.button(label, icon=icon, key=f"{where}_{end}", type="tertiary"):
        open_number(visit, plan, number)


def show_page_footer(visit: Visit) -> None:
    """Show Back and Next below a page, in the lesson or the menu."""
    page = visit.page
    if visit.lesson is not None and visit.number:
        with st.container(horizontal=True, horizontal_alignment="distribute", key="foot"):
            _show_turn(visit, visit.lesson, -1, "foot")
            _show_turn(visit, visit.lesson, 1, "foot")
        return
    if page not in PAGES or page == HOME:
        return
    pages = [entry for entry in PAGES if is_shown(entry)]
    index = pages.index(page)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="foot"):
        if index > 0:
            before = pages[index - 1]
            st.page_link(
                target_of(before),
                label=_("Back: {title}").format(title=before.title),
                icon=":material/arrow_back:",
                width="content",
            )
        if index + 1 < len(pages):
            after = pages[index + 1]
            label = _("Next: **{title}**").format(title=after.title)
            st.page_link(target_of(after), label=label, icon=":material/arrow_forward:", width="content")


def open_place(visit: Visit, place: Place) -> NoReturn:
    """Open the page or the step of a lesson where a class is."""
    name = place.lesson or NO_LESSON
    open_lesson(name)
    plan = lessons_of(visit.memory, visit.seat).get(name)
    if plan is not None and 0 < place.number < len(plan.path):
        open_number(visit, plan, place.number)
    go_to(next((page for page in ALL_PAGES if page.address == place.page), HOME))
