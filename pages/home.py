"""The first page: what to do, the current model, the lessons."""

import streamlit as st

from core.figures.svg.architecture import architecture_svg
from core.interpretability.teacher_forcing import Tracer
from core.presets import CLASSROOM, PRESETS
from core.records.text import Translation
from core.server.settings import server_settings
from core.server.workspace import Workspace, why_no_training
from pages.components.explaining.figure import ON_ONE_SCREEN, show_svg
from pages.components.explaining.view import ask_before, before_and_after, show_heading
from pages.components.frame.menu import go_to, target_of
from pages.components.frame.share import ask_room_code
from pages.components.frame.visit import Visit
from pages.components.lesson.handout import show_handout_button
from pages.components.lesson.lessons import choose_lesson, open_step
from pages.components.model.analysis import analyze
from pages.components.model.choice import (
    current_model,
    describe_current_model,
    languages_of,
    select_model,
    shipped_models,
    show_training_off,
    start_classroom_training,
)
from pages.components.model.living import show_living
from pages.components.widgets.markdown import plain
from pages.components.widgets.state import toggle
from pages.content.lessons import QUICK_STARTS, LessonPlan, LessonStep, closing_questions
from pages.content.pages import HOME, PAGES, TRAIN, TRANSLATE, is_shown
from pages.content.reader import GLOSSARY, terms_of


def _show_quick_starts(visitor: Workspace) -> LessonStep | None:
    """Show a button for each way to begin, and return the one that was clicked."""
    clicked = None
    with st.container(key="quick_starts"):
        for title, step in QUICK_STARTS.items():
            if not is_shown(step.page):
                continue
            needs_training = step.page == TRAIN
            with st.container():
                if st.button(
                    title,
                    type="primary" if needs_training else "secondary",
                    icon=step.page.icon,
                    disabled=needs_training and (visitor.jobs.is_training or bool(why_no_training())),
                    key=f"quick_start_{title.lower().replace(' ', '_')}",
                    width="stretch",
                ):
                    clicked = step
                st.caption(step.task)
    return clicked


def _show_shipped_buttons(visit: Visit) -> None:
    """Show a button for each shipped model, which opens Translate with it."""
    models = shipped_models() if is_shown(TRANSLATE) else []
    if models:
        st.caption("Or translate with a trained model:")
    with st.container(horizontal=True):
        for model in models:
            if st.button(
                languages_of(model) or model.name,
                key=f"open_{model.id}",
                help=f"{model.name}: a trained model that comes with the app, with nothing to download or train.",
            ):
                go_to(TRANSLATE, select_model(visit, model))


_EXAMPLE = 30  # characters: a sentence of this length is easy to read in half a page


def _show_picture(visit: Visit) -> None:
    """Show a sentence running through the current model; without a model, the parts of the classroom model."""
    model = current_model(visit.workspace)
    examples = model.checkpoint.examples if model else ()
    if model is not None and examples:
        sentence = min((pair.source for pair in examples), key=lambda text: abs(len(text) - _EXAMPLE))
        try:
            show_living(model, analyze(model, _translation_of, sentence), quiet=True)
            return
        except ValueError:
            # The weights overflow, or the example is too long: show the parts instead.
            pass
    name = "The classroom model"
    config = CLASSROOM.model
    source = "French"
    target = "English"
    if model is not None:
        name = plain(model.name)
        config = model.checkpoint.config
        source, target = model.source_language or "Source", model.target_language or "Target"
    show_svg(ON_ONE_SCREEN + architecture_svg(config, (source, target)))
    st.caption(f"{name}, {config.norm}-norm. ⊕ adds the residual connection.", text_alignment="center")


def _translation_of(tracer: Tracer, sentence: str) -> Translation:
    return tracer.translator.translate([sentence], typed=True)[0]


def _show_questions_before(visit: Visit) -> None:
    """Ask a class in a room what it knows before the lesson, by the questions of its end."""
    plan = visit.lesson
    seat = visit.seat
    if plan is None or seat is None or seat.is_teacher or not server_settings().exercises:
        return
    questions = [exercise for _, exercise in closing_questions(plan)]
    ended = [before_and_after(each)[1] for each in questions]
    if any(seat.room.tally(seat.token, each).answered for each in ended):
        return  # the class has been through the lesson
    with st.expander("Before the lesson: what do you think?", icon=":material/psychology:", expanded=True):
        for exercise in questions:
            ask_before(visit, exercise)
        st.caption("You will see these again at the end. A guess is fine.")


def _show_guided_path(visit: Visit, plan: LessonPlan | None) -> None:
    """Show the steps of the chosen lesson and the pages outside it; without a lesson, show all pages."""
    beyond = tuple(page for page in PAGES if page != HOME and is_shown(page))
    if plan is not None:
        heading, handout = st.columns([5, 1], vertical_alignment="center")
        heading.subheader(f"The {plan.minutes}-minute lesson")
        with handout:
            show_handout_button(plan)
        for number, step in enumerate(plan.shown, start=1):
            button, text = st.columns([2, 5], vertical_alignment="center", gap="small")
            label = f"{number}. **{step.page.title}**"
            key = f"step_{number}"
            if button.button(label, icon=step.page.icon, type="tertiary", key=key):
                open_step(visit, step)
            text.markdown(f"{step.minutes} min · {step.task}")
        beyond = plan.beyond
    if beyond:
        st.subheader("More pages" if plan else "All pages")
        for page in beyond:
            link, text = st.columns([2, 5], vertical_alignment="center", gap="small")
            link.page_link(target_of(page), label=f"**{page.title}**", icon=page.icon)
            text.markdown(page.line)


def _show_glossary() -> None:
    """Show the glossary, by page."""
    st.subheader("Glossary")
    st.caption(
        f"{len(GLOSSARY)} terms. Section numbers refer to Vaswani et al. 2017, “Attention Is All You Need”. The ? beside "
        "a page's title explains that page's terms."
    )
    for page in PAGES:
        if terms := terms_of(page.address):
            if is_shown(page):
                st.page_link(target_of(page), label=f"**{page.title}**", icon=page.icon)
            st.markdown(terms)


def main(visit: Visit) -> None:
    visitor = visit.workspace
    lesson = visit.lesson
    _show_questions_before(visit)
    left, right = st.columns([3, 4], gap="large")
    with left:
        show_heading(visit)
        start = _show_quick_starts(visitor)
        if reason := why_no_training():
            show_training_off(reason)
        _show_shipped_buttons(visit)
        describe_current_model(visitor)
        choose_lesson(lesson)
        with st.container(horizontal=True):
            if lesson is not None and lesson.shown:
                label = f"**Start the {lesson.minutes}-minute lesson**"
                if st.button(label, icon=":material/play_arrow:", key="begin"):
                    visit.memory.predictions.clear()  # it asks again, as another class would like
                    open_step(visit, lesson.shown[0])
            if server_settings().rooms and visit.seat is None:
                with st.popover("Join a room", icon=":material/groups:"):
                    ask_room_code(visit, "The code that your teacher shows")
    with right:
        _show_picture(visit)
    if start is not None:
        if start.page == TRAIN:
            start_classroom_training(visitor, PRESETS[start.preset])
        open_step(visit, start)
    hint = "Terms, with the sections of the paper and the pages that show them."
    if toggle("Glossary", False, "glossary", help=hint):
        _show_glossary()
    else:
        _show_guided_path(visit, lesson)
