"""The 60-minute lesson, which has the pages of the others, where nothing was ever downloaded."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.checkpoints.shipped import FIRST
from core.corpora.corpus import DATA_VARIABLE
from core.tokens.word import normalize
from pages.content.lesson_plan import LessonStep
from pages.content.lessons import LESSONS
from pages.content.pages import ARCHITECTURE, LESSON_END, TRAIN
from pages.content.reader import PAGE_TEXTS
from tests.conftest import numbers
from tests.pages.conftest import (
    change,
    column,
    keys_of,
    numbers_said,
    open_page,
    press,
    texts,
    wait_for_training,
    workspace_of,
)
from tests.pages.test_evaluate import evaluate
from tests.pages.test_text_as_numbers import chips


def train(app: AppTest) -> None:
    wait_for_training(press(app, "leads_on"))
    assert numbers(app.subheader[0].value) == ["15", "15"]


def translate(app: AppTest) -> None:
    press(change(app, sentence="je suis fatigué"), "translate_text")
    assert "i am tired" in texts(app).lower()


def leave_out_the_padding_mask(app: AppTest) -> None:
    assert workspace_of(app).models.selected is workspace_of(app).models.trained
    change(app, pads=6)


def split_a_made_up_word(app: AppTest) -> None:
    change(app, english="the blorptastic triceratops")
    words, subwords = chips(app)
    assert len(subwords) > len(words)


def shuffle(app: AppTest) -> None:
    change(app, positions="shuffle", shuffle=5)


def step_through_cells(app: AppTest) -> None:
    first = texts(app)
    assert first != texts(press(app, "step_Right"))


def find_the_width(app: AppTest) -> None:
    peak = texts(app)
    assert peak != texts(change(app, width_of_model=2048))


def choose_another_word(app: AppTest) -> None:
    before = texts(app)
    app.text_input(key="prefix_text").set_value("this was")
    assert before != texts(press(app, "take_prefix"))


def search_and_find_the_longest(app: AppTest) -> None:
    (count,) = numbers(app.subheader[0].value)
    change(app, pairs_search="escola")
    assert [str(len(column(app, 0))), count] in numbers_said(app)
    change(app, pairs_search="", longest_first=True)
    lengths = [len(normalize(text).split()) for text in column(app, 1)]
    assert lengths == sorted(lengths, reverse=True) and lengths[0] == 14


def read_the_worst(app: AppTest) -> None:
    evaluate(change(app, evaluated_pairs=20))
    assert "**20**" in texts(app)
    scores = list(map(float, column(app, 1)))
    assert scores == sorted(scores) and scores[0] < scores[-1]


def take_the_model_home(app: AppTest) -> None:
    assert any("CC BY-NC-ND" in text.value for text in app.markdown)
    own = workspace_of(app).models.trained
    assert own is not None and own.to_bytes()


def look(app: AppTest) -> None:
    """Look at a figure of the browser, or of Plotly, which AppTest has none of."""


TASKS: dict[str, Callable[[AppTest], None]] = {
    "train": train,
    "translate": translate,
    "masks": leave_out_the_padding_mask,
    "architecture": look,
    "text_as_numbers": split_a_made_up_word,
    "positional_encoding": shuffle,
    "attention_by_hand": step_through_cells,
    "learning_rate": find_the_width,
    "attention_maps": look,
    "decoding": choose_another_word,
    "inside": look,
    "gpt": look,
    "data": search_and_find_the_longest,
    "evaluate": read_the_worst,
    "checkpoints": take_the_model_home,
}


def check_opened(app: AppTest, step: LessonStep) -> None:
    """Check that the view and the model are there that the step's task needs."""
    if parameter := PAGE_TEXTS[step.page.address].parameter:
        assert app.session_state[parameter] == step.view
    if step.model and step.page != ARCHITECTURE:
        own = workspace_of(app).models.trained
        assert app.session_state["model"] == (FIRST if step.model == "shipped" else own and own.id)
    shown = app.session_state["shown_choices"]
    for key, value in step.choices.items():
        # Decoding chooses its step.
        assert shown[key] in (value, str(value), str(value).lower()) or key == "at", key


@pytest.mark.long
def test_every_task_of_the_long_lesson_can_be_done(
    with_shipped: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    plan = LESSONS["60"]
    app = press(open_page(lesson="60"), "begin")
    for number, step in enumerate(plan.steps, start=1):
        planned = sum(each.minutes for each in plan.steps[:number])
        (bar,) = (each.value for each in app.markdown if step.task in each.value)
        place, steps, _used, minutes = map(int, numbers(bar)[:4])
        assert (place, steps, minutes) == (number, len(plan.steps), planned)
        if step.texts and step.texts.prediction and step.page != TRAIN:
            press(app, "leads_on")  # the figure comes with the answer, or without one
        check_opened(app, step)
        TASKS[step.page.address](app)
        assert not app.error, step.page.address
        press(app, "lesson_next")
    assert app.title[0].value == LESSON_END.title
    assert "lesson_next" not in keys_of(app)
    press(press(app, "lesson_back"), "foot_next")
    assert app.title[0].value == LESSON_END.title
    assert list(tmp_path.iterdir()) == []
