"""A lesson of one's own: its steps in order, each with a task, a question and a note; kept as a file or a link."""

from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from core.errors import InputError
from core.language import N_, _, ngettext, quoted, titled
from pages.components.explaining.view import show_heading
from pages.components.frame.collecting import FIRST_TITLE
from pages.components.frame.presenting import PRESENT
from pages.components.frame.share import root_address, show_link, show_reach
from pages.components.frame.uploads import allow_upload, free_upload
from pages.components.frame.visit import LESSON_IN_ADDRESS, Visit, lessons_of
from pages.components.lesson.handout import file_of, show_handout_button
from pages.components.lesson.lessons import begin_lesson, open_number
from pages.components.one_page.offer import offer_lesson_page
from pages.components.widgets.download import show_download
from pages.components.widgets.state import mirror, set_value
from pages.content.lesson_file import (
    MAX_MINUTES,
    MAX_TEXT,
    MAX_TITLE,
    own_question,
    pack_lesson,
    read_lesson,
    tidy_text,
    write_lesson,
)
from pages.content.lesson_plan import NUM_ANSWERS, Asks, LessonPlan, LessonStep, missing_in
from pages.content.lessons import MINE
from pages.content.markdown import plain, typed
from pages.content.pages import TRAIN, is_shown

_FILE = "lesson_file"
# Keys of st.session_state: what was wrong in the file, and the number of the step that is edited.
_PROBLEMS, _EDITED = "lesson_problems", "lesson_edited"
_ASKS: dict[Asks, str] = {
    "ours": N_("The app's question"),
    "before": N_("My own, before the figure"),
    "after": N_("My own, below the figure"),
    "none": N_("No question"),
}


def _show_beginning(visit: Visit) -> None:
    """Show what a lesson can begin with: one that there is, or a file."""
    with st.popover(_("Start from"), icon=":material/library_books:"):
        for name, plan in lessons_of(visit.memory, visit.seat).items():
            if name != MINE and visit.may_take(plan):
                st.button(
                    quoted(plain(plan.title)) if plan.is_own else plan.called,
                    key=f"from_{name}",
                    type="tertiary",
                    on_click=_start_from,
                    args=(visit, plan),
                )
    with st.popover(_("Open a file"), icon=":material/upload:"):
        allow_upload()
        st.file_uploader(
            _("A lesson saved from this page"),
            type=["json"],
            key=_FILE,
            on_change=_open_file,
            args=(visit,),
        )


def _start_from(visit: Visit, plan: LessonPlan) -> None:
    """Begin with the steps of another lesson; those that train, or need a model, name the pairs that this tab has."""
    steps = (
        replace(step, preset=visit.classroom.name)
        if (step.page == TRAIN or step.model == "own") and not (step.preset or step.pairs)
        else step
        for step in plan.steps
    )
    visit.memory.change_lesson(LessonPlan(tuple(steps), title=plan.called))
    st.session_state[_EDITED] = st.session_state[_PROBLEMS] = None


def _open_file(visit: Visit) -> None:
    file = st.session_state.get(_FILE)
    if file is None:
        return
    try:
        read = read_lesson(file.getvalue())
        visit.memory.change_lesson(read.plan)
        st.session_state[_PROBLEMS] = (
            (*read.problems, _("What could not be read was left out.")) if read.problems else ()
        )
        st.session_state[_EDITED] = None
    except InputError as error:
        st.session_state[_PROBLEMS] = (str(error),)
    free_upload(file)


def _show_lesson(visit: Visit, plan: LessonPlan) -> None:
    """Show what can be done with the whole lesson, and its title."""
    name, length = st.columns([3, 1], vertical_alignment="bottom")
    name.text_input(
        _("Title"),
        max_chars=MAX_TITLE,
        **mirror("lesson_title", plan.title, lambda text: _retitle(visit, text)),
    )
    steps = ngettext("**{count}** step", "**{count}** steps", len(plan.steps)).format(count=len(plan.steps))
    minutes = _("{count} min").format(count=plan.minutes)
    length.markdown(f"{steps} · **{minutes}**")
    with st.container(horizontal=True):
        has_steps = bool(plan.shown)
        if st.button(
            _("Preview"),
            key="preview",
            type="primary",
            icon=":material/play_arrow:",
            disabled=not has_steps,
            help=_("The lesson as your class sees it on the projector. Page Down goes on, Esc ends it."),
            on_click=set_value,
            args=(PRESENT, True),
        ):
            begin_lesson(visit, plan)
        _offer_file(plan)
        link = st.popover(
            _("Link"), icon=":material/link:", key="lesson_link", on_change="rerun", disabled=not has_steps
        )
        if link.open:
            with link:
                _show_link(plan)
        show_handout_button(plan, visit.classroom)
        if plan.shown:
            offer_lesson_page(visit, plan)
        _show_beginning(visit)
        before = visit.memory.lesson_before
        if before is not None and before != plan:
            st.button(
                _("Undo"),
                icon=":material/undo:",
                key="undo_lesson",
                on_click=visit.memory.change_lesson,
                args=(before,),
            )


def _retitle(visit: Visit, text: str) -> None:
    visit.memory.lesson = replace(_plan_of(visit), title=tidy_text(text) or _(FIRST_TITLE))


def _offer_file(plan: LessonPlan) -> None:
    try:
        file = write_lesson(plan)
    except InputError as error:
        st.markdown(str(error))
        return
    show_download(_("Save as a file"), lambda: file, f"{file_of(plan)}.json", key="save_lesson")


def _show_link(plan: LessonPlan) -> None:
    try:
        packed = pack_lesson(plan)
    except InputError as error:
        st.markdown(str(error))
        return
    address = f"{root_address()}/?{urlencode({LESSON_IN_ADDRESS: packed})}"
    st.markdown(_("Whoever opens this link has the lesson, without your notes."))
    show_link(address)
    show_reach("my_lesson")


def _plan_of(visit: Visit) -> LessonPlan:
    return visit.memory.lesson or LessonPlan(title=_(FIRST_TITLE))


def _show_step(visit: Visit, plan: LessonPlan, number: int) -> None:
    """Show one step in a row, or all of it where it is edited."""
    step = plan.steps[number]
    is_edited = st.session_state.get(_EDITED) == number
    with st.container(border=True, key=f"lesson_step_{number}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            with st.container():
                minutes = _("{count} min").format(count=step.minutes)
                st.markdown(f"**{number + 1}. {step.title}** · {minutes}")
                st.caption(_about(step))
            for key, label, change, is_off in (
                ("up", _("Up"), partial(_move, visit, number, -1), number == 0),
                ("down", _("Down"), partial(_move, visit, number, 1), number + 1 == len(plan.steps)),
                ("remove", _("Remove"), partial(_remove, visit, number), False),
            ):
                st.button(label, key=f"{key}_{number}", type="tertiary", disabled=is_off, on_click=change)
            if st.button(_("Open"), key=f"open_{number}", type="tertiary", disabled=not is_shown(step.page)):
                open_number(visit, plan, 1 + sum(is_shown(each.page) for each in plan.steps[:number]))
            label = _("Done") if is_edited else _("Edit")
            st.button(label, key=f"edit_{number}", on_click=_edit, args=(None if is_edited else number,))
        if is_edited:
            _show_editor(visit, step, number)


def _about(step: LessonStep) -> str:
    """Return a step's task and what it asks, in Markdown."""
    parts = [typed(step.task) or _("No task yet.")]
    if step.asks in ("before", "after"):
        problem = _("There is no question yet.") if step.question is None else missing_in(step.question)
        asked = titled(f"**{_(_ASKS[step.asks])}**", typed(step.question.question)) if step.question else ""
        parts.append(f":orange[{problem}]" if problem else asked)
    elif step.asks == "ours":
        ours = step.texts.prediction if step.texts else None
        parts.append(
            titled(f"**{_(_ASKS['ours'])}**", ours.question) if ours else _("The app asks nothing here.")
        )
    if not is_shown(step.page):
        parts.append(_("This server does not show the page, so the step is left out."))
    if step.note:
        parts.append(":material/sticky_note_2: " + _("with a note"))
    return " · ".join(parts)


def _edit(number: int | None) -> None:
    st.session_state[_EDITED] = number


def _move(visit: Visit, number: int, way: int) -> None:
    plan = _plan_of(visit)
    steps = [*plan.steps]
    steps[number], steps[number + way] = steps[number + way], steps[number]
    visit.memory.change_lesson(plan.with_steps(*steps))
    st.session_state[_EDITED] = None


def _remove(visit: Visit, number: int) -> None:
    plan = _plan_of(visit)
    visit.memory.change_lesson(plan.with_steps(*plan.steps[:number], *plan.steps[number + 1 :]))
    st.session_state[_EDITED] = None


def _show_editor(visit: Visit, step: LessonStep, number: int) -> None:
    """Show boxes for what can be typed; a change is kept at once."""

    def keep(field: str, value: Any) -> None:
        _change(visit, number, **{field: tidy_text(value) if isinstance(value, str) else value})

    task, note, minutes = st.columns([4, 4, 1])
    task.text_area(
        _("Task: what the class does here"),
        max_chars=MAX_TEXT,
        height=100,
        **mirror("edit_task", step.task, partial(keep, "task")),
    )
    note.text_area(
        _("Note, for you alone"),
        max_chars=MAX_TEXT,
        height=100,
        **mirror("edit_note", step.note, partial(keep, "note")),
    )
    minutes.number_input(
        _("Minutes"), 1, MAX_MINUTES, **mirror("edit_minutes", step.minutes, partial(keep, "minutes"))
    )
    titles = {name: _(title) for name, title in _ASKS.items()}
    st.radio(
        _("Question"),
        list(titles),
        format_func=titles.__getitem__,
        horizontal=True,
        **mirror("edit_asks", step.asks, partial(keep, "asks")),
    )
    if step.asks in ("before", "after"):
        _show_question_editor(visit, step, number)


def _show_question_editor(visit: Visit, step: LessonStep, number: int) -> None:
    asked = step.question or own_question(step.page, "", "", (), "")
    wrong = [*asked.wrong, *[""] * (NUM_ANSWERS[1] - 1)][: NUM_ANSWERS[1] - 1]

    def keep(**changed: Any) -> None:
        texts = {"text": asked.question, "answer": asked.answer, "wrong": wrong, "why": asked.why} | changed
        _change(visit, number, question=own_question(step.page, **texts))

    def keep_text(field: str, text: str) -> None:
        keep(**{field: tidy_text(text)})

    def keep_wrong(place: int, text: str) -> None:
        keep(wrong=[*wrong[:place], tidy_text(text), *wrong[place + 1 :]])

    st.text_input(
        _("My question"),
        max_chars=MAX_TEXT,
        help=_("Put a short formula without commands between dollars: `$d_k$` is shown as $d_k$."),
        **mirror("edit_text", asked.question, partial(keep_text, "text")),
    )
    right, *others = st.columns(NUM_ANSWERS[1])
    right.text_input(
        _("The right answer"),
        max_chars=MAX_TEXT,
        **mirror("edit_answer", asked.answer, partial(keep_text, "answer")),
    )
    for place, column in enumerate(others):
        column.text_input(
            _("A wrong one") if place == 0 else _("Another (optional)"),
            max_chars=MAX_TEXT,
            **mirror(f"edit_wrong_{place}", wrong[place], partial(keep_wrong, place)),
        )
    st.text_input(
        _("Why it is right"),
        max_chars=MAX_TEXT,
        **mirror("edit_why", asked.why, partial(keep_text, "why")),
    )


def _change(visit: Visit, number: int, **values: Any) -> None:
    """Change a step."""
    plan = _plan_of(visit)
    step = replace(plan.steps[number], **values)
    visit.memory.lesson = plan.with_steps(*plan.steps[:number], step, *plan.steps[number + 1 :])


def main(visit: Visit) -> None:
    show_heading(visit)
    plan = visit.memory.lesson
    if problems := st.session_state.get(_PROBLEMS):
        st.warning("\n".join(f"- {plain(each)}" for each in problems), icon=":material/rule:")
    if plan is None:
        with st.container(horizontal=True):
            _show_beginning(visit)
        return
    _show_lesson(visit, plan)
    for number in range(len(plan.steps)):
        _show_step(visit, plan, number)
