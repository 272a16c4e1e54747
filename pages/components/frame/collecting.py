"""A view as a step of a lesson of one's own: the page as it stands, with the model and the pairs that it needs."""

from collections.abc import Mapping

import streamlit as st

from core.language import N_, _
from core.presets import CLASSROOM, PRESETS
from pages.components.frame.links import MODEL, PRESET
from pages.components.frame.visit import Visit
from pages.components.widgets.state import shown_choices
from pages.content.lesson_file import MAX_PAIRS, MAX_STEPS, is_choice, is_of_page
from pages.content.lesson_plan import LessonPlan, LessonStep, StepModel
from pages.content.lessons import LESSONS
from pages.content.pages import HOME, PAGES
from pages.content.reader import PAGE_TEXTS

_MINUTES = 3  # that are proposed where no lesson of ours has the view
FIRST_TITLE = N_("My lesson")


def offer_step(visit: Visit) -> None:
    """Show the button that adds the view to the lesson of one's own."""
    if visit.page == HOME or visit.page not in PAGES:
        return
    plan = visit.memory.lesson or LessonPlan(title=_(FIRST_TITLE))
    is_full = len(plan.steps) >= MAX_STEPS
    if st.button(
        _("Add this to my lesson"),
        icon=":material/playlist_add:",
        key="add_to_lesson",
        disabled=is_full,
        help=_("A lesson has at most {count} steps.").format(count=MAX_STEPS)
        if is_full
        else _("The page as it is now becomes a step: view, model, sentence and all choices."),
    ):
        step = step_of_view(visit, shown_choices())
        visit.memory.change_lesson(plan.with_steps(*plan.steps, step))
        st.toast(
            _("Step {number} of your lesson: {title}.").format(number=len(plan.steps) + 1, title=step.title)
            + f" {_about_model(visit, step)}",
            icon=":material/playlist_add_check:",
        )
        st.rerun()


def step_of_view(visit: Visit, shown: Mapping[str, object]) -> LessonStep:
    """Return the page of a visit as it stands, with the task that we propose for it.

    Args:
        visit: on the page.
        shown: what its widgets show, by their keys.
    """
    page = visit.page
    texts = PAGE_TEXTS[page.address]
    memory = visit.memory
    choices = {key: value for key, value in shown.items() if is_of_page(key) and is_choice(value)}
    view = str(choices.pop(texts.parameter, "")) or next(iter(texts.views), "")
    model: StepModel = ""
    if chosen := choices.pop(MODEL, ""):
        is_own = chosen in [each.id for each in (*visit.workspace.models.kept, visit.class_model) if each]
        model = "own" if is_own else "shipped"
        if not is_own:
            choices[MODEL] = chosen
    usual = next((each for each in PRESETS.values() if each.pairs == memory.pairs), CLASSROOM)
    preset = str(choices.pop(PRESET, usual.name if model == "own" else ""))
    if preset and preset not in PRESETS:  # a lesson carries few pairs
        preset = usual.name
    has_own_pairs = bool(preset) and memory.pairs != PRESETS[preset].pairs
    known = _like(page.address, view)
    return LessonStep(
        page=page,
        minutes=known.minutes if known else _MINUTES,
        task=known.task if known else texts.line,
        class_task=known.class_task if known else "",
        view=view,
        model=model,
        preset=preset,
        pairs=memory.complete_pairs[:MAX_PAIRS] if has_own_pairs else (),
        choices=choices,
    )


def _like(address: str, view: str) -> LessonStep | None:
    """Return the step of our lessons that shows a view."""
    steps = (step for plan in reversed([*LESSONS.values()]) for step in plan.steps)
    return next((step for step in steps if (step.page.address, step.view) == (address, view)), None)


def _about_model(visit: Visit, step: LessonStep) -> str:
    """Say what the class will have instead of a model that only this tab has."""
    models = visit.workspace.models
    if step.model != "own":
        return ""
    if models.selected is not None and models.selected not in (models.trained, visit.class_model):
        return _(
            "Your class does not have the model that you opened here: the step is about one that it trains first."
        )
    return _("The class trains this model first, where it does not have it yet.")
