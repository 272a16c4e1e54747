from __future__ import annotations

from pathlib import Path

import pytest

from core.classroom.corpora import sentence_lengths
from core.corpora.catalogue import CORPORA
from core.corpora.corpus import DATA_VARIABLE
from core.corpora.toy import PAIRS
from core.records import Pair
from pages.components.data.pairs import search
from tests.pages.conftest import OpenPage, texts

PAGE = "pages/data.py"


def test_the_fifteen_pairs(open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))  # no large corpus, which the page would show first
    app = open_page(PAGE)
    app.selectbox(key="data_corpus").set_value("toy").run()
    assert not app.exception
    assert "15 pairs" in app.subheader[0].value
    assert list(app.dataframe[0].value["Source"]) == [pair.source for pair in PAIRS]
    app.text_input(key="data_search").set_value("NUIT").run()
    assert list(app.dataframe[0].value["Target"]) == ["good night"]
    app.text_input(key="data_search").set_value("xyzzy").run()
    assert "No pair contains this text" in app.info[0].value
    app.switch_page("pages/home.py").run()
    app.switch_page(PAGE).run()
    assert app.selectbox(key="data_corpus").value == "toy"  # another page loses nothing


@pytest.mark.slow
def test_a_large_corpus_is_paged(open_page: OpenPage, with_shipped: None) -> None:
    if not CORPORA["ted_pt_en"].is_here:
        pytest.skip("needs the TED corpus")
    app = open_page(PAGE)
    app.selectbox(key="data_corpus").set_value("ted_pt_en").run()
    app.segmented_control(key="data_split_ted_pt_en").set_value("validation").run()
    assert not app.exception
    assert "1,193 pairs" in app.subheader[0].value
    assert len(app.dataframe[0].value) == 50
    app.number_input[0].set_value(24).run()
    assert list(app.dataframe[0].value["Pair"])[-1] == 1193
    assert "Subwords are those of the vocabulary" in texts(app)
    offered = app.segmented_control(key="data_split_ted_pt_en").options
    assert offered == list(CORPORA["ted_pt_en"].splits_here)  # the test split only where it is


def test_search_ignores_case_and_finds_either_side() -> None:
    pairs = (Pair("Bonjour", "hello"), Pair("merci", "thanks"))
    assert list(search(pairs, "BON")) == [0]
    assert list(search(pairs, "thank")) == [1]
    assert list(search(pairs, "  ")) == [0, 1]
    assert list(search(pairs, "x" * 200)) == []


def test_words_are_counted() -> None:
    found = sentence_lengths((Pair("le chat", "the cat"), Pair("le le", "the")), None)
    assert found.words == {"source": [2, 2], "target": [2, 1]}
    assert found.subwords is None
