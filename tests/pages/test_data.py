from pathlib import Path

import pytest

from core.corpora.catalogue import CORPORA
from core.corpora.corpus import DATA_VARIABLE
from core.corpora.toy import PAIRS
from core.records.text import Pair
from core.server.corpora import sentence_lengths
from tests.conftest import numbers
from tests.pages.conftest import change, column, go_to, open_page

PAGE = "pages/data.py"


def test_the_fifteen_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))  # no large corpus, which the page would show first
    app = open_page(PAGE, corpus="toy")
    assert numbers(app.subheader[0].value) == ["15"]
    assert column(app, 1) == [pair.source for pair in PAIRS]
    assert column(change(app, pairs_search="NUIT"), 2) == ["good night"]
    assert change(app, pairs_search="xyzzy").info
    go_to(go_to(app, "pages/home.py"), PAGE)
    assert app.selectbox(key="corpus").value == "toy"  # another page loses nothing


@pytest.mark.slow
def test_a_large_corpus_is_paged(with_shipped: None) -> None:
    if not CORPORA["ted_pt_en"].is_available:
        pytest.skip("needs the TED corpus")
    app = open_page(PAGE, corpus="ted_pt_en", split="validation")
    assert numbers(app.subheader[0].value) == ["1,193"]
    assert len(column(app, 0)) == 50
    assert column(change(app, page=24), 0)[-1] == "1,193"
    assert app.segmented_control(key="length_unit").value == "subwords"
    offered = app.segmented_control(key="split").options
    assert len(offered) == len(CORPORA["ted_pt_en"].available_splits())  # the test split only where it is
    change(app, pairs_search="a")
    assert app.number_input(key="page").value == 1


def test_words_are_counted() -> None:
    found = sentence_lengths((Pair("le chat", "the cat"), Pair("le le", "the")), None)
    assert found == ({"source": [2, 2], "target": [2, 1]}, None)
