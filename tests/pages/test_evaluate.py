from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.evaluation_job import EvaluationJob, EvaluationPlan, EvaluationResult, EvaluationWork
from core.classroom.jobs import JobQueue, Status
from core.classroom.models import TrainedModel
from core.config import DecodingConfig
from core.corpora.catalogue import CORPORA
from core.corpora.toy import PAIRS
from core.records import Pair
from pages.components.evaluate.corpus_notes import note_on
from tests.pages.conftest import OpenPage, error_of, press, texts, workspace_of

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

PAGE = "pages/evaluate.py"


def wait_for_evaluation(app: AppTest) -> AppTest:
    job = workspace_of(app).evaluation
    assert job is not None
    assert job.wait(120)
    return app.run()


def metric(app: AppTest, label: str) -> str:
    return next(metric.value for metric in app.metric if metric.label == label)


@pytest.fixture
def plan(checkpoint: Checkpoint) -> EvaluationPlan:
    model = TrainedModel("Classroom", checkpoint)
    return EvaluationPlan(model, "toy", "", lambda: PAIRS, DecodingConfig())


def run_job(plan: EvaluationPlan, stop_first: bool = False) -> tuple[EvaluationJob, list[EvaluationResult]]:
    results: list[EvaluationResult] = []
    job = EvaluationJob(EvaluationWork(plan, results.append), JobQueue(1, 5), 100.0)
    if stop_first:
        job.stop()
    job.start()
    assert job.wait(120)
    return job, results


def test_without_a_model_there_is_nothing_to_press(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert "There is no model to evaluate" in app.info[0].value
    assert next(button for button in app.button if button.label == "Evaluate").disabled


@pytest.mark.slow
def test_an_evaluation_from_start_to_comparison(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    assert app.selectbox(key="evaluation_data_" + workspace_of(app).models[0].id).value == "toy"
    press(app, "Evaluate")
    app = wait_for_evaluation(app)
    assert not app.exception
    assert metric(app, "BLEU") == "100.0"
    assert "**15** pairs evaluated" in texts(app)
    assert "trained on these very sentences" in texts(app)
    assert len(app.dataframe[0].value) == 15

    app.switch_page("pages/home.py").run()
    app.switch_page(PAGE).run()
    assert metric(app, "BLEU") == "100.0"  # another page loses nothing

    app.segmented_control(key="search").set_value("beam").run()
    press(app, "Evaluate")
    app = wait_for_evaluation(app)
    assert "Classroom, beam 4, length penalty 0\\.6" in app.subheader[0].value
    app.segmented_control(key="shown_evaluation").set_value("both").run()
    assert not app.exception
    assert app.table[0].value.loc["BLEU", "B − A"] == "+0.0"
    assert "0 of 15 sentences in common are translated differently" in texts(app)


@pytest.mark.slow
def test_the_worst_come_first(open_page_with_model: OpenPage, plan: EvaluationPlan) -> None:
    wrong = (Pair("merci", "thank you"), Pair("bonne nuit", "something else altogether"))
    plan = EvaluationPlan(plan.model, "two", "", lambda: wrong, plan.decoding)
    app = open_page_with_model("pages/home.py")
    workspace_of(app).results = tuple(run_job(plan)[1])
    app.switch_page(PAGE).run()
    assert list(app.dataframe[0].value["source"]) == ["merci", "bonne nuit"]
    app.toggle(key="worst").set_value(True).run()
    assert list(app.dataframe[0].value["source"]) == ["bonne nuit", "merci"]


def test_your_own_pairs(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model(PAGE)
    key = "evaluation_data_" + workspace_of(app).models[0].id
    app.selectbox(key=key).set_value("own").run()
    assert next(button for button in app.button if button.label == "Evaluate").disabled
    uploader = app.file_uploader[0]
    uploader.set_value(("mine.csv", b"merci,thank you\n", "text/csv")).run()
    assert "mine\\.csv: 1 pair, " in texts(app)
    press(app, "Evaluate")
    app = wait_for_evaluation(app)
    assert "**1** pairs evaluated" in texts(app)
    app.file_uploader[0].set_value(("bad.csv", b"only one column\n", "text/csv")).run()
    assert not app.exception
    assert "each row needs two: source, target" in error_of(app)
    assert next(button for button in app.button if button.label == "Evaluate").disabled, (
        "no other file's pairs"
    )


def test_pairs_the_model_cannot_read(open_page_with_model: OpenPage, plan: EvaluationPlan) -> None:
    plan = EvaluationPlan(plan.model, "", "", lambda: (Pair("🙂", "smile"),), plan.decoding)
    job, results = run_job(plan)
    assert not results
    assert job.view().status is Status.FAILED
    app = open_page_with_model("pages/home.py")
    workspace_of(app).evaluation = job
    app.switch_page(PAGE).run()
    assert "There are no pairs to evaluate" in error_of(app)


def test_stop_keeps_what_is_done(plan: EvaluationPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.inference.translator.MAX_BATCH_ROWS", 15)
    words = tuple(Pair("merci " * length, "thank you") for length in (1, 9, 17) for _ in range(30))
    reading = threading.Event()

    def read() -> tuple[Pair, ...]:
        reading.set()
        return words

    results: list[EvaluationResult] = []
    plan = EvaluationPlan(plan.model, "", "", read, plan.decoding)
    job = EvaluationJob(EvaluationWork(plan, results.append), JobQueue(1, 5), 0.0)
    job.start()  # with no time at all, it ends after the first batch
    assert job.wait(120)
    assert reading.is_set()
    view = job.view()
    assert view.status is Status.STOPPED
    assert 0 < view.done < view.total == 90
    assert results[0].figures.pairs == view.done
    assert results[0].total == 90


def test_stopped_before_it_began(plan: EvaluationPlan) -> None:
    job, results = run_job(plan, stop_first=True)
    assert job.view().status is Status.STOPPED
    assert not results


def test_pressed_twice(open_page_with_model: OpenPage, plan: EvaluationPlan) -> None:
    mine = workspace_of(open_page_with_model("pages/home.py"))
    queue = JobQueue(1, 5)
    queue.enter()  # somebody else's
    mine.start_evaluation(plan, queue)
    job = mine.evaluation
    assert job is not None
    assert job.view().place == 1
    mine.start_evaluation(plan, queue)
    assert mine.evaluation is job
    job.stop()
    assert job.wait(10)


def test_what_is_said_about_the_corpora() -> None:
    assert "20 of the 1,193" in note_on(CORPORA["ted_pt_en"], "validation")
    assert "no English sentence is both" in note_on(CORPORA["anki_en_fr"], "validation")
    assert "trained on" in note_on(CORPORA["anki_en_fr"], "train")


def test_other_languages_are_warned_of(open_page: OpenPage, with_shipped: None) -> None:
    if not CORPORA["anki_en_fr"].is_here:
        pytest.skip("needs the Tatoeba corpus")
    app = open_page(PAGE)
    app.selectbox(key="evaluation_data_ted_pt_en").set_value("anki_en_fr").run()
    assert not app.exception
    assert "translates Portuguese to English" in app.warning[0].value


def test_on_a_machine_without_corpora_own_pairs_are_asked_for(
    open_page: OpenPage, with_shipped: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, corpus in CORPORA.items():
        if name != "toy":
            monkeypatch.setitem(CORPORA, name, replace(corpus, finder=lambda: ()))
    app = open_page(PAGE)
    assert app.selectbox(key="evaluation_data_ted_pt_en").value == "own"
    assert "`python -m core data ted_pt_en`" in texts(app)
    assert next(button for button in app.button if button.label == "Evaluate").disabled
    press(app, "Use this model's examples (8)")
    assert "8 pairs, used in full" in texts(app)
    assert not next(button for button in app.button if button.label == "Evaluate").disabled
    assert not app.warning


def test_no_corpus_is_recommended_for_a_model_of_unknown_languages(
    open_page_with_model: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, corpus in CORPORA.items():
        if name != "toy":
            monkeypatch.setitem(CORPORA, name, replace(corpus, finder=lambda: ()))
    app = open_page_with_model(PAGE)
    key = "evaluation_data_" + workspace_of(app).models[0].id
    app.selectbox(key=key).set_value("own").run()
    assert "would fit" not in texts(app)
