from __future__ import annotations

import importlib
import math
import pkgutil
import re
from collections import Counter
from types import ModuleType

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.workspace import Workspace
from pages.components.app.menu import (
    ATTENTION_BY_HAND,
    ATTENTION_MAPS,
    MASKS,
    PAGES,
    TRAIN,
    TRANSLATE,
    PageEntry,
)
from pages.components.lesson import exercises
from pages.components.lesson.closing import CLOSING, QUESTIONS, closing_questions
from pages.components.lesson.exercise import ChoiceExercise, Exercise, NumberExercise
from pages.components.lesson.exercises import attention_by_hand, masks, models
from pages.components.lesson.routes import LESSONS
from tests.conftest import ChangeSetting
from tests.pages.conftest import ROOT, OpenPage, texts
from tests.pages.explaining import open_address
from tests.pages.test_addresses import opened

MODULES: list[ModuleType] = [
    importlib.import_module(found.name)
    for found in pkgutil.iter_modules(exercises.__path__, f"{exercises.__name__}.")
]
ALL: list[Exercise] = [
    value
    for module in MODULES
    for value in vars(module).values()
    if isinstance(value, ChoiceExercise | NumberExercise)
]
CHOICES = [exercise for exercise in ALL if isinstance(exercise, ChoiceExercise)]
NUMBERS = [exercise for exercise in ALL if isinstance(exercise, NumberExercise)]

BY_HAND = {
    "ask_words": 31, "ask_padding": 100 * 32 / 60, "ask_peak": 32, "ask_legs": 2.8, "ask_no_query": 20,
    "ask_entropy": 3, "ask_head_width": 64, "ask_triangle": 55, "ask_first_weight": 1, "ask_copies": 9,
    "ask_half_peak": 16_000, "ask_half_warmup": 50, "ask_more_heads": 0, "ask_rounds": 6, "ask_growth": 3.4,
    "ask_steps": 40, "ask_row_sum": 1, "ask_two_steps": -1.609,
}  # fmt: skip
"""What people find with paper and pencil, or read off the figure, and type."""


def said(app: AppTest) -> str:
    return "\n".join(box.value for box in (*app.success, *app.warning, *app.info))


def test_every_view_has_one_of_its_own() -> None:
    rooms = (ROOT / "pages" / "components").glob("*/*.py")
    used = Counter(
        (imported.group(1), name)
        for file in rooms
        if (imported := re.search(r"import (\w+) as exercises", text := file.read_text()))
        for name in re.findall(r"exercise=exercises\.(\w+)", text)
    )
    there = {
        (module.__name__.rpartition(".")[2], name)
        for module in MODULES
        for name, value in vars(module).items()
        if isinstance(value, ChoiceExercise | NumberExercise)
    }
    asked_at_the_end = {
        ("models", name)
        for name, value in vars(models).items()
        if isinstance(value, ChoiceExercise | NumberExercise)
    }
    assert used.keys() == there - asked_at_the_end
    assert set(used.values()) == {1}


def test_no_key_stands_twice() -> None:
    keys = [exercise.key for exercise in ALL]
    assert len(set(keys)) == len(keys)
    assert all(key.startswith("ask_") for key in keys)


def test_each_number_is_found_by_hand() -> None:
    keys = {exercise.key for exercise in NUMBERS}
    assert keys - BY_HAND.keys() == set(), "work it out with paper and pencil, and write it in BY_HAND"
    assert BY_HAND.keys() - keys == set()


@pytest.mark.parametrize("exercise", NUMBERS, ids=lambda exercise: exercise.key)
def test_the_number_found_by_hand_is_right_and_others_are_not(exercise: NumberExercise) -> None:
    right = BY_HAND.get(exercise.key, math.nan)
    assert exercise.is_right(right)
    assert exercise.is_right(float(exercise.answer.replace(",", ""))), "what Show the answer says"
    step = max(1.0, 2 * exercise.tolerance)
    assert not any(
        exercise.is_right(wrong) for wrong in (right - step, right + step, -right - 1, float("nan"))
    )
    assert exercise.hint(right + step)
    assert exercise.answer not in exercise.help_on.split(), "a hint gives nothing away"


@pytest.mark.parametrize("exercise", CHOICES, ids=lambda exercise: exercise.key)
def test_one_option_is_right_and_each_wrong_one_has_its_hint(exercise: ChoiceExercise) -> None:
    assert exercise.is_right(exercise.answer)
    assert len(exercise.options) == 1 + len(exercise.wrong) >= 3
    for option in exercise.wrong:
        assert not exercise.is_right(option)
        assert exercise.hint(option) and exercise.answer not in exercise.hint(option)


def test_the_right_option_has_no_place_of_its_own() -> None:
    places = {exercise.options.index(exercise.answer) for exercise in CHOICES}
    assert places == {0, 1, 2}


@pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.key)
def test_the_explanation_says_more_than_the_answer(exercise: Exercise) -> None:
    assert exercise.why.endswith(".") and exercise.question.endswith("?")
    assert exercise.why not in exercise.question


def test_a_choice_is_checked_on_the_page(open_page: OpenPage) -> None:
    app = open_page(MASKS.file)
    exercise = masks.PADDING
    radio = app.radio(key=exercise.key)
    assert radio.value is None
    assert exercise.why not in said(app) + texts(app)
    wrong = next(iter(exercise.wrong))
    radio.set_value(wrong).run()
    assert f"**Not quite.** {exercise.wrong[wrong]}" in said(app)
    assert exercise.why not in said(app)
    app.radio(key=exercise.key).set_value(exercise.answer).run()
    assert f"**Right.** {exercise.why}" in said(app)
    assert "Not quite" not in said(app)
    assert exercise.key not in app.query_params
    assert not app.exception


def test_a_number_is_checked_on_the_page(open_page: OpenPage) -> None:
    app = open_page(ATTENTION_BY_HAND.file)
    exercise = attention_by_hand.NUMBERS
    key = exercise.key
    assert app.number_input(key=key).value is None
    app.number_input(key=key).set_value(BY_HAND[key] + 1).run()
    assert f"**Not quite.** {exercise.help_on}" in said(app)
    app.number_input(key=key).set_value(BY_HAND[key]).run()
    assert f"**Right.** It is {exercise.answer}. {exercise.why}" in said(app)
    assert key not in app.query_params


@pytest.mark.parametrize(
    ("page", "exercise"),
    [(TRAIN, models.TRAIN_STEPS), (TRANSLATE, models.TRANSLATE_END)],
    ids=lambda part: getattr(part, "address", ""),
)
def test_pages_where_models_are_made_and_used_ask_too(
    open_page_with_model: OpenPage,
    change_setting: ChangeSetting,
    page: PageEntry,
    exercise: ChoiceExercise | NumberExercise,
) -> None:
    app = open_page_with_model(page.file)
    assert exercise.question in texts(app)
    change_setting("exercises", False)
    assert exercise.question not in texts(app.run())


def test_the_answer_is_shown_when_asked_for(open_page: OpenPage) -> None:
    app = open_address(open_page, MASKS.file, {"masks": "causal"})
    assert masks.CAUSAL.why not in said(app)
    app.toggle(key=f"{masks.CAUSAL.key}_shown").set_value(True).run()
    assert f"**55.** {masks.CAUSAL.why}" in said(app)


def test_an_address_answers_nothing(open_page: OpenPage) -> None:
    app = open_address(
        open_page, MASKS.file, {masks.PADDING.key: masks.PADDING.answer, f"{masks.PADDING.key}_shown": "1"}
    )
    assert app.radio(key=masks.PADDING.key).value is None
    assert masks.PADDING.why not in said(app)


@pytest.mark.parametrize("minutes", LESSONS)
def test_three_different_pages_close_a_lesson(minutes: int) -> None:
    plan = LESSONS[minutes]
    taught = [stop.page for stop in plan.stops]
    seen: set[str] = set()
    for turn in range(4):
        questions = closing_questions(plan, turn)
        asked = [page for page, _ in questions]
        assert len(set(asked)) == QUESTIONS
        assert asked == sorted(asked, key=taught.index)
        seen |= {exercise.key for _, exercise in questions}
    assert len(seen) >= 2 * QUESTIONS, "others are others"


@pytest.mark.parametrize("minutes", LESSONS)
def test_the_first_three_are_not_asked_on_the_way(with_shipped: None, minutes: int) -> None:
    plan = LESSONS[minutes]
    for page, exercise in closing_questions(plan, turn=0):
        stop = next(stop for stop in plan.stops if stop.page == page)
        app = opened(page, dict(stop.query(Workspace())))
        assert "**Exercise.**" in texts(app)
        assert f"**Exercise.** {exercise.question}" not in texts(app)


def test_every_closing_question_belongs_to_a_page_of_the_menu() -> None:
    assert set(CLOSING) <= set(PAGES)
    assert {each.key for asked in CLOSING.values() for each in asked} <= {each.key for each in ALL}


def test_a_lesson_closes_on_its_last_page(open_page: OpenPage) -> None:
    app = open_address(open_page, ATTENTION_MAPS.file, {"lesson": "10"})
    assert "Then [three questions](#three-questions)" in texts(app)
    questions = closing_questions(LESSONS[10], 0)
    assert all(f"**Exercise.** {exercise.question}" in texts(app) for _, exercise in questions)
    first = questions[0][1]
    app.radio(key=f"closing_{first.key}").set_value(first.answer).run()
    assert "**Right.**" in said(app)
    app.button(key="closing_others").click().run()
    assert f"**Exercise.** {first.question}" not in texts(app)
    assert not app.exception


def test_the_closing_says_how_many_are_right(open_page: OpenPage) -> None:
    app = open_address(open_page, ATTENTION_MAPS.file, {"lesson": "10"})
    exercises = [exercise for _, exercise in closing_questions(LESSONS[10], 0)]
    for exercise in exercises:
        assert isinstance(exercise, ChoiceExercise)
        assert " right.**" not in said(app)
        answer = next(iter(exercise.wrong)) if exercise == exercises[0] else exercise.answer
        app.radio(key=f"closing_{exercise.key}").set_value(answer).run()
    assert "**2 of 3 right.**" in said(app)
    app.radio(key=f"closing_{exercises[0].key}").set_value(exercises[0].answer).run()
    assert "**3 of 3 right.** You have finished the lesson." in said(app)


def test_a_lesson_does_not_close_before_its_end(open_page: OpenPage) -> None:
    app = open_address(open_page, "pages/train.py", {"lesson": "10"})
    assert "closing_others" not in [button.key for button in app.button]


def test_a_teacher_switches_them_off(open_page: OpenPage, change_setting: ChangeSetting) -> None:
    change_setting("exercises", False)
    app = open_page(MASKS.file)
    assert "Exercise" not in texts(app)
    assert not app.radio
    app = open_address(open_page, ATTENTION_MAPS.file, {"lesson": "10"})
    assert "three questions" not in texts(app).lower()
    assert not app.radio
