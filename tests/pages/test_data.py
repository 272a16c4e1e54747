from pathlib import Path

import pytest

from core.corpora.catalogue import CORPORA
from core.corpora.corpus import DATA_VARIABLE
from core.corpora.toy import PAIRS
from core.records.text import Pair
from core.server.corpora import sentence_lengths
from tests.pages.conftest import change, column, go_to, open_page, texts

PAGE = "pages/data.py"


def test_the_fifteen_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))  # no large corpus, which the page would show first
    app = open_page(PAGE, corpus="toy")
    assert "15 pairs" in app.subheader[0].value
    assert column(app, "Source") == [pair.source for pair in PAIRS]
    change(app, pairs_search="NUIT")
    assert column(app, "Target") == ["good night"]
    change(app, pairs_search="xyzzy")
    assert "No pair contains this text" in app.info[0].value
    go_to(go_to(app, "pages/home.py"), PAGE)
    assert app.selectbox(key="corpus").value == "toy"  # another page loses nothing


@pytest.mark.slow
def test_a_large_corpus_is_paged(with_shipped: None) -> None:
    if not CORPORA["ted_pt_en"].is_available:
        pytest.skip("needs the TED corpus")
    app = open_page(PAGE, corpus="ted_pt_en", split="validation")
    assert "1,193 pairs" in app.subheader[0].value
    assert len(column(app, "Pair")) == 50
    change(app, page=24)
    assert column(app, "Pair")[-1] == "1,193"
    assert "Subwords of " in texts(app)
    offered = app.segmented_control(key="split").options
    assert offered == list(CORPORA["ted_pt_en"].available_splits())  # the test split only where it is
    change(app, pairs_search="a")
    assert app.number_input(key="page").value == 1


def test_words_are_counted() -> None:
    found = sentence_lengths((Pair("le chat", "the cat"), Pair("le le", "the")), None)
    assert found == ({"source": [2, 2], "target": [2, 1]}, None)
