"""The lessons of 10, 30 and 60 minutes, and the one that a visitor follows."""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn

import streamlit as st

from core.presets import PRESETS
from core.records.room import Place
from core.server.trained_model import TrainedModel
from core.server.workspace import Workspace, why_no_training
from pages.components.explaining.prediction import begin_step
from pages.components.explaining.view import show_title
from pages.components.frame.menu import go_to, link_to, target_of
from pages.components.frame.presenting import LEADS_ON, is_presenting
from pages.components.frame.seat import attends
from pages.components.frame.session import MODEL, current_workspace, memory_of, page_memory
from pages.components.frame.share import show_presenter_buttons
from pages.components.model.choice import (
    all_models,
    class_model,
    current_model,
    label_of,
    select_model,
    shipped_models,
    show_live_training,
    start_classroom_training,
)
from pages.components.model.player import show_player
from pages.components.widgets.state import linked_choice, set_value
from pages.content.lessons import LESSONS, LessonPlan, LessonStep
from pages.content.pages import CHECKPOINTS, HOME, LESSON_END, PAGES, PageEntry, is_shown
from pages.content.reader import PAGE_TEXTS, Exercise


def _shipped(workspace: Workspace) -> TrainedModel | None:
    """Return a shipped model unless a subword model is chosen: the classroom model is never in doubt."""
    chosen = workspace.models.selected
    return None if chosen is not None and chosen.is_subword else next(iter(shipped_models()), None)


def _own(workspace: Workspace) -> TrainedModel | None:
    """Return the model that the class has, or the one trained last in this tab.

    In a repeated lesson, the shipped one of its last steps is still chosen.
    """
    return class_model() or workspace.models.trained or next(reversed(workspace.models.kept), None)


_MODELS = {"shipped": _shipped, "own": _own}
"""The functions that return the model for a step, by name."""


def open_step(step: LessonStep) -> NoReturn:
    """Open a step's page, with the view and the model that its task needs."""
    choices = {key: (value, _title(value)) for key, value in step.choices.items()}
    if (parameter := PAGE_TEXTS[step.page.address].parameter) and step.texts:
        choices[parameter] = step.view, step.texts.title
    if step.model and (model := _MODELS[step.model](current_workspace())):
        choices |= select_model(model)
    if step.preset:
        choices["setting_preset"] = step.preset, PRESETS[step.preset].title
    go_to(step.page, choices)


def _title(value: object) -> Any:
    """Return a value of a step's choices as an address holds it."""
    return value if isinstance(value, list) else str(value).lower() if isinstance(value, bool) else str(value)


def _open_number(plan: LessonPlan, number: int) -> NoReturn:
    """Open a place of a lesson's path: a step with its view and model."""
    page = plan.path[number]
    if page in (HOME, LESSON_END):
        go_to(page)
    open_step(plan.shown[number - 1])


_PLANS: dict[str, LessonPlan | None] = {"0": None, **{str(each): plan for each, plan in LESSONS.items()}}
_LESSON = linked_choice("lesson", _PLANS, None, "lesson")
# Key of the buttons. Other pages cannot read a widget from the address, so the lesson has a key of its own.
_CHOICE = "lesson_choice"


def choose_lesson() -> LessonPlan | None:
    """Ask which lesson to follow; shown on Home."""
    plan = _LESSON.get()
    set_value(_CHOICE, _LESSON.write(plan))
    st.segmented_control(
        "How long is your lesson?",
        list(_PLANS),
        format_func=lambda name: f"{name} min" if _PLANS[name] else "No lesson",
        required=True,
        key=_CHOICE,
        on_change=lambda: _LESSON.set(_PLANS[st.session_state[_CHOICE]]),
    )
    return plan


def show_lesson_bar(page: PageEntry) -> bool:
    """Show the lesson bar above a page of the current lesson: step, minutes, task, Back and Next.

    In presenter mode it has Share and Leave too, also without a lesson.

    Returns:
        Whether the page can be shown: not while the model that its step is about does not exist.
    """
    plan = followed_lesson(page)
    place = plan.place(page) if plan else None
    if plan is None or not place:
        begin_step(None)
        page_memory().lesson_step = None
        if is_presenting():
            with st.container(horizontal=True, horizontal_alignment="right", key="strip"):
                show_presenter_buttons(page)
        return True
    step = plan.shown[place - 1] if page != LESSON_END else None
    begin_step(step.texts if step else None)
    is_ready = step is None or _choose_model_of(plan, step)
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small", key="strip"):
        _show_turn(plan, place, -1, "strip")
        if step is None:
            st.markdown(f"**The end of the {plan.minutes}-minute lesson**", width="stretch")
        else:
            number = f"**Step {place} of {len(plan.shown)}**"
            task = (attends(page.address) and step.class_task) or step.task
            st.markdown(f"{number} · {step.minutes} min · {task}", width="stretch")
        if not is_ready:
            _offer_training()
        _show_turn(plan, place, 1, "strip")
        if is_presenting():
            show_presenter_buttons(page)
    return is_ready


def _choose_model_of(plan: LessonPlan, step: LessonStep) -> bool:
    """Choose the model that a step is about when the visitor comes to it, also by a link; return whether there is one.

    A model of this tab that the address names stays chosen, and so does the visitor's choice when the tab is reloaded.
    """
    workspace = current_workspace()
    memory = memory_of(workspace)
    if step.model == "own" and _own(workspace) is None:
        memory.lesson_step = None
        return False
    here = plan.minutes, step.page.address
    names_model = st.query_params.get(MODEL, "") in map(label_of, all_models(workspace).values())
    if step.model and not names_model and memory.lesson_step != here:
        model = _MODELS[step.model](workspace)
        # A reloaded tab takes over a model that is set before it gets its workspace back.
        if model is not None and model is not current_model(workspace):
            workspace.models.selected = model
    memory.lesson_step = here
    return True


def _offer_training() -> None:
    """Show the button that trains the model that a step is about, or say why it cannot be trained here."""
    workspace = current_workspace()
    if reason := why_no_training():
        st.caption(f"This step is about a model of your own. {reason}")
        link_to(CHECKPOINTS, "Open a model")
    elif not workspace.jobs.is_training:
        st.button(
            "Train it now (some seconds)",
            type="primary",
            icon=":material/play_arrow:",
            key=LEADS_ON,
            on_click=start_classroom_training,
            args=(workspace,),
        )


def show_missing_model(page: PageEntry) -> None:
    """Say on a page that its step waits for a model, and show the training that makes it."""
    show_title(page.address)
    workspace = current_workspace()
    job = workspace.jobs.training
    if job is not None and not why_no_training():
        state = job.state()
        if _own(workspace) is not None:  # trained since the bar above the page was drawn
            st.rerun()
        show_live_training(job, state, partial(show_player, job, workspace.jobs.run_before))
    else:
        st.info(
            "This step is about the model that the first step trains, and this tab has none yet.",
            icon=":material/school:",
        )


def _show_turn(plan: LessonPlan, place: int, way: int, where: str) -> None:
    """Show the button to the previous or next step of a lesson; after the last there is none.

    Args:
        plan: the lesson.
        place: the place of this page in its path.
        way: -1 for back, 1 for next.
        where: begins the button's key.
    """
    number = place + way
    if number >= len(plan.path):
        return
    label = f"Next: **{plan.path[number].title}**"
    icon = ":material/arrow_forward:"
    end = "next"
    if way < 0:
        label = "Back"
        icon = ":material/arrow_back:"
        end = "back"
    if st.button(label, icon=icon, key=f"{where}_{end}", type="tertiary"):
        _open_number(plan, number)


def show_page_footer(page: PageEntry) -> None:
    """Show Back and Next below a page, in the lesson or the menu."""
    plan = followed_lesson(page)
    if plan is not None and (step := plan.place(page)):
        with st.container(horizontal=True, horizontal_alignment="distribute", key="foot"):
            _show_turn(plan, step, -1, "foot")
            _show_turn(plan, step, 1, "foot")
        return
    if page not in PAGES or page == HOME:
        return
    pages = [entry for entry in PAGES if is_shown(entry)]
    place = pages.index(page)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="foot"):
        if place > 0:
            before = pages[place - 1]
            st.page_link(
                target_of(before),
                label=f"Back: {before.title}",
                icon=":material/arrow_back:",
                width="content",
            )
        if place + 1 < len(pages):
            after = pages[place + 1]
            label = f"Next: **{after.title}**"
            st.page_link(target_of(after), label=label, icon=":material/arrow_forward:", width="content")


def open_place(place: Place) -> NoReturn:
    """Open the page or the step of a lesson where a class is."""
    plan = LESSONS.get(place.minutes)
    _LESSON.set(plan)
    if plan is not None and place.number < len(plan.path):
        _open_number(plan, place.number)
    go_to(next((page for page in (*PAGES, LESSON_END) if page.address == place.page), HOME))


def chosen_lesson() -> LessonPlan | None:
    """Return the chosen lesson, also on Home, and leave the address as it is."""
    text = st.session_state.get(_LESSON.key, st.query_params.get(_LESSON.key))
    return _PLANS.get(str(text))


def exercise_of(page: PageEntry) -> Exercise | None:
    """Return the exercise of the current step of the lesson, if it has one."""
    plan = followed_lesson(page)
    step = next((each for each in plan.shown if each.page == page), None) if plan else None
    return step.texts.exercise if step is not None and step.texts is not None else None


def followed_lesson(page: PageEntry) -> LessonPlan | None:
    """Return the chosen lesson; None on Home, where the choice is drawn later and writes the address."""
    if page == HOME:
        return None
    return _LESSON.get()
