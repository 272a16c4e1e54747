"""Model, sentence and translation on the pages that look inside."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.components.app.menu import SECTIONS, TRANSLATE, PageEntry
from pages.components.widgets.text_box import MAX_LINKED_TEXT
from tests.pages.conftest import ROOT, OpenPage, error_of, press, texts, workspace_of

ENTRIES = SECTIONS["Look inside"]
each_page = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)


def follow(app: AppTest, entry: PageEntry, address: dict[str, str]) -> AppTest:
    app.query_params.clear()
    for name, value in address.items():
        app.query_params[name] = value
    app.switch_page(entry.file).run()
    assert not app.exception
    return app


@pytest.mark.slow
@each_page
def test_a_sentence_is_typed_on_the_page_itself(open_page_with_model: OpenPage, entry: PageEntry) -> None:
    app = open_page_with_model(entry.file)
    assert app.title[0].value == entry.title
    assert "→ **i like tensorflow**" in texts(app)
    app.text_input(key="sentence").set_value("bonne nuit")
    press(app, "Translate")
    assert "→ **good night**" in texts(app)
    assert dict(app.query_params)["sentence"] in ("bonne nuit", ["bonne nuit"])


@pytest.mark.slow
def test_one_translation_is_shared_by_all(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(TRANSLATE.file)
    app.text_input(key="sentence").set_value("bonne nuit")
    press(app, "Translate")
    for entry in ENTRIES:
        before = workspace_of(app).answer
        app.switch_page(entry.file).run()
        assert workspace_of(app).answer is before


@pytest.mark.slow
@each_page
def test_a_link_shows_the_same_in_a_fresh_session(
    open_page: OpenPage, with_shipped: None, entry: PageEntry
) -> None:
    address = {"model": "anki_en_fr", "sentence": "I am happy.", "search": "beam", "beams": "3"}
    fresh = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=300)
    follow(fresh, entry, address)
    answer = workspace_of(fresh).answer
    assert answer is not None
    assert (answer.model.id, answer.text, answer.decoding.beam_size) == ("anki_en_fr", "I am happy.", 3)
    assert fresh.text_input(key="sentence").value == "I am happy."


@pytest.mark.slow
def test_the_beginning_of_a_link_that_is_too_long(open_page_with_model: OpenPage) -> None:
    most = MAX_LINKED_TEXT
    app = follow(open_page_with_model("pages/home.py"), ENTRIES[0], {"sentence": "merci. " * (most // 7 + 1)})
    assert f"more than {most:,} characters" in app.warning[0].value
    assert len(app.text_input(key="sentence").value or "") == most


@pytest.mark.slow
def test_a_text_that_no_address_holds(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(ENTRIES[0].file)
    app.text_input(key="sentence").set_value("x" * (MAX_LINKED_TEXT + 1))
    press(app, "Translate")
    assert "takes at most 5,000" in error_of(app)
    assert "sentence" not in app.query_params


@pytest.mark.slow
def test_a_model_that_is_not_here(open_page_with_model: OpenPage) -> None:
    app = follow(open_page_with_model("pages/home.py"), ENTRIES[0], {"model": "no_such_model"})
    assert "does not have: model “no\\_such\\_model”" in app.warning[0].value
    assert "→ **i like tensorflow**" in texts(app)


@pytest.mark.slow
def test_words_outside_the_vocabulary_are_named(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model("pages/home.py")
    app.query_params["sentence"] = "je mange une pomme"
    app.switch_page("pages/attention_maps.py").run()
    assert not app.exception
    (said,) = [each.value for each in app.caption if "Not in the model's vocabulary" in each.value]
    assert "“mange”, “une”, “pomme”" in said
    app.query_params["sentence"] = "merci"
    app.run()
    assert not [each for each in app.caption if "Not in the model's vocabulary" in each.value]
