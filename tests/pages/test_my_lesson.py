"""A teacher puts views together into a lesson: what was collected is what a class sees."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest
from streamlit.testing.v1 import AppTest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import find_checkpoint
from core.presets import CLASSROOM
from core.records.text import Pair
from core.server.trained_model import TrainedModel
from pages import my_lesson
from pages.components.frame.collecting import step_of_view
from pages.components.frame.links import MODEL, PRESET
from pages.components.frame.visit import Visit
from pages.components.one_page.model import why_no_page
from pages.content.lesson_file import MAX_BYTES, own_question, read_lesson, unpack_lesson, write_lesson
from pages.content.lesson_plan import LessonPlan, LessonStep
from pages.content.lessons import LESSONS, MINE
from pages.content.pages import (
    DECODING,
    HOME,
    MASKS,
    MY_LESSON,
    PAGES,
    POSITIONAL_ENCODING,
    TRAIN,
    TRANSLATE,
    PageEntry,
)
from pages.content.reader import PAGE_TEXTS
from tests.conftest import ChangeSetting
from tests.pages.conftest import (
    change,
    go_to,
    linked,
    open_page,
    press,
    remembered,
    texts,
    upload,
    workspace_of,
)
from tests.pages.markdown import addresses_on
from tests.pages.test_addresses import options_of, widgets_on
from tests.pages.test_lesson_file import ASKED, NO_LESSONS, OWN


def step_of(app: AppTest, page: PageEntry) -> LessonStep:
    """Return the view as a step."""
    visit = Visit(page, workspace_of(app), seat=None, lesson=None, number=0)
    return step_of_view(visit, app.session_state["shown_choices"])


def own_lesson(app: AppTest) -> LessonPlan:
    plan = remembered(app).lesson
    assert plan is not None
    return plan


def my_page(plan: LessonPlan | None = None) -> AppTest:
    """Return My lesson, with this lesson."""
    app = open_page(MY_LESSON.file)
    if plan is not None:
        remembered(app).change_lesson(plan)
    return change(app)


def open_lesson(plan: LessonPlan, **values: Any) -> AppTest:
    app = open_page(HOME.file)
    remembered(app).change_lesson(plan)
    return change(app, lesson=MINE, **values)


@pytest.mark.slow
@pytest.mark.parametrize("page", [MASKS, TRAIN, DECODING], ids=lambda page: page.address)
def test_a_step_opens_as_it_was_collected(page: PageEntry, with_shipped: None) -> None:
    first = open_page(page.file)
    others = {
        key: options[-1]
        for key, widget in widgets_on(first).items()
        if (options := options_of(widget)) and key not in (MODEL, PRESET)
    }
    others |= {each.key: str(each.min) for each in (*first.slider, *first.number_input)}
    step = step_of(linked(page.file, **others), page)
    assert bool(others) == (step != step_of(first, page))
    other = press(open_lesson(LessonPlan((replace(step, asks="none"),), title="One")), "begin")
    assert (step_of(other, page).view, step_of(other, page).choices) == (step.view, step.choices)


@pytest.mark.parametrize(
    ("address", "view"),
    [
        (page.address, name)
        for page in PAGES
        for name, view in PAGE_TEXTS[page.address].views.items()
        if view.prediction
        and page.address not in (TRAIN.address, DECODING.address, "inside", "attention_maps")
    ],
)
def test_a_lesson_asks_what_the_app_asks_of_any_view(address: str, view: str, with_shipped: None) -> None:
    page = next(page for page in PAGES if page.address == address)
    app = open_lesson(LessonPlan((LessonStep(page, 1, "Look.", view=view),), title="One"))
    press(app, "begin")
    asked = PAGE_TEXTS[address].views[view].prediction
    assert asked is not None
    assert app.button(key=f"{asked.key}_A") and app.button(key="leads_on")


def test_a_lesson_s_page_says_why_ones_own_model_does_not_go_into_it(with_shipped: None) -> None:
    app = my_page(OWN)
    model = TrainedModel("Ours", Checkpoint.load(find_checkpoint("ted_pt_en")))
    workspace_of(app).models.kept.append(model)
    assert why_no_page(model) in texts(change(app))


def test_preview_begins_the_lesson_on_the_projector() -> None:
    app = my_page(OWN)
    press(app, "preview")
    assert app.session_state["present"] and app.slider(key="triangle").value == 7
    assert "Ask Paul" in OWN.steps[0].note and "Ask Paul" not in texts(app)


@pytest.mark.slow
def test_a_page_comes_twice_each_time_with_its_own_choices() -> None:
    causal = OWN.steps[0]
    app = open_lesson(LessonPlan((causal, replace(causal, choices={"triangle": 4})), title="Twice"))
    for key, triangle in (("begin", 7), ("lesson_next", 4), ("lesson_back", 7)):
        press(app, key)
        assert app.slider(key="triangle").value == triangle


def test_a_question_of_ones_own_is_asked_before_the_figure_and_its_text_is_no_markup() -> None:
    asked = replace(ASKED, question="**What** is $d_k$? [x](http://evil.example)")
    plan = LessonPlan((replace(OWN.steps[1], question=asked), OWN.steps[0]), title="Q")
    app = open_lesson(plan)
    press(app, "begin")
    assert not app.slider
    (said,) = (each.value for each in app.markdown if "d_k" in each.value)
    assert "$d_k$" in said and "\\*\\*What" in said and "](http" not in said
    shown = plan.shown[0].prediction
    assert shown is not None
    press(app, f"{shown.key}_{'ABC'[shown.right_option]}")
    press(app, "leads_on")
    assert app.slider(key="triangle") and app.success


@pytest.mark.slow
@pytest.mark.parametrize("value", [True, -3, 10**12, 2.5, "x", "\0", ["x", 1]])
def test_choices_of_a_stranger_s_lesson_break_no_page(value: object, with_shipped: None) -> None:
    steps = []
    for page, keys in (
        (MASKS, ("masks_view", "triangle", "workspace", "session", "lang", MODEL, PRESET)),
        (DECODING, ("at", "said", "sentence", "search", "beams")),
    ):
        view = next(iter(PAGE_TEXTS[page.address].views))
        steps.append(LessonStep(page, 1, "", view=view, asks="none", choices=dict.fromkeys(keys, value)))
    app = open_lesson(LessonPlan(tuple(steps), title="Strange"))
    press(app, "begin")
    press(app, "lesson_next")
    assert app.title[0].value == DECODING.title


def test_a_number_beyond_its_range_in_a_stranger_s_lesson_is_the_usual_one() -> None:
    step = LessonStep(MASKS, 1, "", view="causal", asks="none", choices={"triangle": 5})
    found = []
    for number in (5, 99, -1):
        app = press(
            open_lesson(LessonPlan((replace(step, choices={"triangle": number}),), title="L")), "begin"
        )
        found.append(app.slider(key="triangle").value)
    usual = linked(MASKS.file, masks_view="causal").slider(key="triangle").value
    assert found == [5, usual, usual]


def test_the_link_of_a_lesson_is_made_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    pack = Mock(wraps=my_lesson.pack_lesson)
    monkeypatch.setattr(my_lesson, "pack_lesson", pack)
    app = my_page(OWN)
    assert not pack.called
    app.session_state["lesson_link"] = True
    (packed,) = re.findall(r"\?my_lesson=([\w-]+)", change(app).code[0].value)
    assert unpack_lesson(packed).plan.title == OWN.title


@pytest.mark.slow
def test_a_lesson_is_edited_and_an_undo_brings_it_back() -> None:
    app = open_page(MY_LESSON.file)
    press(app, "from_10")
    ours = own_lesson(app).steps
    assert tuple(replace(step, preset="") for step in ours) == LESSONS["10"].steps
    assert {step.preset for step in ours[:2]} == {CLASSROOM.name}, (
        "those that train, or need the trained model"
    )
    press(app, "down_0")
    press(app, "edit_0")
    change(app, edit_minutes=9)
    app.number_input(key="edit_minutes").set_value(9)
    change(app)
    assert [step.minutes for step in own_lesson(app).steps] == [9, 3, 4]
    press(app, "remove_0")
    assert own_lesson(app).steps == (ours[0], ours[2])
    press(app, "undo_lesson")
    assert own_lesson(app).minutes == 16


@pytest.mark.slow
def test_share_adds_the_view_to_the_lesson() -> None:
    app = open_page(MASKS.file, masks_view="causal", triangle=5)
    for count in (1, 2):
        press(app, "share").button(key="add_to_lesson").click()
        app.button(key="share").click()  # AppTest (1.67) closes the dialog otherwise
        change(app)
        assert [step.page for step in own_lesson(app).steps] == [MASKS] * count
        assert own_lesson(app).steps[-1].choices["triangle"] == "5"
    assert change(go_to(app, MY_LESSON.file)).button(key="edit_1")


def test_a_lesson_is_saved_as_a_file_with_its_notes_and_opened_again(
    downloaded: Callable[[str], bytes],
) -> None:
    my_page(OWN)
    content = downloaded(".json")
    assert read_lesson(content).plan.steps == OWN.steps and OWN.steps[0].note
    app = upload(my_page(LessonPlan(OWN.steps[:1], title="Mine")), "lesson_file", "a.json", content)
    assert (own_lesson(app).title, own_lesson(app).steps) == (OWN.title, OWN.steps)
    assert not app.warning
    press(app, "undo_lesson")
    assert own_lesson(app).title == "Mine"


@pytest.mark.parametrize("content", [b"", NO_LESSONS["lists in lists"], b"x" * (MAX_BYTES + 1)])
def test_a_file_that_is_no_lesson_is_said_and_changes_nothing(content: bytes) -> None:
    app = upload(my_page(OWN), "lesson_file", "a.json", content)
    assert app.warning and own_lesson(app).steps == OWN.steps


def test_what_is_wrong_in_a_file_is_said_as_plain_text() -> None:
    hostile = write_lesson(OWN).replace(b'"page": "masks"', b'"page": "![x](http://evil.example/1.png)"', 1)
    app = upload(my_page(), "lesson_file", "a.json", hostile)
    assert len(own_lesson(app).steps) == 1
    assert app.warning and not [found for found in addresses_on(app) if "evil" in found]


@pytest.mark.slow
def test_what_is_typed_in_the_editor_is_the_step() -> None:
    app = my_page(LessonPlan((LessonStep(MASKS, 3, "Look.", view="causal"),), title="Typed"))
    press(app, "edit_0")
    app.radio(key="edit_asks").set_value("after")
    change(app)
    typed = {
        "note": "Ask Paul.",
        "text": "Why?",
        "answer": "So.",
        "wrong_0": "No.",
        "wrong_1": "Never.",
        "why": ".",
    }
    for field, text in {"task": "Look again.", **typed}.items():
        box = app.text_area if field in ("task", "note") else app.text_input
        box(key=f"edit_{field}").set_value(text)
        change(app)
    (step,) = own_lesson(app).steps
    asked = own_question(MASKS, "Why?", "So.", ["No.", "Never."], ".")
    assert (step.task, step.note, step.asks, step.question) == ("Look again.", "Ask Paul.", "after", asked)
    app.text_input(key="edit_wrong_0").set_value("")
    change(app)
    (step,) = own_lesson(app).steps
    assert step.question == own_question(MASKS, "Why?", "So.", ["Never."], ".")


def test_another_text_is_another_question_whose_votes_are_counted_anew() -> None:
    questions = (
        ASKED,
        replace(ASKED, question="Why?"),
        replace(ASKED, answer="65"),
        own_question(MASKS, ASKED.question, ASKED.answer, ["=1+1", "513"], ASKED.why),
    )
    steps = tuple(LessonStep(MASKS, 3, "Look.", asks="before", question=each) for each in questions)
    keys = [each.prediction.key for each in LessonPlan(steps, title="Four").shown if each.prediction]
    assert len({*keys}) == len(questions)


def test_a_step_that_asks_nothing_has_no_question_of_ours() -> None:
    step = LessonStep(POSITIONAL_ENCODING, 3, "Look.", view="shuffle")
    assert step.prediction and step.exercises
    without = replace(step, asks="none")
    assert without.prediction is None and without.exercises == ()


@pytest.mark.slow
def test_a_step_about_ones_own_model_trains_it_with_the_teacher_s_pairs(checkpoint: Checkpoint) -> None:
    app = open_page(TRANSLATE.file, own=TrainedModel("Mine", checkpoint))
    memory = remembered(app)
    memory.pairs = memory.pairs[:3]
    step = step_of(app, TRANSLATE)
    assert (step.model, step.pairs) == ("own", memory.pairs)
    assert MODEL not in step.choices
    other = open_lesson(LessonPlan((step,), title="Own"))
    press(other, "begin")
    assert other.button(key="leads_on")
    trains = LessonStep(TRAIN, 3, "Train.", view="train", pairs=step.pairs)
    other = open_lesson(LessonPlan((trains,), title="Own"))
    press(other, "begin")
    assert remembered(other).pairs == step.pairs
    other = open_lesson(LessonPlan((trains,), title="Own"))
    remembered(other).pairs = typed = (Pair("un", "one"), Pair("deux", "two"))
    press(other, "begin")
    assert remembered(other).pairs == typed, "the visitor's own"


def test_pairs_of_a_lesson_are_limited_like_all_others(change_setting: ChangeSetting) -> None:
    change_setting("max_pairs", 2)
    step = LessonStep(TRANSLATE, 3, "Translate.", model="own", pairs=CLASSROOM.pairs[:3])
    app = open_lesson(LessonPlan((step,), title="Own"))
    app.button(key="begin").click()
    change(app)
    app.button(key="leads_on").click()
    change(app)
    assert app.toast and workspace_of(app).jobs.training is None
