"""A visit: what one run of the app knows, built once and handed on."""

import re
from collections.abc import Hashable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import InputError
from core.language import N_, _, language
from core.presets import CLASSROOM, CLASSROOMS, Preset, classroom_for, classroom_with
from core.records.question import Act, Answer, Question
from core.records.room import Tally
from core.server.room import Room, Seat
from core.server.trained_model import TrainedModel
from core.server.workspace import Workspace
from pages.components.frame.class_code import is_signed_in
from pages.components.frame.links import PRESET, value_of_link
from pages.components.frame.memory import ME, PageMemory, memory_of
from pages.components.frame.presenting import BarPart
from pages.components.frame.seat import join_by_link
from pages.components.frame.session import server_rooms
from pages.components.widgets.state import Linked, linked_choice, set_value, show_refused
from pages.content.lesson_file import unpack_lesson
from pages.content.lesson_plan import LessonPlan, LessonStep
from pages.content.lessons import LINKED, OF_CLASS, OWN_NAMES, known_lessons
from pages.content.pages import LESSON_END, TRAIN, PageEntry

NO_LESSON = "0"


def _lesson_name(text: str) -> str:
    names = NO_LESSON, *known_lessons()
    if text not in (*names, *OWN_NAMES):
        raise ValueError(_("Possible values: {values}.").format(values=", ".join(names)))
    return text


def _step_number(text: str) -> int:
    if not re.fullmatch("[0-9]{1,2}", text):
        raise ValueError(_("Possible values: {values}.").format(values="0–99"))
    return int(text)


LESSON_NAME = Linked("lesson", NO_LESSON, N_("lesson"), str, _lesson_name, of_tab=True)
STEP_NUMBER = Linked("lesson_step", 0, N_("step of the lesson"), str, _step_number, of_tab=True)
PAIRS_OF_TAB = replace(linked_choice("pairs", CLASSROOMS, CLASSROOM, N_("sentence pairs")), of_tab=True)


def use_classroom(preset: Preset) -> None:
    """Let the tab have the fifteen pairs of a classroom preset, before Train's menu of presets is drawn."""
    PAIRS_OF_TAB.set(preset)
    if st.session_state.get(PRESET) in CLASSROOMS:
        set_value(PRESET, preset.name)


def _begin_classroom(memory: PageMemory, seat: Seat | None, is_linked: bool) -> Preset:
    """Return the classroom preset of a tab, and let Train have its pairs in place of another one's.

    It is that of the teacher whom the tab follows, else that of the tab or its address. Where none is named, the reader's
    language chooses; but a link to what the pairs are part of means the same in every language.

    Args:
        memory: what the pages remember of the tab.
        seat: its place in a room.
        is_linked: whether its address is a link to a training or a lesson.
    """
    if seat is not None and seat.follows and not seat.is_teacher and seat.room.classroom:
        use_classroom(CLASSROOMS[seat.room.classroom])
    elif not is_linked and PAIRS_OF_TAB.key not in (*st.session_state, *st.query_params):
        PAIRS_OF_TAB.set(memory.classroom or classroom_for(language().code))
    memory.classroom = PAIRS_OF_TAB.get()
    if memory.pairs != memory.classroom.pairs and classroom_with(memory.pairs) is not None:
        memory.take_pairs(memory.classroom.pairs)
    return memory.classroom


LESSON_IN_ADDRESS = "my_lesson"  # of a link that carries a whole lesson
_UNPACKED = "lesson_unpacked"  # key of st.session_state: the lesson of the link that opened this tab


def _open_linked_lesson(memory: PageMemory) -> None:
    """Open the lesson that a link carries; a reloaded tab that comes back to its work has it too."""
    with value_of_link(LESSON_IN_ADDRESS) as packed:
        if packed:
            try:
                st.session_state[_UNPACKED] = replace(unpack_lesson(packed).plan, name=LINKED)
                open_lesson(LINKED)
            except InputError as error:
                show_refused(LESSON_NAME.name, error)
    memory.linked_lesson = st.session_state.get(_UNPACKED, memory.linked_lesson)


def open_lesson(name: str, number: int = 0) -> None:
    """Follow a lesson, from a step that may share its page with another one."""
    LESSON_NAME.set(name)
    STEP_NUMBER.set(number)


def lessons_of(memory: PageMemory, seat: Seat | None) -> dict[str, LessonPlan]:
    """Return the lessons that a tab can follow, by their names in the address."""
    of_class = _handed_out(seat) if seat is not None else None
    found = *known_lessons().values(), memory.linked_lesson, of_class, memory.lesson
    return {plan.name: plan for plan in found if plan is not None and plan.shown}


def _handed_out(seat: Seat) -> LessonPlan | None:
    """Return the teacher's own lesson that a class is at: the teacher's as it is, others' as the room hands it out."""
    plan: LessonPlan | None = seat.room.lesson
    if plan is None or seat.is_teacher:
        return plan
    place = seat.room.place
    return plan.for_class(place.number if place is not None and place.lesson == OF_CLASS else 0)


def lesson_of_class(room: Room) -> LessonPlan | None:
    """Return the lesson that a class is at."""
    name = room.place.lesson if room.place is not None else ""
    plan: LessonPlan | None = room.lesson if name == OF_CLASS else known_lessons().get(name)
    return plan


def step_of_class(room: Room) -> LessonStep | None:
    """Return the step of a lesson where a class is; None elsewhere."""
    plan = lesson_of_class(room)
    return plan.step(room.place.number) if plan and room.place else None


@dataclass(frozen=True)
class Visit:
    """What one run of the app knows of the tab that it runs for.

    A fragment keeps the visit of the run that drew it. So a visit holds objects that live on, and nothing that is true
    only now.
    """

    page: PageEntry
    workspace: Workspace  # the tab's models and jobs
    seat: Seat | None  # its place in a room
    lesson: LessonPlan | None
    number: int  # of the lesson's step on this page; 0 on Home and where there is none
    classroom: Preset = CLASSROOM  # that the tab trains where nothing else is asked for
    bar: Mapping[BarPart, DeltaGenerator] = field(default_factory=dict)  # empty without presenter mode

    @property
    def memory(self) -> PageMemory:
        """What the pages remember of the tab."""
        return memory_of(self.workspace)

    @property
    def is_current(self) -> bool:
        """Whether the tab is still signed in, and has the seat that it had: a fragment asks anew."""
        return is_signed_in() and server_rooms().seat_of(self.workspace.id) is self.seat

    @property
    def step(self) -> LessonStep | None:
        """The lesson's step on this page; None at its end, too."""
        return self.lesson.step(self.number) if self.lesson else None

    @property
    def attends(self) -> bool:
        """Whether the tab follows a class that is on this page now."""
        seat = self.seat
        if seat is None or seat.is_teacher or not seat.follows:
            return False
        return seat.room.place is not None and seat.room.place.page == self.page.address

    @property
    def leads(self) -> bool:
        """Whether the tab is the teacher's of a room."""
        return self.seat is not None and self.seat.is_teacher

    def may_take(self, plan: LessonPlan) -> bool:
        """Return whether the visitor may print a lesson and change it: that of a class, once the class is at its end.

        The last page of what is printed has the answers.
        """
        if self.seat is None or self.leads or self._is_class_in(plan, at_end=True):
            return True
        return plan.name != OF_CLASS and not self._is_class_in(plan, at_end=False)

    @property
    def waits_for_end(self) -> bool:
        """Whether the class of this tab follows the same lesson, and is not at its end."""
        return not self.leads and self._is_class_in(self.lesson, at_end=False)

    def _is_class_in(self, plan: LessonPlan | None, at_end: bool) -> bool:
        """Return whether the class of this tab is in a lesson, before its end or there."""
        place = self.seat.room.place if self.seat is not None else None
        if place is None or plan is None or place.lesson != plan.name:
            return False
        return (place.page == LESSON_END.address) is at_end

    @property
    def asked_in(self) -> Hashable:
        """In which room the tab is asked, and in which of the lessons that began there; None alone."""
        return None if self.seat is None else (self.seat.room.code, self.seat.room.num_lessons)

    @property
    def class_model(self) -> TrainedModel | None:
        """The model that the teacher of the tab's room has handed to the class."""
        return None if self.seat is None else self.seat.room.model

    def tally(self, question: Question) -> Tally | None:
        """Return how the class has answered, None if the tab is in no room."""
        return None if self.seat is None else self.seat.room.tally(self.seat.token, question)

    def own_tally(self, question: Question) -> Tally:
        """Return how the tab has answered, as if it were a class of one."""
        return self.memory.ledger.tally(question, ME)

    @property
    def rooms_left(self) -> list[Room]:
        """The rooms in which the tab has a seat that it has left."""
        seats = server_rooms().seats_of(self.workspace.id)
        return [seat.room for seat in seats if seat is not self.seat]

    def is_kept_back(self, question: Question) -> bool:
        """Return whether a room of this tab has not told what is right: also one left after answering there."""
        seats = server_rooms().seats_of(self.workspace.id)
        tallies = [(seat, seat.room.tally(seat.token, question)) for seat in seats]
        return any(
            not tally.is_solved and (seat is self.seat or any(own is not None for own in tally.own))
            for seat, tally in tallies
        )

    def counted_tally(self, question: Question) -> Tally:
        """Return how a question was answered where the tab's own answer counts: in its class, else here alone.

        Where the first answer stands in a class, one may try on here.
        """
        of_class = self.tally(question) if self._counts_in_class(question) else None
        is_kept = question.is_final and of_class is not None and of_class.own_last is not None
        return self.own_tally(question) if of_class is None or is_kept else of_class

    def _counts_in_class(self, question: Question) -> bool:
        """Return whether the tab's answer counts in its class: at the end, only of the class's own lesson."""
        if self.seat is None or self.leads:
            return False
        return question.moment != "closing" or self._is_class_in(self.lesson, at_end=True)

    def answer(self, answer: Answer, in_class: bool = True) -> bool:
        """Note an answer, and count it in the tab's class, unless the tab is the teacher's.

        Args:
            answer: the answer.
            in_class: whether the class is asked; else the tab explores on its own.

        Returns:
            Whether it came in time.
        """
        seat = self.seat if in_class and self._counts_in_class(answer.question) else None
        if seat is not None and not seat.room.answer(seat.token, answer):
            return False
        return self.memory.ledger.answer(ME, answer, takes_home=not self.leads)

    def act(self, question: Question, act: Act, in_class: bool = True) -> None:
        """Show what a question's next state shows: to the class that the tab leads, or here alone."""
        if in_class and self.seat is not None:
            self.seat.room.act(question, act)
        else:
            self.memory.ledger.act(question, act)

    def note_class_answers(self) -> None:
        """Note what this person has answered in the room, perhaps on a phone: the answers are kept when it ends."""
        if self.seat is not None:
            for answer in self.seat.room.answers_of(self.seat.token):
                self.memory.ledger.note_first(ME, answer)

    def in_bar(self, part: BarPart) -> AbstractContextManager[object]:
        """Put what is drawn inside into presenter mode's bar; elsewhere, it stays where it is drawn.

        Do not use it in a fragment: Streamlit lets one draw widgets only inside itself.
        """
        return self.bar.get(part, nullcontext())


def begin_visit(page: PageEntry, workspace: Workspace) -> Visit:
    """Join the room that the address names, say if a place in one is lost, and return what this run knows."""
    join_by_link(workspace)
    seat = server_rooms().seat_of(workspace.id)
    memory = memory_of(workspace)
    if seat is None and memory.is_in_room:
        st.toast(
            _("The room has ended, or your place in it went to another tab."),
            icon=":material/group_off:",
        )
    memory.is_in_room = seat is not None
    _open_linked_lesson(memory)
    is_linked = page == TRAIN or LESSON_NAME.key in st.query_params
    classroom = _begin_classroom(memory, seat, is_linked)
    is_first_run = LESSON_NAME.key not in st.session_state
    name = LESSON_NAME.get()
    lesson = lessons_of(memory, seat).get(name)
    if is_first_run and lesson is None and name in OWN_NAMES:
        problem = _(
            "Only the tab in which it was opened has this lesson. Open its own link or file here, or join the room."
        )
        show_refused(LESSON_NAME.name, LookupError(problem))
    number = lesson.number_of(page, STEP_NUMBER.get()) if lesson else None
    if number is not None and lesson is not None:
        # The address has the number only where the page alone does not tell it.
        STEP_NUMBER.set(number if number != lesson.number_of(page) else 0)
    visit = Visit(page, workspace, seat, lesson, number or 0, classroom)
    visit.note_class_answers()
    return visit
