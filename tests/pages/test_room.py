"""A class in a room: it joins by a link, follows its teacher, votes before the figure comes, and shares one model."""

import csv
import io
import re
import time
from typing import cast
from unittest.mock import Mock
from weakref import ref

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from core.checkpoints.checkpoint import Checkpoint
from core.language import _
from core.records.question import ChoiceQuestion
from core.records.room import Place
from core.records.text import Pair
from core.server.access import Pace
from core.server.room import MAX_PAIRS, Room, Seat
from core.server.trained_model import TrainedModel
from core.server.training_job import TrainingJob, TrainingPlan
from pages.components.explaining.exercise import asked_before, begin_in_class
from pages.components.frame import seat, session
from pages.components.frame.presenting import LEADS_ON
from pages.components.frame.session import server_rooms
from pages.components.room import bar as room_bar
from pages.components.room.phone import asked_at
from pages.content.lesson_plan import LessonPlan, LessonStep, closing_questions
from pages.content.lessons import LESSONS, MINE
from pages.content.pages import (
    ARCHITECTURE,
    HOME,
    LESSON_END,
    MASKS,
    POSITIONAL_ENCODING,
    TRAIN,
    PageEntry,
)
from pages.content.reader import PAGE_TEXTS
from tests.conftest import ChangeSetting
from tests.pages.conftest import (
    change,
    go_to,
    keys_of,
    linked,
    open_page,
    press,
    remembered,
    score,
    texts,
    wait_for_training,
    workspace_of,
)
from tests.server.test_access import Clock

TEACHER = "the tab that has opened the room"
STEP = next(place for place in range(12) if LESSONS["30"].path[place] == POSITIONAL_ENCODING)
ALL_RIGHT = "3 · 100%"  # at a bar of three people
PLACE = Place("positional_encoding", "30", STEP)


@pytest.fixture
def room() -> Room:
    return server_rooms().open(TEACHER).room


def seat_of(app: AppTest) -> Seat:
    seat = server_rooms().seat_of(workspace_of(app).id)
    assert seat is not None
    return seat


def teach(app: AppTest, room: Room) -> AppTest:
    """Give a tab the teacher's seat, as to one that has been reloaded."""
    tab = workspace_of(app).id
    seat = server_rooms().seat_of(TEACHER)
    if seat is not None and seat.room is room:
        server_rooms().unite(TEACHER, tab, tab)
    return change(app)


def drawn(app: AppTest) -> int:
    return len(app.get("plotly_chart"))


def test_a_link_lets_in_and_makes_nobody_a_teacher(room: Room) -> None:
    app = linked(HOME.file, room=room.code.lower())
    assert app.button(key="room_leave")
    assert not seat_of(app).is_teacher
    assert "room" not in app.query_params
    assert room.num_here == 1


def test_a_run_that_another_ends_loses_no_code(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    join = seat.join
    runs = iter([lambda *_: st.rerun(), join])
    monkeypatch.setattr(seat, "join", lambda *given: next(runs)(*given))
    app = linked(HOME.file, room=room.code)
    assert seat_of(app).room is room
    assert "room" not in app.query_params


def test_the_link_of_a_room_that_has_ended_is_the_page(room: Room) -> None:
    server_rooms().close(room)
    app = linked(MASKS.file, room=room.code)
    assert app.title[0].value == MASKS.title
    assert server_rooms().seat_of(workspace_of(app).id) is None


def test_a_tab_goes_where_the_class_goes_until_it_explores(room: Room) -> None:
    room.go_to(Place("positional_encoding", "30", STEP))
    app = change(linked(HOME.file, room=room.code))
    assert app.title[0].value == POSITIONAL_ENCODING.title
    assert app.query_params["lesson"] == "30"
    go_to(app, ARCHITECTURE.file)
    assert app.title[0].value == ARCHITECTURE.title
    assert press(app, "room_go").title[0].value == POSITIONAL_ENCODING.title, "where the class still is"
    go_to(app, ARCHITECTURE.file)
    room.go_to(Place("masks"))
    assert change(app).title[0].value == ARCHITECTURE.title, "left alone"
    press(app, "room_go")
    assert app.title[0].value == MASKS.title


@pytest.mark.slow
def test_the_figure_comes_when_the_teacher_has_marked_the_right_answer(room: Room) -> None:
    room.go_to(Place("positional_encoding", "30", STEP))
    student = change(linked(HOME.file, room=room.code))
    assert not drawn(student)
    question = next(button for button in student.button if str(button.key).startswith("predict_"))
    question.click()
    change(student)
    assert not drawn(student), "the class has not talked yet"
    teacher = teach(linked(POSITIONAL_ENCODING.file, lesson="30", positions_view="shuffle"), room)
    assert "**1**" in texts(teacher)
    assert not drawn(teacher)
    press(teacher, "room_show")
    assert not drawn(teacher)
    press(teacher, "room_again")
    option_buttons(change(student))[1].click()
    change(student)
    press(change(teacher), "room_show")
    assert "room_again" not in keys_of(teacher), "there is no third vote"
    press(teacher, "room_solve")
    assert not drawn(change(teacher)), "the right bar is green where it stands"
    press(teacher, LEADS_ON)
    assert drawn(teacher)
    assert drawn(change(student))


@pytest.mark.slow
def test_the_teacher_shows_what_the_class_has_answered_before_what_is_right(room: Room) -> None:
    teacher = teach(linked(POSITIONAL_ENCODING.file, lesson="30", positions_view="shuffle"), room)
    student = change(linked(HOME.file, room=room.code))
    next(button for button in student.button if str(button.key).startswith("predict_")).click()
    change(student)
    for is_solved in (False, True):
        press(change(teacher), "room_solve" if is_solved else "room_show")
        (tally,) = room.tallies()
        assert (tally.are_shown, tally.is_solved) == (True, is_solved)
        assert (LEADS_ON in keys_of(teacher)) is is_solved, "one way on"


@pytest.mark.slow
@pytest.mark.parametrize("num_answered", [0, 1])
@pytest.mark.parametrize("page", [POSITIONAL_ENCODING, TRAIN])
def test_a_vote_that_few_have_answered_ends_at_the_second_press(
    room: Room, page: PageEntry, num_answered: int
) -> None:
    class_ = [room.join(f"phone {number}").token for number in range(3)]
    view = {"positions_view": "shuffle"} if page == POSITIONAL_ENCODING else {}
    teacher = teach(linked(page.file, lesson="30", **view), room)
    question = next(each for each in LESSONS["30"].shown if each.page == page).prediction
    assert question is not None
    for person in class_[:num_answered]:
        room.answer(person, question.read(0))
    press(change(teacher), "room_show")
    assert not room.tally("", question).are_shown
    assert ("room_show" in keys_of(teacher)) is bool(num_answered), (
        "else the key leads to what the page needs"
    )
    press(teacher, "room_show" if num_answered else "room_solve")
    assert room.tally("", question).are_shown


def test_the_class_has_the_teachers_model(room: Room, checkpoint: Checkpoint, with_shipped: None) -> None:
    app = linked(HOME.file, room=room.code)
    ours = TrainedModel("Ours", checkpoint)
    room.hand_over(ours)
    translating = next(place for place in range(12) if LESSONS["30"].path[place].address == "translate")
    room.go_to(Place("translate", "30", translating))
    app = change(change(app))
    assert app.selectbox(key="model").value == ours.id
    assert workspace_of(app).models.kept == [], "one copy, in the room"


@pytest.mark.slow
def test_sentences_are_seen_by_the_teacher_alone_until_accepted(room: Room) -> None:
    student = linked(HOME.file, room=room.code)
    student.text_input(key="room_source").set_value("j'aime <b>Ada</b>")
    press(student, "room_send")
    assert student.text_input(key="room_source").value == "j'aime <b>Ada</b>", "not sent, and not lost"
    student.text_input(key="room_target").set_value("i like ada")
    press(student, "room_send")
    (waiting,) = room.waiting
    assert waiting.pair == Pair("j'aime <b>Ada</b>", "i like ada")
    teacher = teach(linked(HOME.file), room)
    assert "Ada" not in texts(teacher), "the class may see the menu"
    press(teacher, "read_sentences")
    assert r"\<b\>" in texts(teacher)
    room.send(seat_of(student).token, Pair("j'aime Bob", "i like bob"))
    assert "Bob" not in texts(change(teacher)), "nobody has read it"
    presenting = teach(linked(HOME.file, present="true"), room)
    assert not {"Ada", "Bob"} & set(texts(presenting).split())
    press(teacher, f"accept_{waiting.number}")
    assert room.accepted == (waiting.pair,)


def test_a_sentence_that_the_room_does_not_take_stays_in_its_boxes(room: Room) -> None:
    student = linked(HOME.file, room=room.code)
    for number in range(MAX_PAIRS):
        room.send(seat_of(student).token, Pair(str(number), "a number"))
    typed = {"room_source": "je lis", "room_target": "i read"}
    for key, text in typed.items():
        student.text_input(key=key).set_value(text)
    press(student, "room_send")
    assert len(room.waiting) == MAX_PAIRS
    assert {key: student.text_input(key=key).value for key in typed} == typed


def test_a_server_without_rooms(change_setting: ChangeSetting, room: Room) -> None:
    change_setting("rooms", False)
    app = linked(HOME.file, room=room.code)
    assert server_rooms().seat_of(workspace_of(app).id) is None


def test_without_exercises_a_room_asks_nothing(change_setting: ChangeSetting, room: Room) -> None:
    change_setting("exercises", False)
    teacher = teach(open_page(POSITIONAL_ENCODING.file, lesson="30", positions_view="shuffle"), room)
    assert drawn(teacher)
    assert not {"room_show", "room_solve"} & keys_of(teacher)


def test_the_end_shows_what_the_class_knew_before_and_knows_now(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercises = [exercise for _, exercise in closing_questions(LESSONS["30"])]
    students = [room.join(f"tab {number}").token for number in range(3)]
    for question, right in (pair for each in exercises for pair in ((each.at("before"), 1), (each, 3))):
        wrong = (question.right_option + 1) % len(question.options)
        for number, student in enumerate(students):
            room.answer(student, question.read(question.right_option if number < right else wrong))
    teacher = press(teach(linked(LESSON_END.file, lesson="30"), room), LEADS_ON)
    assert score(teacher) == ["3", "9", "9", "9"]
    shown = "".join(each.proto.body for each in teacher.get("html"))
    assert "1 · 33%" in shown and ALL_RIGHT in shown
    for each in exercises:
        before = each.at("before")
        room.answer(room.join("late").token, before.read(before.right_option))
    monkeypatch.setattr(room._people, "_clock", lambda: time.monotonic() + 60.0)
    assert room.num_here == 0
    assert any(ALL_RIGHT in each.proto.body for each in change(teacher).get("html")), "somebody comes late"


def test_the_end_asks_and_tells_nothing_before_the_class_is_there(room: Room) -> None:
    room.go_to(PLACE)
    student = go_to(change(linked(HOME.file, room=room.code)), LESSON_END.file, lesson="30")
    question = closing_questions(LESSONS["30"])[0][1]
    assert isinstance(question, ChoiceQuestion)
    assert question.question not in texts(student)
    room.go_to(Place(LESSON_END.address, "30", len(LESSONS["30"].shown) + 1))
    toggles = [each.key for each in change(student).toggle]
    assert f"{question.key}_shown" not in toggles, "a class is asked what it knows"
    student.radio(key=question.key).set_value(question.right_option)
    change(student)
    assert room.tally("", question).right == 1


def test_an_answer_is_counted_when_it_is_given_and_not_again_at_each_run(room: Room) -> None:
    room.go_to(PLACE)
    student = change(linked(HOME.file, room=room.code))
    view = PAGE_TEXTS[PLACE.page].views["shuffle"]
    exercise = view.exercise
    assert exercise is not None and view.prediction is not None
    room.act(view.prediction, "solve")
    change(student).radio(key=exercise.key).set_value(0)
    change(student)
    phone = seat_of(student).token  # of the same person
    room.answer(phone, exercise.read(1))
    change(change(student))
    assert room.tally(phone, exercise).votes == ((0, 1, 0),)
    begin_in_class(LESSONS["30"], room)
    room.act(view.prediction, "solve")
    assert change(student).radio(key=exercise.key).value is None, "the next lesson asks it anew"
    assert room.tally(phone, exercise).answered == 0


def test_a_tab_tells_nothing_by_itself_while_the_teacher_shows_another_page(room: Room) -> None:
    room.go_to(PLACE)
    student = change(linked(HOME.file, room=room.code))
    question = PAGE_TEXTS[PLACE.page].views["shuffle"].prediction
    assert question is not None
    option_buttons(student)[1].click()
    change(student)
    seat_of(student).follows = False
    room.go_to(Place(MASKS.address, "30", 3))
    change(student)
    assert question.why not in texts(student) and not drawn(student)
    room.act(question, "solve")
    assert question.why in texts(change(student))


def test_the_other_views_of_a_page_wait_for_the_question_of_its_step(room: Room) -> None:
    room.go_to(PLACE)
    student = change(linked(HOME.file, room=room.code))
    question = PAGE_TEXTS[PLACE.page].views["shuffle"].prediction
    assert question is not None
    change(student, positions_view="waves")
    assert not drawn(student) and question.question in texts(student)
    beside = {"lesson": "30", "positions_view": "waves"}
    alone, teacher = (linked(POSITIONAL_ENCODING.file, **beside) for _tab in range(2))
    assert drawn(alone) and drawn(teach(teacher, room))
    room.go_to(PLACE)
    room.act(question, "solve")
    assert drawn(change(student)) and question.why not in texts(student)


def test_a_click_on_the_first_vote_does_not_count_in_the_second(room: Room) -> None:
    room.go_to(PLACE)
    student = change(linked(HOME.file, room=room.code))
    (question,) = asked_at(room)
    clicked = option_buttons(student)[0]
    for act in ("show answers", "vote again"):
        room.act(question, act)
    clicked.click()
    change(student)
    assert room.tally("", question).answered == 0 and student.toast
    option_buttons(student)[0].click()
    change(student)
    assert room.tally("", question).answered == 1


def test_a_class_prints_its_lesson_at_the_end_and_another_one_at_any_time(room: Room) -> None:
    student = linked(HOME.file, room=room.code)
    seat_of(student).follows = False

    def has_handout(lesson: str) -> bool:
        return bool(go_to(student, HOME.file, lesson=lesson).get("download_button"))

    room.go_to(PLACE)
    assert not has_handout("30") and has_handout("10")
    room.go_to(Place(LESSON_END.address, "30", len(LESSONS["30"].shown) + 1))
    assert has_handout("30")


def test_who_goes_through_another_lesson_is_asked_at_its_end_and_counts_alone(room: Room) -> None:
    room.go_to(Place(LESSON_END.address, "30", len(LESSONS["30"].shown) + 1))
    student = go_to(change(linked(HOME.file, room=room.code)), LESSON_END.file, lesson="10")
    question = closing_questions(LESSONS["10"])[0][1]
    student.radio(key=question.key).set_value(question.right_option)
    change(student)
    assert question.key in remembered(student).answers and not room.tallies()


def test_a_room_that_was_left_does_not_keep_another_one_from_being_asked(room: Room) -> None:
    other = server_rooms().open("another teacher").room
    for each in (room, other):
        each.go_to(PLACE)
    student = change(linked(HOME.file, room=room.code))
    press(student, "room_leave")
    assert not option_buttons(student)
    server_rooms().join(other, workspace_of(student).id)
    option_buttons(change(change(student)))[0].click()
    change(student)
    assert [sum(each.votes[0]) for each in other.tallies()] == [1] and not room.tallies()


def test_what_was_corrected_at_the_end_is_there_after_a_reload(room: Room) -> None:
    room.go_to(Place(LESSON_END.address, "10", len(LESSONS["10"].shown) + 1))
    student = change(linked(HOME.file, room=room.code))
    question = closing_questions(LESSONS["10"])[0][1]
    wrong = (question.right_option + 1) % len(question.options)
    for option in (wrong, question.right_option):
        student.radio(key=question.key).set_value(option)
        change(student)
    assert room.tally("", question).votes[0][wrong] == 1, "the first answer counts"
    again = open_page(LESSON_END.file, workspace=workspace_of(student), lesson="10")
    assert again.radio(key=question.key).value == question.right_option


def test_a_question_of_a_student_s_own_lesson_is_not_counted_in_the_class(room: Room) -> None:
    room.go_to(Place(MASKS.address))
    own = ChoiceQuestion("own_mine", MASKS.address, "Mine?", "yes", "", {"no": ""}, moment="prediction")
    plan = LessonPlan((LessonStep(MASKS, 1, "", asks="before", question=own),), title="Mine")
    student = go_to(change(linked(HOME.file, room=room.code)), MASKS.file)
    assert seat_of(student).follows
    remembered(student).change_lesson(plan)
    app = change(student, lesson=MINE, step="1")
    option_buttons(app)[0].click()
    change(app)
    assert not room.tallies()


def test_the_end_counts_what_is_asked_there_and_waits_for_a_second_press_where_few_have_answered(
    room: Room,
) -> None:
    students = [room.join(f"tab {number}").token for number in range(3)]
    pairs = [(each.at("before"), each) for _, each in closing_questions(LESSONS["30"])]
    for before, _after in pairs:
        for student in students:
            room.answer(student, before.read(before.right_option))
    teacher = teach(linked(LESSON_END.file, lesson="30"), room)
    for is_shown in (False, True):
        press(teacher, LEADS_ON)
        assert any('class="tally"' in each.proto.body for each in teacher.get("html")) is is_shown
    assert not [each for each in teacher.markdown if each.value.startswith("# ")], "a score of nobody"
    assert not any(room.answer(students[0], after.read(0)) for _before, after in pairs), (
        "the projector shows what is right"
    )


@pytest.mark.slow
def test_the_second_lesson_of_a_class_has_its_own_votes(room: Room) -> None:
    plan = LESSONS["10"]
    student = room.join("phone").token
    prediction = plan.shown[0].prediction
    assert prediction is not None
    closing = [(each.at("before"), each) for _, each in closing_questions(plan)]
    asked = [prediction, *(question for pair in closing for question in pair)]
    teacher = teach(linked(HOME.file, lesson="10"), room)
    for key in ("begin", "begin_again"):
        change(go_to(teacher, HOME.file)).button(key=key).click()
        change(teacher)
        assert [room.tally(student, each).answered for each in asked] == [0] * len(asked)
        for question in asked:
            room.answer(student, question.read(0))
        room.act(asked[0], "solve")
    counted = [each.question.key for each in room.tallies()]
    assert counted.count(prediction.key) == 2, "both are in the counts"


def test_what_an_end_has_asked_is_asked_before_no_lesson(room: Room) -> None:
    plan = LESSONS["10"]
    first, *others = (question for _, question in closing_questions(plan))
    assert asked_before(plan, room) == [each.at("before") for each in (first, *others)]
    room.answer(room.join("a tab").token, first.read(0))
    assert asked_before(plan, room) == [each.at("before") for each in others]


@pytest.mark.slow
def test_what_a_class_thinks_before_a_lesson_may_change_until_it_begins(room: Room) -> None:
    teacher = teach(linked(HOME.file, lesson="10"), room)
    student = change(linked(HOME.file, room=room.code))
    before = closing_questions(LESSONS["10"])[0][1].at("before")
    for option in (0, 1):
        student.radio(key=before.key).set_value(option)
        change(student)
    assert room.tally("", before).votes[0][:2] == (0, 1)
    assert remembered(student).answers[before.key].option == 1
    press(teacher, "begin")
    assert not room.answer(seat_of(student).token, before.read(0))
    go_to(teacher, HOME.file)
    assert before.key not in [radio.key for radio in change(student).radio], "in the middle of a lesson"


def test_who_comes_late_sees_the_address_while_the_teacher_presents(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(st.context), "url", property(lambda _: "https://class.example/masks"))
    teacher = teach(linked(MASKS.file, present="true"), room)
    assert f"class.example/?room={room.code}" in texts(teacher).replace("*", "").replace("\\", "")


def option_buttons(app: AppTest) -> list[Button]:
    """Return the buttons of the answers to a prediction."""
    return [button for button in app.button if str(button.key).startswith("predict_")]


def come_by(app: AppTest, room: Room) -> AppTest:
    """Open the link of a room in a tab."""
    app.query_params["room"] = room.code
    return change(change(app))


@pytest.mark.slow
def test_the_last_answer_counts_and_is_marked_also_after_leaving_and_coming_back(room: Room) -> None:
    room.go_to(PLACE)
    student = change(linked(HOME.file, room=room.code))
    for number in (0, 1):
        option_buttons(student)[number].click()
        change(student)
    seat = seat_of(student)
    press(student, "room_leave")
    assert server_rooms().get(room.code) is room, "a student closes no room"
    assert server_rooms().seat_of(workspace_of(student).id) is None
    assert seat_of(come_by(student, room)) is seat
    (tally,) = room.tallies()
    room.act(tally.question, "show answers")
    assert tally.votes[0][:2] == (0, 1)
    (bars,) = (each.proto.body for each in change(student).get("html") if 'class="tally"' in each.proto.body)
    (own,) = (each for each in re.findall('class="number">(.*?)<', bars) if each.count(" · ") == 2)
    assert own.startswith("1 · 100% · "), "and that it is one's own"


def test_at_the_end_the_first_answer_counts(room: Room) -> None:
    _, after = closing_questions(LESSONS["30"])[0]
    room.go_to(Place("lesson_end", "30", len(LESSONS["30"].shown) + 1))
    student = change(linked(HOME.file, room=room.code))
    wrong = (after.right_option + 1) % len(after.options)
    for option in (wrong, after.right_option):
        student.radio(key=after.key).set_value(option)
        change(student)
    assert room.tally("", after).votes[0][wrong] == 1
    assert room.tally("", after).answered == 1


def reloaded(app: AppTest, room: Room, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Open the link of a room in a tab that was another session before: its browser remembers which."""
    remembered = {"workspace": workspace_of(app).id, "has_seat": True}
    back = linked(HOME.file, room=room.code)
    with monkeypatch.context() as patch:
        patch.setattr(session, "_ask_browser", lambda *_: {"remembered": remembered})
        return change(back)


def in_the_same_browser(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """Open another tab, whose browser says that the first one leads a room."""
    leads = workspace_of(app).id
    monkeypatch.setattr(session, "_ask_browser", lambda *_: {"leads": leads})
    return linked(HOME.file)


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_lost_tab_s_room_is_led_again_from_home(
    room: Room, monkeypatch: pytest.MonkeyPatch, is_closed: bool
) -> None:
    session._workspace_store.clear()  # or the tabs of other tests may fill it
    lost = teach(linked(POSITIONAL_ENCODING.file, lesson="30", positions_view="shuffle"), room)
    own = workspace_of(lost)
    own.session_id = "that of the lost tab"
    monkeypatch.setattr(
        session._workspace_store(), "_is_live", lambda each: each != own.session_id or not is_closed
    )
    found = in_the_same_browser(lost, monkeypatch)
    assert room.place == PLACE
    found.button(key="back_to_room").click()
    change(change(found))
    assert seat_of(found).is_teacher and room.place == PLACE
    assert found.title[0].value == POSITIONAL_ENCODING.title
    assert (workspace_of(found) is own) is is_closed, "with its work, which an open tab keeps"
    if not is_closed:
        assert "room_bar" not in str(change(lost)) and server_rooms().seat_of(own.id) is None


def test_a_run_that_gets_lost_on_the_way_back_does_not_end_the_lesson(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = teach(linked(POSITIONAL_ENCODING.file, lesson="30", positions_view="shuffle"), room)
    found = in_the_same_browser(lost, monkeypatch)
    monkeypatch.setattr(room_bar, "_RETURN_SECONDS", 300.0)  # machines that run tests are slow
    with monkeypatch.context() as patch:
        patch.setattr(room_bar, "open_place", lambda *_: st.stop())
        press(found, "back_to_room")
    assert change(change(found)).title[0].value == POSITIONAL_ENCODING.title and room.place == PLACE


def test_only_the_browser_that_leads_a_room_can_take_it(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    teacher, student = teach(linked(HOME.file), room), linked(HOME.file, room=room.code)
    for app in (teacher, linked(HOME.file), in_the_same_browser(student, monkeypatch)):
        assert "back_to_room" not in keys_of(app)
    other = in_the_same_browser(teacher, monkeypatch)
    assert "back_to_room" in keys_of(other)
    server_rooms().close(room)
    assert "back_to_room" not in keys_of(change(other))


def test_an_address_without_a_lesson_does_not_end_that_of_the_class(room: Room) -> None:
    room.go_to(PLACE)
    assert teach(linked(MASKS.file), room).query_params["lesson"] == PLACE.lesson
    assert room.place == Place("masks", "30", LESSONS["30"].path.index(MASKS))


@pytest.mark.slow
@pytest.mark.parametrize("is_forgotten", [False, True])
def test_a_reloaded_tab_is_the_person_that_it_was(
    room: Room, monkeypatch: pytest.MonkeyPatch, is_forgotten: bool
) -> None:
    """Its server may have forgotten its workspace meanwhile, as that of the longest unused tab."""
    other = server_rooms().open("another teacher's tab").room
    student, teacher = linked(HOME.file, room=room.code), teach(linked(HOME.file), room)
    for app in (student, teacher):
        seat = seat_of(app)
        if is_forgotten:
            session._workspace_store().discard(workspace_of(app))
        back = reloaded(app, room, monkeypatch)
        assert seat_of(back) is seat and not back.toast
        elsewhere = reloaded(back, other, monkeypatch)
        assert seat_of(elsewhere).room is (other if app is student else room)
    assert elsewhere.button(key="room_visit"), "the teacher is asked"
    assert room.num_here == 1


@pytest.mark.slow
def test_a_teacher_is_asked_before_another_room_and_leads_again_afterwards(room: Room) -> None:
    other = server_rooms().open("another teacher's tab").room
    app = come_by(teach(linked(HOME.file), room), other)
    assert seat_of(app).is_teacher
    press(app, "room_stay")
    assert "room_visit" not in keys_of(app)
    come_by(app, other).button(key="room_visit").click()
    assert seat_of(change(app)).room is other
    assert come_by(app, room) and seat_of(app).is_teacher
    come_by(app, other).button(key="room_visit").click()
    press(change(app), "room_leave")
    assert seat_of(app).room is room and seat_of(app).is_teacher


@pytest.mark.slow
def test_opening_a_room_shows_its_code_and_keeps_what_was_trained_before(checkpoint: Checkpoint) -> None:
    app = linked(HOME.file)
    workspace = workspace_of(app)
    workspace.jobs.training = cast(TrainingJob, Mock(active=False))
    workspace.models.adopt(TrainedModel("Private", checkpoint))
    app.button(key="share").click()
    change(app).button(key="open_room").click()
    app.button(key="share").click()  # AppTest (1.67) runs the whole page again, a browser only the dialog
    change(app)
    room = seat_of(app).room
    assert f"## {room.code}" in [each.value for each in app.markdown], "the whole screen, with the QR code"
    assert not app.title
    press(app, "screen_done")
    assert app.title and room.model is None

    def train(name: str, is_asked_for: bool = False) -> TrainedModel | None:
        training = cast(TrainingJob, Mock(active=False))
        if is_asked_for:
            seat_of(app).class_training = ref(training)
        workspace.jobs.training = training
        workspace.models.adopt(TrainedModel(name, checkpoint))
        change(app)
        return workspace.models.trained

    first = train("Of this lesson")
    assert room.model is first
    train("Tried out")
    assert room.model is first, "the steps are about the first one"
    asked_for = train("With our sentences", is_asked_for=True)
    assert room.model is asked_for


def test_a_room_is_opened_at_a_step_that_waits_for_a_model() -> None:
    app = linked(MASKS.file, lesson="30", masks_view="without")
    assert app.button(key=LEADS_ON)
    server_rooms().open(workspace_of(app).id).shows = "code"
    change(app).button(key="screen_done").click()
    assert change(app).title


def test_a_teacher_s_menu_shows_the_code_ends_the_room_and_downloads_its_counts(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = PAGE_TEXTS["masks"].views["without"].prediction
    assert question is not None
    counted = question
    for number, option in enumerate((1, 1, 1, 0)):
        room.answer(room.join(f"tab {number}").token, counted.read(option))
    student, teacher = linked(HOME.file, room=room.code), teach(linked(HOME.file), room)
    download = Mock()
    monkeypatch.setattr(st, "download_button", download)
    press(teacher, "room_code")
    assert f"## {room.code}" in [each.value for each in teacher.markdown]
    press(teacher, "screen_done")
    assert teacher.title
    rows = list(csv.DictReader(io.StringIO(download.call_args.args[1]().decode("utf-8-sig"))))
    first = [row for row in rows if row[_("vote")] == "1"]
    counts = [(row[_("answer")], row[_("count")], row[_("right")]) for row in first]
    rights = [_("yes") if option == counted.right else _("no") for option in counted.options]
    assert counts == list(zip(counted.options, ("1", "3", *"00000"), rights, strict=False))
    press(teacher, "room_close")
    assert server_rooms().get(room.code) is None and "room_leave" not in keys_of(change(student))


@pytest.mark.slow
def test_the_code_of_a_remote_has_a_screen_of_its_own_and_its_scan_is_told(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_bar, "has_app", lambda: True)
    rooms, teacher = server_rooms(), teach(linked(HOME.file), room)

    def show_code() -> str:
        press(teacher, "room_remote")
        assert "remote_ticket" not in teacher.session_state or not rooms.knows_ticket(shown())
        press(teacher, "new_remote")
        return shown()

    def shown() -> str:
        ticket: str = teacher.session_state["remote_ticket"]
        return ticket

    before = show_code()
    press(teacher, "remote_done")
    assert teacher.title and not rooms.knows_ticket(before), "it is not on the screen any more"
    ticket = show_code()
    assert rooms.knows_ticket(ticket) and "screen_take_remote" not in keys_of(teacher)
    assert rooms.take_ticket(ticket, "a student's phone")
    press(change(teacher), "screen_take_remote")
    assert "screen_take_remote" not in keys_of(teacher) and not room.has_remote
    press(teacher, "new_remote")
    assert rooms.take_ticket(shown(), "the teacher's phone")
    change(teacher)
    press(teacher, "remote_done")
    assert teacher.title
    press(teacher, "take_remote")
    assert not room.has_remote


def test_a_student_chooses_to_follow_the_class_or_not(room: Room) -> None:
    room.go_to(Place("masks"))
    student = change(linked(HOME.file, room=room.code))
    assert student.title[0].value == MASKS.title
    student.toggle(key="room_follow_True").set_value(False)
    change(student)
    room.go_to(Place("architecture"))
    assert change(student).title[0].value == MASKS.title
    student.toggle(key="room_follow_False").set_value(True)
    assert change(change(student)).title[0].value == ARCHITECTURE.title


@pytest.mark.slow
def test_an_address_opens_rooms_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(seat, "_pace", Pace(rate=1.0, burst=1, clock=clock))

    def opens_from(address: str, app: AppTest) -> bool:
        monkeypatch.setattr(type(st.context), "ip_address", address)
        press(app, "home_room")
        return server_rooms().led_by(workspace_of(app).id) is not None

    first, second, elsewhere = (linked(HOME.file) for _ in range(3))
    assert opens_from("10.0.0.1", first) and opens_from("10.0.0.2", elsewhere)
    assert not opens_from("10.0.0.1", second) and second.error
    clock.now += 1.0
    assert opens_from("10.0.0.1", second) and seat_of(first).is_teacher


def test_the_teacher_takes_out_who_has_come_at_once_and_brings_them_back(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    student = linked(HOME.file, room=room.code)
    teacher = teach(linked(HOME.file, present="true"), room)
    assert not {"room_take_out", "room_bring_back"} & keys_of(teacher)
    monkeypatch.setattr(room._people, "_clock", lambda: time.monotonic() + 60.0)
    laptop = [room.join(f"laptop {number}") for number in range(99)]
    change(teacher).button(key="room_take_out").click()
    assert "**99**" in texts(change(teacher)) and all(seat.is_out for seat in laptop)
    assert seat_of(student)
    press(teacher, "room_bring_back")
    assert room.num_out == 0 and "room_take_out" not in keys_of(teacher)


def test_who_does_not_follow_waits_too_where_the_class_is_asked(room: Room) -> None:
    room.go_to(PLACE)
    student = change(linked(HOME.file, room=room.code))
    seat_of(student).follows = False
    student.query_params.pop("lesson")
    change(student, lesson="0")
    assert option_buttons(student) and not drawn(student)
    option_buttons(student)[0].click()
    assert asked_at(room)[0].why not in texts(change(student)), "the class is still asked"
    room.go_to(Place("masks", "30", 3))
    assert drawn(change(student)), "the class has gone on"


def test_where_the_teacher_trains_a_class_looks_at_the_projector(room: Room) -> None:
    training = next(place for place in range(12) if LESSONS["30"].path[place] == TRAIN)
    room.go_to(Place("train", "30", training))
    student = change(linked(HOME.file, room=room.code))
    assert student.info, "at the projector"
    assert LEADS_ON not in keys_of(student)
    seat_of(student).follows = False
    assert LEADS_ON not in keys_of(change(student)), "its curve would be the answer"
    room.go_to(Place("translate", "30", training + 1))
    assert change(student).button(key=LEADS_ON)


def accept(room: Room, *pairs: Pair) -> None:
    """Have the class send sentences, which its teacher accepts."""
    for number, pair in enumerate(pairs):
        room.send(room.join(f"tab {number}").token, pair)
        room.decide(room.waiting[-1].number, True)


def test_waiting_sentences_are_refused_at_once(room: Room) -> None:
    for number in range(4):
        room.send(room.join(f"tab {number}").token, Pair(f"phrase {number}", "sentence"))
    room.decide(1, True)
    teacher = teach(linked(HOME.file), room)
    press(teacher, "refuse_all")
    assert room.waiting == () and len(room.accepted) == 1


FIRST, SECOND = Pair("le foot", "football"), Pair("la neige", "snow")


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["classroom", "generalize"])
@pytest.mark.parametrize("presents", ["true", "false"])
def test_accepted_sentences_join_the_teachers_pairs_also_while_presenting(
    room: Room, monkeypatch: pytest.MonkeyPatch, preset: str, presents: str
) -> None:
    teacher = teach(linked(TRAIN.file, lesson="10", setting_preset=preset, present=presents), room)
    assert "room_train" not in keys_of(teacher)
    before = remembered(teacher)
    pairs, held_out = before.pairs, before.held_out
    assert bool(held_out) == (preset == "generalize")
    accept(room, FIRST)
    started: list[TrainingPlan] = []
    monkeypatch.setattr(room_bar, "try_to_start", lambda start, plan: started.append(plan))
    press(change(teacher), "room_train")
    assert teacher.title[0].value == TRAIN.title
    (plan,) = started
    assert {*plan.prepared.pairs} == {*pairs, FIRST} - {*held_out}
    assert plan.prepared.held_out == held_out == remembered(teacher).held_out
    assert remembered(teacher).pairs == (*pairs, FIRST)


@pytest.mark.slow
def test_the_sentences_of_the_next_class_come_in_place_of_those_of_the_last(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_bar, "try_to_start", lambda start, plan: None)
    teacher = teach(linked(HOME.file), room)
    own = Pair("le chat", "the cat")
    remembered(teacher).pairs = (own,)
    for sentence in (FIRST, SECOND):
        accept(server_rooms().open(workspace_of(teacher).id).room, sentence)
        press(change(teacher), "room_train")
        assert remembered(teacher).pairs == (own, sentence)


@pytest.mark.long
def test_a_training_with_the_class_s_sentences_ends_the_vote_on_it() -> None:
    teacher = open_page(HOME.file, lesson="10", setting_preset="smallest")
    room = server_rooms().open(workspace_of(teacher).id).room
    question = LESSONS["10"].shown[0].prediction
    assert question is not None
    accept(room, FIRST)
    press(change(teacher), "room_train")
    assert room.tally("", question).are_shown
    wait_for_training(teacher)
    assert room.model is workspace_of(teacher).models.trained
