"""One person's texts on their way through a model, as a job."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from core.classroom.duration import duration
from core.classroom.jobs.job import Job, Outcome, Progress, Work
from core.classroom.jobs.shared_batches import shared_batches
from core.classroom.trained_model import TrainedModel
from core.config import DecodingConfig
from core.inference.translator import has_words

if TYPE_CHECKING:
    from core.inference.texts import TextRun, TextTranslation


@dataclass(frozen=True)
class TranslationRequest:
    """What is to be translated, and how."""

    model: TrainedModel
    texts: tuple[str, ...]
    decoding: DecodingConfig
    skip_wordless: bool = False  # a text without words stays without translation; else it is an error


@dataclass(frozen=True)
class TranslationProgress(Progress):
    """How many sentences are translated, and what has come of them when the translation rests."""

    texts: tuple[
        TextTranslation, ...
    ] = ()  # in the order asked for, as far as it came; the last perhaps in part


class TranslationWork(Work[TranslationProgress]):
    """Translates texts a portion a turn, so that others' short ones come between those of a long one.

    Texts of several people for one model travel as one batch (`SharedBatches`).

    It may be stopped and goes on where it was; it stops by itself when nobody is there.

    Args:
        request: what to translate.
        keep_on: whether anybody still waits for it; asked between portions.
    """

    failure_message = "The translation failed on the server. Try another text or model."
    takes_turns = True

    def __init__(self, request: TranslationRequest, keep_on: Callable[[], bool]) -> None:
        self.request = request
        self.group = request.model, request.decoding
        self._keep_on = keep_on
        self._run: TextRun | None = None
        self._progress = TranslationProgress()

    def progress(self) -> TranslationProgress:
        return self._progress

    def steps(self, report: Callable[[str], None]) -> Generator[None]:
        if not self._keep_on():
            return
        report("Preparing. The first time takes a few seconds.")
        run = self._run = self._run or self._begin()
        self._progress = replace(self._progress, total=run.total)
        yield
        for done in run.steps():
            self._progress = replace(self._progress, done=done)
            yield
            if not self._keep_on():
                return

    def finish(self) -> Outcome:
        run = self._run
        if run is not None:
            self._progress = replace(self._progress, texts=tuple(run.result()))
            if run.done == run.total:
                return Outcome(finished=True)
        gone = (
            ""
            if self._keep_on()
            else "The translation stopped when its tab was closed. Press Continue to resume it."
        )
        return Outcome(finished=False, message=gone)

    def time_limit_message(self, seconds: float) -> str:
        return f"A translation stops by itself after {duration(seconds)}. Press Continue to resume it."

    def _begin(self) -> TextRun:
        model = self.request.model
        translator = model.translator  # before the import: it loads TensorFlow in the one place for that
        from core.inference.texts import TextRun

        tokenizer, keeps_all = model.checkpoint.source_tokenizer, not self.request.skip_wordless
        texts = [text if keeps_all or has_words(tokenizer, text) else "" for text in self.request.texts]
        together = partial(shared_batches().translate, translator)
        return TextRun(translator, texts, self.request.decoding, together)


TranslationJob = Job[TranslationWork, TranslationProgress]
