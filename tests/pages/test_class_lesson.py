"""A lesson of the teacher's own in a room: the class is asked its questions, and reads nothing that is not for it yet."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.checkpoints.checkpoint import Checkpoint
from core.records.question import ChoiceQuestion
from core.records.room import Place
from core.server.room import Room
from core.server.trained_model import TrainedModel
from pages.components.frame.session import server_rooms
from pages.components.frame.visit import NO_LESSON
from pages.content.lesson_file import own_question
from pages.content.lesson_plan import LessonPlan, LessonStep
from pages.content.lessons import LESSONS, MINE, OF_CLASS
from pages.content.pages import HOME, LESSON_END, MASKS, MY_LESSON, POSITIONAL_ENCODING, TRANSLATE
from tests.conftest import ChangeSetting
from tests.pages.conftest import change, go_to, linked, open_page, press, remembered, texts, workspace_of


def asked(number: int) -> ChoiceQuestion:
    return own_question(
        MASKS, f"Question {number}?", f"Right {number}", [f"Wrong {number}"], f"Reason {number}"
    )


STEP = LessonStep(MASKS, 3, "Look.", note="For the teacher.", view="causal", asks="before", question=asked(1))
WAVES = replace(STEP, page=POSITIONAL_ENCODING, view="waves", question=asked(2))
PLAN = LessonPlan((STEP, WAVES, replace(STEP, asks="after", question=asked(3))), title="Own")


@pytest.fixture
def teacher() -> AppTest:
    """Return the tab of a teacher who leads a class through the first step."""
    app = open_page(HOME.file)
    remembered(app).change_lesson(PLAN)
    server_rooms().open(workspace_of(app).id)
    return go_to(app, MASKS.file, lesson=MINE)


@pytest.fixture
def room(teacher: AppTest) -> Room:
    seat = server_rooms().seat_of(workspace_of(teacher).id)
    assert seat is not None
    assert seat.room.place == Place(MASKS.address, OF_CLASS, 1)
    return seat.room


@pytest.fixture
def student(room: Room) -> AppTest:
    """Return a tab of the class, which has followed its teacher."""
    return change(linked(HOME.file, room=room.code))


def questions_shown(app: AppTest) -> list[str]:
    """Return which of the teacher's questions a tab shows."""
    said = texts(app)
    return [str(number) for number in (1, 2, 3) if f"Question {number}?" in said]


def test_a_class_has_no_notes_and_only_the_question_of_the_step_where_it_is() -> None:
    whole = [step.question for step in PLAN.steps]
    for number in range(5):
        steps = PLAN.for_class(number).steps
        assert [step.note for step in steps] == ["", "", ""]
        is_at_end = number == len(whole) + 1
        assert [step.question for step in steps] == [
            each if is_at_end or place == number else None for place, each in enumerate(whole, start=1)
        ]


def test_a_class_has_no_steps_on_pages_that_the_server_does_not_show(change_setting: ChangeSetting) -> None:
    change_setting("pages", MASKS.address)
    assert [step.page for step in PLAN.for_class(1).steps] == [MASKS, MASKS]


def test_in_a_class_a_step_is_about_its_model_whatever_a_tab_has_trained(
    room: Room, student: AppTest, checkpoint: Checkpoint
) -> None:
    ours = TrainedModel("Ours", checkpoint)
    room.hand_over(ours)
    models = workspace_of(change(student)).models
    models.adopt(TrainedModel("Trained here", checkpoint))
    assert models.selected is models.trained
    room.go_to(Place(TRANSLATE.address, "10", LESSONS["10"].path.index(TRANSLATE)))
    assert change(student).title[0].value == TRANSLATE.title
    assert models.selected is ours


@pytest.mark.slow
def test_a_class_votes_on_its_teacher_s_question_and_sees_the_answer_once_it_is_revealed(
    teacher: AppTest, room: Room, student: AppTest
) -> None:
    assert questions_shown(student) == ["1"] and not student.slider
    (question,) = (step.prediction for step in PLAN.shown[:1] if step.prediction)
    wrong = "AB"[1 - question.right_option]
    press(student, f"{question.key}_{wrong}")
    assert "Reason" not in texts(student) and not student.slider
    for key in ("room_show", "room_solve"):
        press(change(teacher), key)
    assert room.tallies()[0].is_solved
    change(student)
    assert "Reason 1" in texts(student) and "Right 1" in texts(student) and student.slider


@pytest.mark.slow
def test_a_page_waits_for_the_teacher_s_question_also_outside_the_lesson_and_the_room(
    teacher: AppTest, room: Room, student: AppTest
) -> None:
    (question,) = (step.prediction for step in PLAN.shown[:1] if step.prediction)
    go_to(student, MASKS.file, lesson=NO_LESSON, masks_view="causal")
    assert questions_shown(student) == ["1"] and not student.slider
    press(student, "room_leave")
    assert "Reason" not in texts(student) and not student.slider
    room.act(question, "solve")
    assert change(student).slider


@pytest.mark.slow
def test_a_student_who_explores_is_not_asked_what_the_class_will_be_asked(
    teacher: AppTest, student: AppTest
) -> None:
    go_to(student, POSITIONAL_ENCODING.file, lesson=OF_CLASS)
    assert questions_shown(student) == [] and "For the teacher." not in texts(student)
    go_to(teacher, POSITIONAL_ENCODING.file)
    assert questions_shown(change(student)) == ["2"]
    go_to(student, MASKS.file, lesson=OF_CLASS)
    assert questions_shown(student) == [], "that is over"


@pytest.mark.slow
def test_the_handout_and_the_lesson_to_change_open_at_the_end_without_notes(
    teacher: AppTest, room: Room, student: AppTest, downloaded: Callable[[str], bytes]
) -> None:
    def offers(app: AppTest) -> tuple[bool, bool]:
        has_handout = bool(go_to(app, HOME.file, lesson=OF_CLASS).get("download_button"))
        keys = [button.key for button in go_to(app, MY_LESSON.file).button]
        return has_handout, f"from_{OF_CLASS}" in keys

    assert offers(student) == (False, False)
    go_to(teacher, LESSON_END.file)
    assert room.place == Place(LESSON_END.address, OF_CLASS, 4)
    assert offers(student) == (True, True)
    press(student, f"from_{OF_CLASS}")
    taken = remembered(student).lesson
    assert taken is not None
    assert taken.steps == tuple(replace(step, note="") for step in PLAN.steps)
    change(go_to(student, HOME.file, lesson=OF_CLASS))
    handout = downloaded(".html").decode()
    assert "Reason 3" in handout and "For the teacher." not in handout
    change(go_to(teacher, HOME.file))
    assert offers(student) == (False, False), "another class may begin"


def test_a_teacher_prints_the_lesson_with_the_notes_at_any_time(
    teacher: AppTest, downloaded: Callable[[str], bytes]
) -> None:
    change(go_to(teacher, HOME.file))
    assert "For the teacher." in downloaded(".html").decode()
