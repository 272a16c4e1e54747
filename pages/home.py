"""The first page: what to press first, a picture, what else there is for those who come, the pages."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import streamlit as st

from core.figures.svg.architecture import architecture_svg
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.language import _, ngettext
from core.presets import CLASSROOM, PRESETS
from core.server.settings import server_settings
from core.server.workspace import why_no_training
from pages.components.explaining.exercise import ABOUT_BEFORE, ask_before, asked_before
from pages.components.explaining.figure import ON_ONE_SCREEN, show_svg
from pages.components.explaining.view import show_heading
from pages.components.frame.menu import go_to, link_to, target_of
from pages.components.frame.presenting import is_presenting
from pages.components.frame.session import lead_from_here, room_led_elsewhere
from pages.components.frame.share import ask_room_code, offer_new_room
from pages.components.frame.visit import Visit
from pages.components.lesson.handout import show_handout_button
from pages.components.lesson.lessons import (
    begin_lesson,
    choose_lesson,
    last_step,
    name_way_back,
    open_number,
    open_step,
    task_of,
)
from pages.components.model.analysis import analyze
from pages.components.model.choice import (
    current_model,
    shipped_models,
    show_training_off,
    start_classroom_training,
)
from pages.components.model.facts import languages_of
from pages.components.model.living import show_living
from pages.components.widgets.state import toggle
from pages.content.lesson_plan import LessonPlan
from pages.content.lessons import QUICK_STARTS, QuickStart
from pages.content.markdown import plain
from pages.content.pages import HOME, MY_LESSON, PAGES, TRANSLATE, is_shown
from pages.content.reader import GLOSSARY, terms_of

ButtonLook = Literal["primary", "secondary", "tertiary"]


def _show_first_button(visit: Visit) -> None:
    """Show what to press first: one's room in another tab, the chosen lesson, else a training to watch."""
    room = room_led_elsewhere(visit.workspace) if visit.seat is None else None
    if room is not None:
        st.button(
            "**" + _("Back to my room {code}").format(code=room.code) + "**",
            icon=":material/groups:",
            type="primary",
            key="back_to_room",
            on_click=lead_from_here,
            args=(visit.workspace,),
        )
    plan = visit.lesson
    has_lesson = plan is not None and bool(plan.shown)
    if plan is not None and has_lesson:
        label = _("Start the {count}-minute lesson").format(count=plan.minutes)
        if plan.title:
            label = _("Start “{title}”").format(title=plain(plan.title))
        look: ButtonLook = "primary" if room is None else "secondary"
        last = last_step(visit)
        if last:
            if st.button(name_way_back(plan, last), icon=":material/arrow_forward:", type=look, key="begin"):
                open_number(visit, plan, last)
            look = "secondary"
        key = "begin_again" if last else "begin"
        if st.button(f"**{label}**", icon=":material/play_arrow:", type=look, key=key):
            begin_lesson(visit, plan)
    _offer(visit, QUICK_STARTS["first"], "secondary" if has_lesson or room is not None else "primary")


def _offer(visit: Visit, starts: Sequence[QuickStart], look: ButtonLook = "tertiary") -> None:
    """Show a button for each of some ways to begin, and begin where one is clicked."""
    workspace = visit.workspace
    for start in starts:
        step = start.step
        if step.preset == CLASSROOM.name:
            step = replace(step, preset=visit.classroom.name)
        if not is_shown(step.page):
            continue
        is_off = bool(step.preset) and (workspace.jobs.is_training or bool(why_no_training()))
        clicked = st.button(
            start.title,
            type=look,
            icon=step.page.icon,
            disabled=is_off,
            help=step.task,
            key=f"quick_start_{start.name}",
        )
        if clicked:
            if step.preset:
                start_classroom_training(workspace, PRESETS[step.preset])
            open_step(visit, step)


def _show_doors(visit: Visit) -> None:
    """Show what else to do here, for each of those who come: a teacher, a student, somebody with texts."""
    with st.container(key="doors"):
        teach, look, own = st.columns([7, 6, 5], border=True)
    with teach:
        st.markdown("#### " + _("Teach a class"))
        choose_lesson(visit)
        with st.container(horizontal=True):
            if visit.lesson is not None and visit.may_take(visit.lesson):
                show_handout_button(visit.lesson, visit.classroom)
            if server_settings().rooms and visit.seat is None:
                offer_new_room(visit, _("Open a room"), "home_room")
            link_to(MY_LESSON, _("Make my own lesson"))
    with look:
        st.markdown("#### " + _("Look inside a trained model"))
        _offer(visit, QUICK_STARTS["look"])
        _offer_translation(visit)
    with own:
        st.markdown("#### " + _("Use your own sentences"))
        _offer(visit, QUICK_STARTS["own"])


def _offer_translation(visit: Visit) -> None:
    """Show a button for each shipped model, which opens Translate with it."""
    for model in shipped_models() if is_shown(TRANSLATE) else []:
        if st.button(
            _("Translate {languages}").format(languages=languages_of(model) or model.name),
            icon=TRANSLATE.icon,
            type="tertiary",
            key=f"open_{model.id}",
            help=_(
                "{model}: a trained model that comes with the app, with nothing to download or train."
            ).format(model=model.name),
        ):
            visit.workspace.models.select(model)
            go_to(TRANSLATE)


_EXAMPLE = 30  # characters: a sentence of this length is easy to read in half a page


def _show_picture(visit: Visit) -> None:
    """Show a sentence running through the current model; without a model, the parts of the classroom model."""
    model = current_model(visit.workspace)
    examples = model.checkpoint.examples if model else ()
    if model is not None and examples:
        sentence = min((pair.source for pair in examples), key=lambda text: abs(len(text) - _EXAMPLE))
        try:
            show_living(model, analyze(model, _pair_of, sentence), quiet=True)
            return
        except ValueError:
            # The weights overflow, or the example is too long: show the parts instead.
            pass
    name = _("The classroom model")
    config = visit.classroom.model
    source, target = map(_, visit.classroom.languages)
    if model is not None:
        name = plain(model.name)
        config = model.checkpoint.config
        source = _(model.source_language) or _("Source")
        target = _(model.target_language) or _("Target")
    show_svg(ON_ONE_SCREEN + architecture_svg(config, (source, target)))
    captions = {
        "pre": _("{model}, pre-norm. ⊕ adds the residual connection."),
        "post": _("{model}, post-norm. ⊕ adds the residual connection."),
    }
    st.caption(captions[config.norm].format(model=name), text_alignment="center")


def _pair_of(tracer: Tracer, sentence: str) -> ForcedPair:
    return ForcedPair.of_text(tracer.translator, sentence)


def _show_questions_before(visit: Visit) -> None:
    """Ask a class in a room what it knows before the lesson, by the questions of its end."""
    plan = visit.lesson
    seat = visit.seat
    if plan is None or seat is None or seat.is_teacher:
        return
    questions = asked_before(plan, seat.room)
    if not questions:
        return
    title = _("Before the lesson: what do you think?")
    with st.expander(title, icon=":material/psychology:", expanded=True):
        for exercise in questions:
            ask_before(visit, exercise)
        st.caption(_(ABOUT_BEFORE))


def _show_guided_path(visit: Visit, plan: LessonPlan | None) -> None:
    """Show the steps of the chosen lesson and the pages outside it; without a lesson, show all pages."""
    beyond = tuple(page for page in PAGES if page != HOME and is_shown(page))
    if plan is not None:
        st.subheader(plain(plan.title) or plan.called)
        for number, step in enumerate(plan.shown, start=1):
            button, text = st.columns([2, 5], vertical_alignment="center", gap="small")
            label = f"{number}. **{plan.title_of(number)}**"
            key = f"step_{number}"
            if button.button(label, icon=step.page.icon, type="tertiary", key=key):
                open_number(visit, plan, number)
            minutes = _("{count} min").format(count=step.minutes)
            text.markdown(f"{minutes} · {task_of(visit, step)}")
        beyond = plan.beyond
    if beyond:
        st.subheader(_("More pages") if plan else _("All pages"))
        for page in beyond:
            link, text = st.columns([2, 5], vertical_alignment="center", gap="small")
            link.page_link(target_of(page), label=f"**{page.title}**", icon=page.icon)
            text.markdown(page.line)


def _show_glossary() -> None:
    """Show the glossary, by page."""
    st.subheader(_("Glossary"))
    st.caption(
        ngettext(
            "{count} term. Section numbers refer to Vaswani et al. 2017, “Attention Is All You Need”. The ? beside "
            "a page's title explains that page's terms.",
            "{count} terms. Section numbers refer to Vaswani et al. 2017, “Attention Is All You Need”. The ? beside "
            "a page's title explains that page's terms.",
            len(GLOSSARY),
        ).format(count=len(GLOSSARY))
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
    left, right = st.columns([1, 3] if is_presenting() else [3, 4], gap="medium")
    with left:
        show_heading(visit)
        with st.container(horizontal=True):
            _show_first_button(visit)
            if server_settings().rooms and visit.seat is None:
                with st.popover(_("Join a room"), icon=":material/groups:"):
                    ask_room_code(visit, _("The code that your teacher shows"))
        if reason := why_no_training():
            show_training_off(reason)
        if visitor.jobs.is_training:
            training = _("A model is training: see the Train page.")
            st.caption(f":material/hourglass_top: {training}")
    with right:
        _show_picture(visit)
    _show_doors(visit)
    hint = _("Terms, with the sections of the paper and the pages that show them.")
    if toggle(_("Glossary"), False, "glossary", help=hint):
        _show_glossary()
    else:
        _show_guided_path(visit, lesson)
