from __future__ import annotations

import pytest

from core.classroom.jobs.training_job import long_pace
from core.corpora.catalogue import CORPORA, Corpus
from core.presets import LARGE_PRESETS
from pages.components.train.corpus_plan import shipped_tokenizers
from tests.conftest import ChangeSetting
from tests.pages.conftest import OpenPage, error_of, press, texts, workspace_of

PAGE = "pages/train.py"


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
    open_page: OpenPage, tiny: Corpus, change_setting: ChangeSetting
) -> None:
    change_setting("max_large_parameters", 1_000_000)
    app = open_page(PAGE)
    app.segmented_control(key="learn_from").set_value("corpus").run()
    assert "at most 1,000,000 parameters" in error_of(app)
    assert next(button for button in app.button if button.label == "Start").disabled


@pytest.mark.slow
@pytest.mark.tensorflow_text
def test_start_and_stop_from_the_page(open_page: OpenPage, tiny: Corpus) -> None:
    app = open_page(PAGE)
    app.segmented_control(key="learn_from").set_value("corpus").run()
    app.selectbox(key="large_corpus").set_value("tiny").run()
    app.number_input(key="large_shipped_vocabulary").set_value(500).run()
    press(app, "Start")
    job = workspace_of(app).job
    assert job is not None and job.work.plan.pace == long_pace()
    assert not app.exception
    assert "Stop" in [button.label for button in app.button]
    job.stop()
    assert job.wait(120)
    app.run()
    assert not app.exception
