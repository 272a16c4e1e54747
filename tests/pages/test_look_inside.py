"""Model, sentence and translation on the pages that look inside."""

import pytest

from core.config import DecodingConfig
from pages.content.pages import ATTENTION_MAPS, DECODING, INSIDE, TRANSLATE, PageEntry
from tests.conftest import numbers
from tests.pages.conftest import OpenPage, change, error_of, go_to, linked, press, texts, translation_of

ENTRIES = (ATTENTION_MAPS, DECODING, INSIDE)
each_page = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)


@each_page
def test_a_sentence_is_typed_on_the_page_itself(open_trained: OpenPage, entry: PageEntry) -> None:
    app = open_trained(entry.file)
    assert app.title[0].value == entry.title
    assert "→ **i like tensorflow**" in texts(app)
    app.text_input(key="sentence").set_value("bonne nuit")
    assert "→ **good night**" in texts(press(app, "translate_text"))


def test_one_translation_is_shared_by_all(open_trained: OpenPage) -> None:
    app = open_trained(TRANSLATE.file, sentence="bonne nuit")
    before = translation_of(app)
    for entry in ENTRIES:
        go_to(app, entry.file)
        assert app.text_input(key="sentence").value == "bonne nuit"
        assert translation_of(app) is before


@each_page
def test_a_link_shows_the_same_in_a_fresh_session(with_shipped: None, entry: PageEntry) -> None:
    app = linked(entry.file, model="anki_en_fr", sentence="I am happy.", search="beam", beams="3")
    request = translation_of(app).work.request
    assert (request.model.id, *request.texts, request.decoding.beam_size) == ("anki_en_fr", "I am happy.", 3)


def test_a_text_too_long_to_be_looked_into(open_trained: OpenPage) -> None:
    app = open_trained(ENTRIES[0].file, sentence="x" * 5_001)
    assert {"5,000", "5,001"} <= {*numbers(error_of(app))}
    assert "sentence" not in app.query_params


def test_a_sample_is_traced_only_on_request(open_trained: OpenPage) -> None:
    app = go_to(open_trained(TRANSLATE.file, search="sample"), "pages/inside.py")
    assert translation_of(app).work.request.decoding == DecodingConfig()
    change(app, explain=True)
    assert translation_of(app).work.request.decoding == DecodingConfig(samples=4, temperature=0.7)
