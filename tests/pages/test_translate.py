from __future__ import annotations

import dataclasses

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import OpenPage, error_of, press, texts, wait_for_training, workspace_of

PAGE = "pages/translate.py"


def type_sentence(app: AppTest, sentence: str) -> AppTest:
    app.text_input(key="sentence").set_value(sentence).run()
    assert not app.exception
    return app


def test_without_a_model_one_is_trained_in_place(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert "There is no model yet" in app.info[0].value
    press(app, "Train the classroom model")
    app = wait_for_training(app)
    assert app.title[0].value == "Translate"
    assert app.subheader[0].value == "i like tensorflow"


def test_a_sentence_and_what_is_shown_of_it(open_page_with_model: OpenPage) -> None:
    app = type_sentence(open_page_with_model(PAGE), "Je ne comprends pas !")
    assert app.subheader[0].value == "i do not understand"
    assert "je · 2" in texts(app)
    assert "log P =" in texts(app)
    assert not app.warning


def test_the_same_question_is_answered_once(open_page_with_model: OpenPage) -> None:
    app = type_sentence(open_page_with_model(PAGE), "merci")
    first = workspace_of(app).answer
    app.run()
    assert workspace_of(app).answer is first


def test_an_example_fills_the_box(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    app.pills[0].set_value("bonne nuit").run()
    assert app.text_input(key="sentence").value == "bonne nuit"
    assert app.subheader[0].value == "good night"


def test_beam_search_lists_its_hypotheses(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    assert len(app.dataframe) == 0
    app.segmented_control[0].set_value("beam").run()
    app.slider(key="beams").set_value(3).run()
    assert app.subheader[0].value == "i like tensorflow"
    assert len(app.dataframe[0].value) == 3


def test_unknown_words_are_marked_and_explained(open_page_with_model: OpenPage) -> None:
    app = type_sentence(open_page_with_model(PAGE), "je suis paléontologue")
    assert "paléontologue · 1 · unknown" in texts(app)
    assert "A word-level model knows only the words it was trained on" in app.info[0].value


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("", "There are no words to translate"),
        ("🙂🙂", "There are no words to translate"),
        ("bonjour " * 2000, "The sentence has 2,000 words; this model reads at most 32"),
        ("bonjour " * 10_000, "The text has 80,000 characters; this page takes at most 20,000"),
        ("*" * 50, "There are no words to translate"),
    ],
)
def test_what_cannot_be_translated(open_page_with_model: OpenPage, sentence: str, message: str) -> None:
    app = type_sentence(open_page_with_model(PAGE), sentence)
    assert message in error_of(app)


def test_text_is_shown_as_text(open_page_with_model: OpenPage) -> None:
    app = type_sentence(open_page_with_model(PAGE), "je")
    mine = workspace_of(app)
    assert mine.answer is not None
    hypothesis = dataclasses.replace(mine.answer.translation.best, text="![x](http://x) <b>*y*</b>")
    forged = dataclasses.replace(mine.answer.translation, hypotheses=(hypothesis,))
    mine.answer = dataclasses.replace(mine.answer, translation=forged)
    app.run()
    assert app.subheader[0].value == r"\!\[x\]\(http\://x\) \<b\>\*y\*\</b\>"


def test_the_address_holds_the_sentence(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model("pages/home.py")
    app.query_params["sentence"] = "bonne nuit"
    app.switch_page(PAGE).run()
    assert app.text_input(key="sentence").value == "bonne nuit"
    assert app.subheader[0].value == "good night"
