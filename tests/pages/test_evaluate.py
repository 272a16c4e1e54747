from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import shipped_checkpoints
from core.corpora.catalogue import CORPORA
from pages.content.reader import PAGE_TEXTS
from tests.conftest import numbers
from tests.pages.conftest import (
    OpenPage,
    change,
    column,
    go_to,
    numbers_said,
    open_page,
    press,
    remembered,
    texts,
    upload,
    workspace_of,
)

PAGE = "pages/evaluate.py"
TRANSLATE = "pages/translate.py"
FILE = "evaluation_pairs_file"
DOWNLOAD = "python -m core data"  # the command that is named where a large corpus would fit


def evaluate(app: AppTest) -> AppTest:
    """Press the button and wait."""
    job = workspace_of(press(app, "evaluate")).jobs.evaluation
    assert job is not None and job.wait(120)
    return change(app)


def can_begin(app: AppTest) -> bool:
    return not app.button(key="evaluate").disabled


@pytest.fixture
def without_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, corpus in CORPORA.items():
        if corpus.download:
            monkeypatch.setitem(CORPORA, name, replace(corpus, available_splits=lambda: ()))


def test_without_a_model_there_is_nothing_to_press() -> None:
    app = open_page(PAGE)
    assert app.info and not can_begin(app)


@pytest.mark.slow
def test_an_evaluation_from_start_to_comparison(open_trained: OpenPage) -> None:
    app = open_trained(PAGE)
    assert app.selectbox(key="evaluated_data").value == "toy"
    evaluate(app)
    assert numbers(app.metric[0].value)[0] == "100.0"
    assert "**15**" in texts(app)
    assert app.info, "it was trained on these sentences"
    assert len(column(app, 2)) == 15

    go_to(go_to(app, "pages/home.py"), PAGE)  # another page loses nothing
    evaluate(change(app, search="beam"))
    change(app, shown_evaluation="both")
    assert app.table[0].value.iloc[0, 2] == "+0.0"
    assert ["0", "15"] in numbers_said(app), "none of the 15 translations differs"
    assert not app.warning  # the same pairs, so the scores can be compared


@pytest.mark.slow
def test_an_evaluation_does_not_sample_and_leaves_the_samples_of_other_pages(open_trained: OpenPage) -> None:
    app = open_trained(TRANSLATE, search="sample")
    go_to(app, PAGE)
    own = app.segmented_control(key="search_without_sampling")
    assert own.value == "greedy" and PAGE_TEXTS["decoding"].views["sample"].title not in own.options
    change(app, search_without_sampling="beam")
    evaluate(change(app))
    assert workspace_of(app).jobs.results[-1].plan.decoding.beam_size == 4
    go_to(app, TRANSLATE)
    assert app.segmented_control(key="search").value == "sample"
    change(app, search="beam", beams=3)
    go_to(app, PAGE)
    assert (app.segmented_control(key="search").value, app.slider(key="beams").value) == ("beam", 3)


def test_your_own_pairs(open_trained: OpenPage, without_corpora: None) -> None:
    app = open_trained(PAGE, evaluated_data="own")
    assert DOWNLOAD not in texts(app), "it knows only the words of its own pairs"
    assert not can_begin(app)
    upload(app, FILE, "mine.csv", b"merci,thank you\n")
    assert r"mine\.csv" in texts(app) and "**1**" in texts(evaluate(app))
    upload(app, FILE, "bad.csv", b"only one column\n")
    assert app.error and not can_begin(app), "no other file's pairs"
    upload(app, FILE, "signs.csv", "🙂,smile\n".encode())
    assert evaluate(app).error


@pytest.mark.parametrize(
    ("model", "corpus"), [("ted_pt_en", "tatoeba_pt_en"), ("anki_en_fr", "tatoeba_en_fr")]
)
def test_it_opens_on_sentences_that_are_always_there_and_a_score_of_before(
    with_shipped: None, without_corpora: None, model: str, corpus: str
) -> None:
    app = open_page(PAGE, evaluated_model=model)
    assert app.selectbox(key="evaluated_data").value == corpus
    shipped = Checkpoint.load(shipped_checkpoints()[model])
    assert app.metric[0].value == f"{shipped.metrics['bleu_natural_beam_4']:.1f}"
    assert f"{DOWNLOAD} {model}" in texts(app)  # for more sentences
    assert can_begin(app)
    assert not app.warning
    press(change(app, evaluated_data="own"), "take_examples")
    own = remembered(app).own_pairs
    assert own is not None and own.pairs == shipped.examples
    assert can_begin(app)
