"""Predictions: what a figure will show, asked before it comes; each answer is what the code computes."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.checkpoints.checkpoint import Checkpoint
from core.records.question import ChoiceQuestion
from core.server.trained_model import TrainedModel
from pages.components.frame.session import server_rooms
from pages.content.lessons import LESSONS
from pages.content.pages import DECODING, HOME, LEARNING_RATE, TRAIN, TRANSLATE
from pages.content.reader import PAGE_TEXTS
from tests.conftest import ChangeSetting
from tests.pages.conftest import (
    EARLIER,
    OpenPage,
    change,
    go_to,
    keys_of,
    open_page,
    press,
    remembered,
    texts,
    training_of,
    untrained_decoder,
    wait_for_training,
    workspace_of,
)

ALL: list[ChoiceQuestion] = [
    view.prediction for page in PAGE_TEXTS.values() for view in page.views.values() if view.prediction
]


@pytest.mark.parametrize("minutes", ["10", "30"])
def test_nearly_every_step_begins_with_a_prediction(minutes: str) -> None:
    steps = LESSONS[minutes].steps
    asked = [step for step in steps if step.texts and step.texts.prediction]
    assert len(asked) >= min(len(steps), 8)


def drawings(app: AppTest) -> int:
    """Return how many figures, drawings and tables of numbers the page shows."""
    names = (each.proto.component_name for each in app.get("bidi_component"))
    drawn = [name for name in names if name.endswith(("_stage", "_living"))]
    tables = [each for each in app.get("html") if each.proto.body.startswith("<style>.")]
    return len(app.get("plotly_chart")) + len(drawn) + len(tables)


ASKED_FIRST = {
    step.texts.prediction.key: (minutes, step)
    for minutes, plan in LESSONS.items()
    for step in plan.steps
    if step.texts and step.texts.prediction and step.page != TRAIN
}


def open_step(key: str, checkpoint: Checkpoint) -> AppTest:
    """Open a lesson's step that begins with a prediction, as the button to it does."""
    minutes, step = ASKED_FIRST[key]
    parameter = PAGE_TEXTS[step.page.address].parameter
    view: dict[str, Any] = {parameter: step.view} if parameter else {}
    if LESSONS[minutes].path.count(step.page) > 1:  # the page alone does not tell the step
        view["lesson_step"] = LESSONS[minutes].steps.index(step) + 1
    own = TrainedModel("Mine", checkpoint)
    app = open_page(step.page.file, own=own, lesson=minutes, **view, **step.choices)
    workspace_of(app).models.language_model = untrained_decoder()
    return change(app)


def prediction_of(key: str) -> ChoiceQuestion:
    return next(each for each in ALL if each.key == key)


def answer(app: AppTest, prediction: ChoiceQuestion, option: str) -> AppTest:
    letter = "ABCDE"[prediction.options.index(option)]
    return press(app, f"{prediction.key}_{letter}")


def ask_for_figure(app: AppTest) -> AppTest:
    """Press what the remote's Page Down does."""
    return press(app, "leads_on")


@pytest.mark.parametrize("key", ASKED_FIRST)
def test_in_a_lesson_the_figure_waits_for_the_answer(
    with_shipped: None, checkpoint: Checkpoint, key: str
) -> None:
    prediction = prediction_of(key)
    app = open_step(key, checkpoint)
    before = texts(app)
    assert prediction.question in before
    assert not drawings(app)
    _, step = ASKED_FIRST[key]
    assert step.texts
    assert not [text for text in (prediction.why, step.texts.notice) if text in before]
    revealed = texts(answer(app, prediction, next(iter(prediction.wrong))))
    assert prediction.question in revealed and prediction.why in revealed, "the right answer where it stands"
    assert f"**✓** **{'ABCDE'[prediction.options.index(prediction.answer)]}**" in revealed
    assert not drawings(app)
    after = texts(ask_for_figure(app))
    assert drawings(app)
    assert prediction.question not in after
    assert all(text in after for text in (next(iter(prediction.wrong)), prediction.answer, prediction.why))


KEY = "predict_translate_text"


def test_show_me_comes_with_the_figure_and_the_reason(checkpoint: Checkpoint) -> None:
    app = open_step(KEY, checkpoint)
    assert prediction_of(KEY).why in ask_for_figure(app).info[0].value, "neither right nor wrong"
    assert drawings(app) and not remembered(app).answers
    assert "leads_on" not in keys_of(app)  # so that Page Down leads on


def test_on_a_phone_an_answer_shows_the_figure_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.components.explaining.prediction.is_phone", lambda: True)
    prediction = prediction_of("predict_learning_rate_warmup")
    app = open_page(LEARNING_RATE.file, lesson="60")
    assert not drawings(app)
    answer(app, prediction, prediction.answer)
    assert drawings(app) and prediction.why in texts(app)


def test_an_answer_survives_another_page_and_a_reload(checkpoint: Checkpoint) -> None:
    prediction = prediction_of(KEY)
    app = ask_for_figure(answer(open_step(KEY, checkpoint), prediction, prediction.answer))
    go_to(go_to(app, DECODING.file), TRANSLATE.file)
    reloaded = open_page(TRANSLATE.file, lesson="10", workspace=workspace_of(app))
    for each in (app, reloaded):
        assert prediction.why in each.success[0].value
        assert drawings(each)


def test_a_lesson_started_again_asks_again(checkpoint: Checkpoint) -> None:
    prediction = prediction_of(KEY)
    app = ask_for_figure(answer(open_step(KEY, checkpoint), prediction, prediction.answer))
    go_to(press(go_to(app, HOME.file), "begin_again"), TRANSLATE.file)
    assert not drawings(app)
    assert prediction.question in texts(app) and prediction.why not in texts(app)


def test_outside_a_lesson_the_figure_is_there_and_the_question_is_offered(open_trained: OpenPage) -> None:
    prediction = prediction_of(KEY)
    app = open_trained(TRANSLATE.file)
    assert drawings(app)
    assert prediction.question in texts(app)
    assert prediction.why not in texts(app)
    assert prediction.why in texts(answer(app, prediction, next(iter(prediction.wrong))))
    own = remembered(app).answers[KEY].option
    assert own == prediction.options.index(next(iter(prediction.wrong)))


@pytest.mark.long
def test_before_a_training_the_question_waits_for_start() -> None:
    prediction = prediction_of("predict_train_train")
    app = answer(open_page(TRAIN.file, lesson="10", setting_preset="smallest"), prediction, prediction.answer)
    assert prediction.question in texts(app)
    assert prediction.why not in texts(app)
    press(app, "leads_on")
    assert prediction.question not in texts(app)
    assert prediction.why in wait_for_training(app).success[0].value


@pytest.mark.long
def test_in_a_class_the_end_of_the_training_marks_the_answer() -> None:
    app = open_page(TRAIN.file, lesson="10", setting_preset="smallest")
    server_rooms().open(workspace_of(app).id)
    change(app)
    why = prediction_of("predict_train_train").why
    assert why not in texts(app)
    press(app, "leads_on")
    assert why not in texts(app)
    assert why in texts(wait_for_training(app))
    assert EARLIER not in [each.icon for each in app.expander]
    server_rooms().open(workspace_of(app).id)  # for the next class
    assert EARLIER in [each.icon for each in change(app).expander]
    assert app.button(key="leads_on")


def test_the_next_class_is_asked_too(checkpoint: Checkpoint) -> None:
    app, prediction = open_step(KEY, checkpoint), prediction_of(KEY)
    for _class in range(2):
        room = server_rooms().open(workspace_of(app).id).room
        room.act(prediction, "solve")
        assert prediction.question in texts(change(app)), "the right answer where it stands"
        assert prediction.question not in texts(ask_for_figure(app))


def test_a_training_that_shows_the_answer_ends_the_vote() -> None:
    app = open_page(TRAIN.file, lesson="10", setting_preset="smallest")
    room = server_rooms().open(workspace_of(app).id).room
    student = room.join("phone").token
    question = prediction_of("predict_train_train")
    assert room.answer(student, question.read(0))
    press(change(app), "leads_on")
    assert not room.answer(student, question.read(1))
    training_of(app).stop()


def test_a_teacher_switches_them_off(checkpoint: Checkpoint, change_setting: ChangeSetting) -> None:
    change_setting("exercises", False)
    app = open_step(KEY, checkpoint)
    assert drawings(app)
    assert prediction_of(KEY).why not in texts(app)
    app = open_page(TRANSLATE.file, own=TrainedModel("Mine", checkpoint))
    assert prediction_of(KEY).question not in texts(app)
