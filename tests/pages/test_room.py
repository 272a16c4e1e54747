"""A class in a room: it joins by a link, follows its teacher, votes before the figure comes, and shares one model."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.checkpoints.checkpoint import Checkpoint
from core.classroom.room import Room
from core.classroom.trained_model import TrainedModel
from core.records.room import Place
from core.records.text import Pair
from pages.components.explaining import before_and_after
from pages.components.lessons import LESSONS, closing_questions
from pages.components.menu import ARCHITECTURE, HOME, LESSON_END, MASKS, POSITIONAL_ENCODING
from pages.components.seat import server_rooms
from pages.components.session import Seat, memory_of
from pages.components.share import LEADS_ON
from tests.conftest import ChangeSetting
from tests.pages.conftest import OpenPage, change, go_to, linked, texts, workspace_of

STEP = next(place for place in range(12) if LESSONS[30].path[place] == POSITIONAL_ENCODING)


@pytest.fixture
def room() -> Room:
    return server_rooms().open()


def seat_of(app: AppTest) -> Seat:
    seat = memory_of(workspace_of(app)).seat
    assert seat is not None
    return seat


def teach(app: AppTest, room: Room) -> AppTest:
    memory_of(workspace_of(app)).seat = Seat(room, room.teacher_token)
    return change(app)


def drawn(app: AppTest) -> int:
    return len(app.get("plotly_chart"))


def test_a_link_lets_in_and_makes_nobody_a_teacher(room: Room) -> None:
    app = linked(HOME.file, room=room.code.lower())
    assert app.button(key="room_leave")
    assert not seat_of(app).is_teacher
    assert "room" not in app.query_params
    assert room.num_here == 1


def test_the_link_of_a_room_that_has_ended_is_the_page(room: Room) -> None:
    server_rooms().close(room)
    app = linked(MASKS.file, room=room.code)
    assert app.title[0].value == "Masks"
    assert memory_of(workspace_of(app)).seat is None


def test_a_tab_goes_where_the_class_goes_until_it_explores(room: Room) -> None:
    room.go_to(Place("positional_encoding", 30, STEP))
    app = change(linked(HOME.file, room=room.code))
    assert app.title[0].value == POSITIONAL_ENCODING.title
    assert app.query_params["lesson"] == "30"
    go_to(app, ARCHITECTURE.file)
    assert app.title[0].value == ARCHITECTURE.title
    room.go_to(Place("masks"))
    assert change(app).title[0].value == ARCHITECTURE.title, "left alone"
    app.button(key="room_go").click()
    assert change(app).title[0].value == MASKS.title


def test_the_figure_comes_when_the_teacher_has_marked_the_right_answer(room: Room) -> None:
    room.go_to(Place("positional_encoding", 30, STEP))
    student = change(linked(HOME.file, room=room.code))
    assert not drawn(student)
    question = next(button for button in student.button if str(button.key).startswith("predict_"))
    question.click()
    change(student)
    assert not drawn(student), "the class has not talked yet"
    teacher = teach(linked(POSITIONAL_ENCODING.file, lesson="30", positions_view="Shuffle the words"), room)
    assert "**1** answered" in texts(teacher)
    assert not drawn(teacher)
    teacher.button(key="room_show").click()
    change(teacher)
    assert not drawn(teacher)
    teacher.button(key="room_solve").click()
    assert drawn(change(change(teacher)))
    assert drawn(change(student))


def test_the_remote_shows_what_the_class_has_answered_before_what_is_right(room: Room) -> None:
    teacher = teach(linked(POSITIONAL_ENCODING.file, lesson="30", positions_view="Shuffle the words"), room)
    student = change(linked(HOME.file, room=room.code))
    next(button for button in student.button if str(button.key).startswith("predict_")).click()
    change(student)
    for is_solved in (False, True):
        teacher.button(key=LEADS_ON).click()
        change(teacher)
        (tally,) = room.tallies()
        assert (tally.are_shown, tally.is_solved) == (True, is_solved)


def test_the_class_has_the_teachers_model(room: Room, checkpoint: Checkpoint, with_shipped: None) -> None:
    app = linked(HOME.file, room=room.code)
    ours = TrainedModel("Ours", checkpoint)
    room.hand_over(ours)
    translating = next(place for place in range(12) if LESSONS[30].path[place].address == "translate")
    room.go_to(Place("translate", 30, translating))
    app = change(change(app))
    assert app.selectbox(key="model").value == ours.id
    assert workspace_of(app).models.kept == [], "one copy, in the room"


def send(app: AppTest) -> None:
    next(button for button in app.button if button.label == "Send").click()
    change(app)


def test_sentences_are_seen_by_the_teacher_alone_until_accepted(room: Room) -> None:
    student = linked(HOME.file, room=room.code)
    student.text_input(key="room_source").set_value("j'aime <b>Ada</b>")
    send(student)
    assert student.text_input(key="room_source").value == "j'aime <b>Ada</b>", "not sent, and not lost"
    student.text_input(key="room_target").set_value("i like ada")
    send(student)
    (waiting,) = room.waiting
    assert waiting.pair == Pair("j'aime <b>Ada</b>", "i like ada")
    teacher = teach(linked(HOME.file), room)
    assert r"\<b\>" in texts(teacher)
    presenting = teach(linked(HOME.file, present="true"), room)
    assert "Ada" not in texts(presenting)
    teacher.button(key=f"accept_{waiting.number}").click()
    change(teacher)
    assert room.accepted == (waiting.pair,)


def test_a_server_without_rooms(change_setting: ChangeSetting, room: Room) -> None:
    change_setting("rooms", False)
    app = linked(HOME.file, room=room.code)
    assert memory_of(workspace_of(app)).seat is None


def test_without_exercises_a_room_asks_nothing(
    open_page: OpenPage, change_setting: ChangeSetting, room: Room
) -> None:
    change_setting("exercises", False)
    teacher = teach(open_page(POSITIONAL_ENCODING.file, lesson="30", positions_view="shuffle"), room)
    assert drawn(teacher)
    assert "answered" not in texts(teacher)


def test_the_end_shows_what_the_class_knew_before_and_knows_now(room: Room) -> None:
    (_, exercise), *_ = closing_questions(LESSONS[30])
    students = [room.join() for _ in range(3)]
    for question, right in zip(before_and_after(exercise), (1, 3), strict=True):
        wrong = next(option for option in question.options if option != question.right)
        for number, student in enumerate(students):
            room.vote(student, question, question.right if number < right else wrong)
    teacher = teach(linked(LESSON_END.file, lesson="30"), room)
    teacher.toggle(key="class_before_and_after").set_value(True)
    shown = "".join(each.proto.body for each in change(teacher).get("html"))
    assert "before: 1 · 33%" in shown
    assert "after: 3 · 100%" in shown
