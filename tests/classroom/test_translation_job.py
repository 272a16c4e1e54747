from __future__ import annotations

from core.classroom.jobs import JobQueue
from core.classroom.trained_model import TrainedModel
from core.classroom.translation_job import TranslationJob, TranslationRequest, TranslationWork
from core.config import DecodingConfig
from tests.conftest import subword_checkpoint


def test_lines_without_words_are_skipped_though_the_model_knows_punctuation() -> None:
    model = TrainedModel("Tiny", subword_checkpoint())
    request = TranslationRequest(model, ("casa", "??"), DecodingConfig(), keep_problems=True)
    job = TranslationJob(TranslationWork(request), JobQueue(1, 5), 1000.0).start()
    assert job.wait(30)
    assert [len(text.sentences) for text in job.state().progress.texts] == [1, 0]
