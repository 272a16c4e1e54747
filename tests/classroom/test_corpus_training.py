from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from core.classroom.corpus_training import CorpusTrainingJob
from core.classroom.job import Status
from core.classroom.queue import RunQueue
from core.classroom.recent_jobs import RecentJobs
from core.classroom.trained_model import TrainedModel
from core.classroom.training_job import TrainingJob
from core.config import TrainingConfig
from core.corpora.catalogue import CORPORA, Corpus
from core.corpora.split import Split
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM, LARGE_PRESETS
from core.records import Pair
from pages.components.train.corpus_plan import shipped_tokenizers
from tests.pages.conftest import OpenPage, error_of, press, texts, workspace_of

PAGE = "pages/train.py"
MODEL = CLASSROOM.model.replace(
    num_layers=1, num_heads=1, d_model=16, d_ff=16, source_vocab_size=120, target_vocab_size=120
)
TRAINING = TrainingConfig(epochs=2, batch_tokens=64, schedule="linear", warmup_steps=2)


def read(split: Split) -> Iterator[Pair]:
    return iter(PAIRS * 4)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Corpus:
    corpus = Corpus(
        "tiny", "Tiny", "fr", "en", "none", ("train", "validation"), read, lambda: ("train", "validation")
    )
    monkeypatch.setitem(CORPORA, corpus.name, corpus)
    return corpus


def job_of(corpus: Corpus) -> tuple[CorpusTrainingJob, list[TrainedModel]]:
    models: list[TrainedModel] = []

    def keep(job: TrainingJob, model: TrainedModel) -> None:
        models.append(model)

    return CorpusTrainingJob(corpus, None, MODEL, TRAINING, RunQueue(1, 1), 600.0, keep), models


def test_a_corpus_is_prepared_trained_on_and_forgotten(tiny: Corpus) -> None:
    job, models = job_of(tiny)
    assert job.view().total_steps == 0  # nothing is known before it is read
    job.start()
    assert job.wait(120)
    view = job.view()
    assert view.status is Status.FINISHED
    assert view.resumable
    assert view.steps_done == view.total_steps > 2
    assert view.reports[-1].validation is not None
    assert len(view.results) == 15
    assert models[0].source_language == "French"
    assert models[0].is_subword

    job.forget()
    view = job.view()
    assert not view.resumable
    assert view.total_steps == view.steps_done  # the curves stay
    assert "can no longer go on" in view.message


def test_stop_while_it_prepares(tiny: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    job, models = job_of(tiny)
    began, go_on = threading.Event(), threading.Event()

    def slowly(name: str, split: Split) -> tuple[Pair, ...]:
        began.set()
        assert go_on.wait(30)
        return PAIRS

    monkeypatch.setattr("core.classroom.corpus_training.read_split", slowly)
    job.start()
    assert began.wait(60)
    assert "Reading Tiny" in job.view().doing
    job.stop()
    go_on.set()
    assert job.wait(60)
    assert job.view().status is Status.STOPPED
    assert not models


def test_only_the_last_ones_can_go_on() -> None:
    class Resting:
        active = False
        forgotten = False

        def forget(self) -> None:
            self.forgotten = True

    jobs = [Resting() for _ in range(4)]
    recent = RecentJobs(most=2)
    for job in jobs:
        recent.add(job)  # type: ignore[arg-type]
    assert [job.forgotten for job in jobs] == [True, True, False, False]


def test_the_page_says_what_it_will_take(open_page: OpenPage, tiny: Corpus) -> None:
    app = open_page(PAGE)
    app.segmented_control(key="learn_from").set_value("corpus").run()
    app.selectbox(key="large_corpus").set_value("tiny").run()
    assert not app.exception
    assert "a vocabulary of **8,000** (learned first" in texts(app)
    app.number_input(key="large_shipped_vocabulary").set_value(16_000).run()
    assert "a vocabulary of **16,000**" in texts(app)
    app.segmented_control(key="large_preset").set_value("tutorial").run()
    assert "a vocabulary of **8,000**" in texts(app)  # each preset has its own settings
    app.number_input(key="large_tutorial_epochs").set_value(1).run()
    app.switch_page("pages/home.py").run()
    app.switch_page(PAGE).run()
    app.segmented_control(key="learn_from").set_value("corpus").run()
    assert app.number_input(key="large_tutorial_epochs").value == 1


def test_a_shipped_vocabulary_is_not_learned_again(with_shipped: None) -> None:
    corpus = CORPORA["ted_pt_en"]
    model = LARGE_PRESETS["shipped"].model
    tokenizers = shipped_tokenizers(corpus, model)
    assert tokenizers is not None
    assert tokenizers[0].settings.language == "pt"
    assert shipped_tokenizers(corpus, model.replace(source_vocab_size=500, target_vocab_size=500)) is None
    assert shipped_tokenizers(CORPORA["ted_ru_en"], model) is None


def test_a_model_too_large_for_the_app(
    open_page: OpenPage, tiny: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.components.train.corpus_plan.MAX_LARGE_PARAMETERS", 1_000_000)
    app = open_page(PAGE)
    app.segmented_control(key="learn_from").set_value("corpus").run()
    assert "at most 1,000,000 parameters" in error_of(app)
    assert next(button for button in app.button if button.label == "Start").disabled


def test_start_and_stop_from_the_page(open_page: OpenPage, tiny: Corpus) -> None:
    app = open_page(PAGE)
    app.segmented_control(key="learn_from").set_value("corpus").run()
    app.selectbox(key="large_corpus").set_value("tiny").run()
    app.number_input(key="large_shipped_vocabulary").set_value(500).run()
    press(app, "Start")
    job = workspace_of(app).job
    assert isinstance(job, CorpusTrainingJob)
    assert not app.exception
    assert "Stop" in [button.label for button in app.button]
    job.stop()
    assert job.wait(120)
    app.run()
    assert not app.exception
