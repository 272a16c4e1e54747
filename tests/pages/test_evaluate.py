from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.corpora.catalogue import CORPORA
from tests.pages.conftest import (
    OpenPage,
    change,
    column,
    error_of,
    go_to,
    open_page,
    press,
    texts,
    upload,
    workspace_of,
)

PAGE = "pages/evaluate.py"
TRANSLATE = "pages/translate.py"
FILE = "evaluation_pairs_file"


def evaluate(app: AppTest) -> AppTest:
    """Press the button and wait."""
    job = workspace_of(press(app, "evaluate")).jobs.evaluation
    assert job is not None and job.wait(120)
    return change(app)


def can_begin(app: AppTest) -> bool:
    return not next(button for button in app.button if button.label == "Evaluate").disabled


def metric(app: AppTest, label: str) -> str:
    return next(metric.value for metric in app.metric if metric.label == label)


@pytest.fixture
def without_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, corpus in CORPORA.items():
        if corpus.download:
            monkeypatch.setitem(CORPORA, name, replace(corpus, available_splits=lambda: ()))


def test_without_a_model_there_is_nothing_to_press() -> None:
    app = open_page(PAGE)
    assert "There is no model to evaluate" in app.info[0].value
    assert not can_begin(app)


def test_an_evaluation_from_start_to_comparison(open_trained: OpenPage) -> None:
    app = open_trained(PAGE)
    assert app.selectbox(key="evaluated_data").value == "toy"
    evaluate(app)
    assert metric(app, "BLEU") == "100.0"
    assert "**15** pairs evaluated" in texts(app)
    assert "trained on these sentences" in texts(app)
    assert len(column(app, "Source")) == 15

    go_to(go_to(app, "pages/home.py"), PAGE)  # another page loses nothing
    evaluate(change(app, search="beam"))
    change(app, shown_evaluation="both")
    assert app.table[0].value.loc["BLEU", "B − A"] == "+0.0"
    assert "0 of 15 sentences" in texts(app)
    assert not app.warning  # the same pairs, so the scores can be compared


def test_an_evaluation_does_not_sample_and_leaves_the_samples_of_other_pages(open_trained: OpenPage) -> None:
    app = open_trained(TRANSLATE, search="sample")
    go_to(app, PAGE)
    own = app.segmented_control(key="search_without_sampling")
    assert own.value == "greedy" and "Sampling" not in own.options
    change(app, search_without_sampling="beam")
    evaluate(change(app))
    assert "Classroom, beam 4" in app.subheader[0].value
    go_to(app, TRANSLATE)
    assert app.segmented_control(key="search").value == "sample"
    change(app, search="beam", beams=3)
    go_to(app, PAGE)
    assert (app.segmented_control(key="search").value, app.slider(key="beams").value) == ("beam", 3)


def test_your_own_pairs(open_trained: OpenPage, without_corpora: None) -> None:
    app = open_trained(PAGE, evaluated_data="own")
    assert "would fit" not in texts(app)  # of unknown languages
    assert not can_begin(app)
    upload(app, FILE, "mine.csv", b"merci,thank you\n")
    assert "mine\\.csv: 1 pair, " in texts(app)
    assert "**1** pairs evaluated" in texts(evaluate(app))
    upload(app, FILE, "bad.csv", b"only one column\n")
    assert "each row needs two: source, target" in error_of(app)
    assert not can_begin(app), "no other file's pairs"
    upload(app, FILE, "signs.csv", "🙂,smile\n".encode())
    assert "There are no pairs to evaluate" in error_of(evaluate(app))


@pytest.mark.parametrize(
    ("model", "corpus", "bleu"),
    [("ted_pt_en", "tatoeba_pt_en", "40.1"), ("anki_en_fr", "tatoeba_en_fr", "47.4")],
)
def test_it_opens_on_sentences_that_are_always_there_and_a_score_of_before(
    with_shipped: None, without_corpora: None, model: str, corpus: str, bleu: str
) -> None:
    app = open_page(PAGE, evaluated_model=model)
    assert app.selectbox(key="evaluated_data").value == corpus
    assert metric(app, "BLEU") == bleu
    assert f"`python -m core data {model}`" in texts(app)  # for more sentences
    assert can_begin(app)
    assert not app.warning
    press(change(app, evaluated_data="own"), "take_examples")
    assert "8 pairs, used in full" in texts(app)
    assert can_begin(app)
