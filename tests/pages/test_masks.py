from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.models import TrainedModel
from pages.components.app.menu import MASKS
from tests.pages.conftest import OpenPage, press, texts, workspace_of
from tests.pages.explaining import open_address

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

PAGE = MASKS.file
LONG = "one " * 300


def look_at(app: AppTest, view: str) -> AppTest:
    app.segmented_control(key="masks").set_value(view).run()
    assert not app.exception
    return app


def html_of(app: AppTest) -> str:
    elements: Any = app.get("html")
    return "\n".join(each.body for each in elements)


def test_first_view_is_a_batch_and_its_padding_mask(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert app.title[0].value == "Masks"
    assert "**3 of 12 positions are padding.**" in texts(app)  # 3, 4 and 2 words
    assert "shape is (3, 1, 1, 4)" in texts(app)
    assert "padding" in app.code[0].value
    assert [each.value for each in app.subheader] == ["What to notice", "The formula", "The code"]


def test_sentences_are_edited(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    app.text_input(key="masked_sentence_3").set_value("can you help me now").run()
    assert "**3 of 15 positions are padding.**" in texts(app)  # "me" and "now" have the id 1, which is no pad
    assert "gets the id 1" in texts(app)


@pytest.mark.parametrize("view", ["padding", "combined", "softmax"])
def test_nonsense_and_novels(open_page: OpenPage, view: str) -> None:
    app = look_at(open_page(PAGE), view)
    for text in ("", "   ", "🙂🙂", "<b>*bold*</b> $x$ [a](b)", LONG):
        for number in (1, 2, 3):
            app.text_input(key=f"masked_sentence_{number}").set_value(text)
        app.run()
        assert not app.exception
    assert "Only the first 10 words" in texts(app)


def test_three_empty_sentences_say_so(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    for number in (1, 2, 3):
        app.text_input(key=f"masked_sentence_{number}").set_value("")
    app.run()
    assert "All three sentences are empty" in app.info[0].value


def test_look_ahead(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "causal")
    assert app.slider(key="triangle").value == 7
    assert "**21 of 49 positions are blocked:**" in texts(app)
    app.slider(key="triangle").set_value(1).run()
    assert "**0 of 1 positions are blocked:**" in texts(app)


def test_both(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "combined")
    # [START] i like tensorflow [PAD]: rows of 1, 2, 3, 4 and 4 open places.
    assert "**14 of 25 positions are open** in sentence 1" in texts(app)
    app.segmented_control(key="which").set_value(2).run()
    assert "**15 of 25 positions are open** in sentence 2" in texts(app)  # no pad: the triangle alone


def test_softmax_is_stepped_through(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "softmax")
    assert app.slider(key="written").value == 3
    assert r"#### \[START\] i like …" in texts(app)
    assert "Of 5 positions, 2 are blocked." in texts(app)
    assert "“like” attends to …" in html_of(app)
    press(app, "Write the next")
    assert r"#### \[START\] i like tensorflow …" in texts(app)
    assert "Of 5 positions, 1 is blocked." in texts(app)
    assert app.slider(key="written").value == 4
    app.segmented_control(key="which").set_value(3).run()  # a shorter one: the slider goes to its end
    assert app.slider(key="written").value == 3
    app.segmented_control(key="which").set_value(2).run()
    app.slider(key="written").set_value(5).run()
    assert "All 5 positions are open" in texts(app)
    app.slider(key="written").set_value(1).run()
    assert "Of 5 positions, 4 are blocked." in texts(app)


@pytest.mark.slow
def test_a_models_name_is_text(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    app = open_page("pages/home.py")
    workspace_of(app).open_model(TrainedModel("<b>*x*</b>", checkpoint))
    look_at(app.switch_page(PAGE).run(), "without")
    assert r"The translation by **\<b\>\*x\*\</b\>**; greedy" in texts(app)


def test_without_a_model_training_is_suggested(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "without")
    assert "Train the classroom model" in app.info[0].value
    assert "Train" in [link.label for link in app.page_link]


@pytest.mark.slow
def test_the_current_model_without_its_padding_mask(open_page_with_model: OpenPage) -> None:
    app = look_at(open_page_with_model(PAGE), "without")
    assert app.text_input(key="text").value == "j aime tensorflow"
    said = texts(app)
    assert "**6 padding tokens, mask left out**" in said
    assert "the translation **stays as it was**" in said
    assert said.count("#### i like tensorflow") >= 2  # alone, and masked
    assert "Attention on padding: **0%** in the encoder, **0%** in cross-attention" in said
    assert "tests/benchmarks/padding_leak.py" in said
    app.slider(key="pads").set_value(1).run()
    assert "**1 padding token, masked**" in texts(app)
    app.text_input(key="text").set_value("bonne nuit").run()
    assert "#### good night" in texts(app)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "There are no words to translate"),
        ("🙂", "no words to translate"),
        ("mot " * 300, "36 with padding"),
    ],
)
def test_what_the_model_cannot_read(open_page_with_model: OpenPage, text: str, said: str) -> None:
    app = look_at(open_page_with_model(PAGE), "without")
    app.slider(key="pads").set_value(16).run()
    app.text_input(key="text").set_value(text).run()
    assert not app.exception
    assert said in app.error[0].value


@pytest.mark.slow
def test_the_shipped_model_writes_something_else(open_page: OpenPage, with_shipped: None) -> None:
    app = look_at(open_page(PAGE), "without")
    assert app.text_input(key="text").value == "este é um problema que temos que resolver."
    app.slider(key="pads").set_value(16).run()
    assert not app.exception
    said = texts(app)
    assert (
        said.count(r"#### This is a problem that we have to solve\.") == 3
    )  # and, without the mask, goes on
    assert "it **becomes another one**" in said
    app.text_input(key="text").set_value("palavra " * 300).run()
    assert "Only the first 20 words are read" in texts(app)


def test_cheating(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "cheating")
    assert "**3 of 4 answers are in sight.**" in texts(app)
    assert "This is cheating" in app.warning[0].value
    app.toggle(key="look_ahead").set_value(True).run()
    assert "**None of 4 answers is in sight.**" in texts(app)
    assert "Nothing to copy" in app.success[0].value


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (
            {f"masked_sentence_{number}": "hello" for number in (1, 2, 3)},
            "**0 of 3 positions are padding.**",
        ),
        ({"masks": "causal", "triangle": "4"}, "**6 of 16 positions are blocked:**"),
        ({"masks": "combined", "which": "3"}, "**12 of 25 positions are open** in sentence 3"),
        ({"masks": "softmax", "which": "2", "written": "4"}, "is the …"),
        ({"masks": "cheating", "look_ahead": "1"}, "**None of 4 answers is in sight.**"),
        ({"masks": "nonsense", "which": "99"}, "**3 of 12 positions are padding.**"),
        ({"masks": "causal", "triangle": "-5"}, "**0 of 1 positions are blocked:**"),
        ({"masks": "causal", "triangle": "1e309"}, "**21 of 49 positions are blocked:**"),
        ({"masks": "softmax", "written": "99"}, "Of 5 positions, 1 is blocked."),
    ],
)
def test_an_address_opens_its_view(open_page: OpenPage, address: dict[str, str], said: str) -> None:
    assert said in texts(open_address(open_page, PAGE, address))


def test_hostile_numbers_of_pads(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    app = open_page("pages/home.py")
    workspace_of(app).open_model(TrainedModel("Classroom", checkpoint))
    for name, value in {"masks": "without", "pads": "1e9", "text": ""}.items():
        app.query_params[name] = value
    app.switch_page(PAGE).run()
    assert not app.exception
    assert app.slider(key="pads").value == 6
    assert app.text_input(key="text").value == ""
