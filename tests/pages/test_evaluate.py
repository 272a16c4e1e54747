from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.evaluation_job import EvaluationJob, EvaluationPlan, EvaluationResult, EvaluationWork
from core.classroom.jobs import JobQueue, Status
from core.classroom.models import TrainedModel
from core.classroom.workspace import Workspace
from core.config import DecodingConfig
from core.corpora.catalogue import CORPORA
from core.corpora.toy import PAIRS
from core.records import Pair
from tests.pages.conftest import OpenPage, change, error_of, go_to, press, texts, upload, workspace_of

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

PAGE = "pages/evaluate.py"
FILE = "evaluation_pairs_file"


def evaluate(app: AppTest) -> AppTest:
    """Press the button and wait."""
    job = workspace_of(press(app, "Evaluate")).evaluation
    assert job is not None and job.wait(120)
    return change(app)


def can_begin(app: AppTest) -> bool:
    return not next(button for button in app.button if button.label == "Evaluate").disabled


def metric(app: AppTest, label: str) -> str:
    return next(metric.value for metric in app.metric if metric.label == label)


@pytest.fixture
def plan(checkpoint: Checkpoint) -> EvaluationPlan:
    return EvaluationPlan(TrainedModel("Classroom", checkpoint), "toy", "", lambda: PAIRS, DecodingConfig())


@pytest.fixture
def without_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, corpus in CORPORA.items():
        if name != "toy":
            monkeypatch.setitem(CORPORA, name, replace(corpus, finder=lambda: ()))


def run_job(
    plan: EvaluationPlan, limit: float = 100.0, stop_first: bool = False
) -> tuple[EvaluationJob, list[EvaluationResult]]:
    results: list[EvaluationResult] = []
    job = EvaluationJob(EvaluationWork(plan, results.append), JobQueue(1, 5), limit)
    if stop_first:
        job.stop()
    job.start()
    assert job.wait(120)
    return job, results


def test_without_a_model_there_is_nothing_to_press(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert "There is no model to evaluate" in app.info[0].value
    assert not can_begin(app)


def test_an_evaluation_from_start_to_comparison(open_trained: OpenPage) -> None:
    app = open_trained(PAGE)
    assert app.selectbox(key="evaluated_data").value == "toy"
    evaluate(app)
    assert metric(app, "BLEU") == "100.0"
    assert "**15** pairs evaluated" in texts(app)
    assert "trained on these very sentences" in texts(app)
    assert len(app.dataframe[0].value) == 15

    go_to(go_to(app, "pages/home.py"), PAGE)
    assert metric(app, "BLEU") == "100.0"  # another page loses nothing

    evaluate(change(app, search="beam"))
    assert "Classroom, beam 4, length penalty 0\\.6" in app.subheader[0].value
    change(app, shown_evaluation="both")
    assert app.table[0].value.loc["BLEU", "B − A"] == "+0.0"
    assert "0 of 15 sentences in common are translated differently" in texts(app)


def test_the_worst_come_first(open_page: OpenPage, plan: EvaluationPlan) -> None:
    wrong = (Pair("merci", "thank you"), Pair("bonne nuit", "something else altogether"))
    app = open_page(own=plan.model)
    workspace_of(app).results = tuple(run_job(replace(plan, read=lambda: wrong))[1])
    go_to(app, PAGE)
    assert list(app.dataframe[0].value["source"]) == ["merci", "bonne nuit"]
    change(app, worst=True)
    assert list(app.dataframe[0].value["source"]) == ["bonne nuit", "merci"]


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


def test_on_a_machine_without_corpora_own_pairs_are_asked_for(
    open_page: OpenPage, with_shipped: None, without_corpora: None
) -> None:
    app = open_page(PAGE)
    assert app.selectbox(key="evaluated_data").value == "own"
    assert "`python -m core data ted_pt_en`" in texts(app)
    assert not can_begin(app)
    press(app, "Use this model's examples (8)")
    assert "8 pairs, used in full" in texts(app)
    assert can_begin(app)
    assert not app.warning


def test_pairs_the_model_cannot_read(open_page: OpenPage, plan: EvaluationPlan) -> None:
    job, results = run_job(replace(plan, read=lambda: (Pair("🙂", "smile"),)))
    assert not results
    assert job.view().status is Status.FAILED
    app = open_page(own=plan.model)
    workspace_of(app).evaluation = job
    assert "There are no pairs to evaluate" in error_of(go_to(app, PAGE))


def test_stop_keeps_what_is_done(plan: EvaluationPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.inference.translator.MAX_BATCH_ROWS", 15)
    words = tuple(Pair("merci " * length, "thank you") for length in (1, 9, 17) for _ in range(30))
    reading = threading.Event()

    def read() -> tuple[Pair, ...]:
        reading.set()
        return words

    job, results = run_job(replace(plan, read=read), limit=0.0)  # with no time at all, it ends after a batch
    assert reading.is_set()
    view = job.view()
    assert view.status is Status.STOPPED
    assert 0 < view.done < view.total == 90
    assert (results[0].figures.pairs, results[0].total) == (view.done, 90)
    job, results = run_job(plan, stop_first=True)
    assert job.view().status is Status.STOPPED
    assert not results


def test_pressed_twice(plan: EvaluationPlan) -> None:
    mine = Workspace()
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


def test_other_languages_are_warned_of(open_page: OpenPage, with_shipped: None) -> None:
    if not CORPORA["anki_en_fr"].is_here:
        pytest.skip("needs the Tatoeba corpus")
    app = open_page(PAGE, evaluated_data="anki_en_fr")
    assert "translates Portuguese to English" in app.warning[0].value
