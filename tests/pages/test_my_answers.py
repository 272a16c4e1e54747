"""What a learner takes home: the first answers, alone and in a class, on the page and in files."""

import csv
import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html import escape
from unittest.mock import Mock

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.language import ENGLISH, Language, _, reading
from core.records.question import Answer, ChoiceQuestion, NumberQuestion
from core.records.room import Place
from core.server.room import Room, Seat
from pages.components.frame import language as language_of_tab
from pages.components.frame.memory import ME
from pages.components.frame.session import server_rooms
from pages.components.lesson.answers import COLUMNS, OwnAnswers, answers_csv, answers_html
from pages.components.widgets.download import show_download
from pages.content.lesson_plan import closing_questions
from pages.content.lessons import LESSONS
from pages.content.pages import HOME, LESSON_END, MASKS, MY_ANSWERS, POSITIONAL_ENCODING
from pages.content.reader import PAGE_TEXTS
from tests.pages.conftest import (
    change,
    column,
    go_to,
    linked,
    open_page,
    remembered,
    score,
    texts,
    workspace_of,
)
from tests.pages.test_reader_language import OTHER

PREDICTION = "predict_positional_encoding_shuffle"
QUESTION, FIRST, RIGHT, RESULT = range(2, len(COLUMNS))  # numbers of columns


@pytest.fixture
def room() -> Room:
    return server_rooms().open("the tab that has opened the room").room


@pytest.fixture
def menu(monkeypatch: pytest.MonkeyPatch) -> Mock:
    menu = Mock(wraps=st.navigation)
    monkeypatch.setattr(st, "navigation", menu)
    return menu


def titles(menu: Mock) -> list[str]:
    """Return what stands beside Home in the menu of the last run."""
    (sections,) = menu.call_args.args
    return [page.title for page in sections[""] if page.visibility == "visible"]


def seat_of(app: AppTest) -> Seat:
    seat = server_rooms().seat_of(workspace_of(app).id)
    assert seat is not None
    return seat


def test_the_first_answer_stays_and_brings_the_page_into_the_menu(menu: Mock) -> None:
    app = open_page(MY_ANSWERS.file)
    assert MY_ANSWERS.line in texts(app) and titles(menu) == [HOME.title]
    exercise = PAGE_TEXTS[MASKS.address].views["padding"].exercise
    assert isinstance(exercise, ChoiceQuestion)
    wrong = next(iter(exercise.wrong))
    go_to(app, MASKS.file)
    for answer in (exercise.options.index(wrong), exercise.right_option):
        app.radio(key=exercise.key).set_value(answer)
        change(app)
    go_to(app, MY_ANSWERS.file)
    assert titles(menu) == [HOME.title, MY_ANSWERS.title]
    assert score(app) == ["0", "1"]
    shown = [column(app, number) for number in (0, QUESTION, FIRST, RIGHT)]
    assert shown == [[each] for each in (MASKS.title, exercise.question, wrong, exercise.answer)]
    assert column(app, RESULT)[0].startswith("✗")


def test_the_answers_are_saved_as_files_with_the_name_that_was_typed(
    downloaded: Callable[[str], bytes],
) -> None:
    exercise = PAGE_TEXTS[MASKS.address].views["padding"].exercise
    assert isinstance(exercise, ChoiceQuestion)
    app = open_page(MASKS.file)
    app.radio(key=exercise.key).set_value(exercise.right_option)
    change(app)
    go_to(app, MY_ANSWERS.file).text_input[0].set_value("Ada")
    change(app)
    table = csv.reader(io.StringIO(downloaded(".csv").decode("utf-8-sig")))
    assert [row[0] for row in table][1:] == ["Ada"]
    assert downloaded(".html").startswith(b"<!doctype html>")
    for content in (downloaded(".csv"), downloaded(".html")):
        assert escape(exercise.answer) in content.decode() and "Ada" in content.decode()


def test_an_answer_is_kept_and_shown_in_the_language_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = PAGE_TEXTS[MASKS.address].views["padding"].exercise
    assert isinstance(exercise, ChoiceQuestion)
    wrong = next(iter(exercise.wrong))
    other = replace(OTHER, decimal=",")
    monkeypatch.setattr(language_of_tab, "known_languages", lambda: {"en": ENGLISH, "yy": other})
    app = open_page(MASKS.file)
    app.radio(key=exercise.key).set_value(exercise.options.index(wrong))
    change(app).radio(key="lang_choice").set_value("yy")
    said = change(app).radio(key=exercise.key).options[exercise.options.index(wrong)]
    assert said.startswith("⟦") and app.warning
    own = ChoiceQuestion("own_1", MASKS.address, "A teacher's own?", "no", "", {"yes": ""})
    number = NumberQuestion("own_2", MASKS.address, "A number?", 1.0, "", "")
    for answer in (Answer(own, own.options.index("yes")), Answer(number, 1, "2.5")):
        remembered(app).ledger.note_first(ME, answer)
    go_to(app, MY_ANSWERS.file)
    asked, theirs, _typed = column(app, QUESTION)
    assert asked.startswith("⟦") and theirs == own.question
    assert column(app, FIRST) == [said, "yes", "2,5"]


def test_a_file_is_in_the_language_of_its_button(monkeypatch: pytest.MonkeyPatch) -> None:
    button = Mock()
    monkeypatch.setattr(st, "download_button", button)
    with reading(Language("yy", "Other", {COLUMNS[0]: "Mine"})):
        show_download("Save", lambda: _(COLUMNS[0]), "my-answers.html")
    with ThreadPoolExecutor() as clicks:
        assert clicks.submit(button.call_args.args[1]).result() == "Mine"


def test_a_class_sees_nothing_that_its_teacher_has_not_revealed(room: Room) -> None:
    prediction = PAGE_TEXTS["positional_encoding"].views["shuffle"].prediction
    assert prediction is not None
    asked, before = prediction, closing_questions(LESSONS["10"])[0][1].at("before")
    app = linked(HOME.file, room=room.code)
    for question in (asked, before):
        room.answer(seat_of(app).token, question.read(question.right_option))
    go_to(change(app), MY_ANSWERS.file)
    assert column(app, FIRST) == [asked.right, before.right]
    assert column(app, RIGHT) == column(app, RESULT) == ["–", "–"]
    assert not score(app)
    room.act(asked, "solve")
    assert column(change(app), RIGHT) == [asked.right, "–"]
    assert score(app) == ["1", "1"]


@pytest.mark.slow
@pytest.mark.parametrize("has_accomplice", [False, True])
def test_who_leaves_a_room_during_a_vote_is_told_when_that_room_is(room: Room, has_accomplice: bool) -> None:
    lesson, prediction = LESSONS["30"], PAGE_TEXTS["positional_encoding"].views["shuffle"].prediction
    assert prediction is not None
    room.go_to(Place(POSITIONAL_ENCODING.address, "30", lesson.path.index(POSITIONAL_ENCODING)))
    app = change(linked(HOME.file, room=room.code))
    next(button for button in app.button if str(button.key).startswith(PREDICTION)).click()
    change(app).button(key="room_leave").click()
    if has_accomplice:
        other = server_rooms().open("an accomplice's tab").room
        server_rooms().join(other, workspace_of(app).id)
        other.act(prediction, "solve")

    def is_told() -> bool:
        go_to(app, POSITIONAL_ENCODING.file, lesson="30", positions_view="shuffle")
        is_shown = prediction.why in texts(app)
        assert is_shown or not app.get("plotly_chart")
        go_to(app, MY_ANSWERS.file)
        assert (column(app, RIGHT) == [prediction.answer]) is is_shown
        return is_shown

    assert not is_told()
    room.act(prediction, "show answers")
    assert not is_told()
    room.act(prediction, "solve")
    assert is_told()


def test_a_phone_and_a_tab_of_one_person_make_one_list_which_outlives_the_room(room: Room) -> None:
    after, other, number = (question for _, question in closing_questions(LESSONS["10"]))
    before = after.at("before")
    wrong = (after.right_option + 1) % len(after.options)
    room.go_to(Place(LESSON_END.address, "10", len(LESSONS["10"].shown) + 1))
    app = linked(MY_ANSWERS.file, room=room.code)  # as the phone's link opens it
    assert app.title[0].value == MY_ANSWERS.title, "the class is elsewhere"
    phone = seat_of(app).token
    room.answer(phone, before.read(before.right_option))
    room.answer(phone, after.read(wrong))
    room.answer(phone, number.read("12"))
    go_to(app, LESSON_END.file, lesson="10")
    app.radio(key=after.key).set_value(after.right_option)
    app.radio(key=other.key).set_value(other.right_option)
    change(app)
    server_rooms().close(room)
    go_to(change(app), MY_ANSWERS.file)
    assert column(app, FIRST) == [before.right, after.options[wrong], "12", other.right]
    assert score(app) == ["2", "4"]


def test_the_teacher_of_a_room_answers_nothing(room: Room) -> None:
    app = open_page(HOME.file)
    server_rooms().unite("the tab that has opened the room", workspace_of(app).id, workspace_of(app).id)
    exercise = PAGE_TEXTS[MASKS.address].views["padding"].exercise
    assert isinstance(exercise, ChoiceQuestion)
    go_to(app, MASKS.file).radio(key=exercise.key).set_value(exercise.right_option)
    change(app)
    assert remembered(app).answers == {} and not room.tallies()


def test_a_tab_keeps_three_hundred_answers() -> None:
    memory = remembered(open_page(HOME.file))
    for number in range(400):
        question = ChoiceQuestion(f"{number}", "masks", "?", "a", "", {"b": ""})
        memory.ledger.answer(ME, question.read(0))
    assert len(memory.answers) == 300


def test_no_text_runs_in_a_spreadsheet_or_a_browser() -> None:
    hostile = ("=1+1", "\t=1", "@SUM(A1)", "-2", '"><script><img src=x onerror=alert(1)>')
    answers = OwnAnswers((hostile,), (None,))
    (head, row) = csv.reader(io.StringIO(answers_csv(answers, "+Ada").decode("utf-8-sig")))
    assert head[1:] == [*map(_, COLUMNS)]
    assert not any(cell.lstrip().startswith(("=", "+", "-", "@")) for cell in row)
    page = answers_html(answers, "<b>Ada</b>")
    assert "&lt;b&gt;Ada&lt;/b&gt;" in page and "<script" not in page and "<img" not in page
