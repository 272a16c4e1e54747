"""A user's translation as a job: its request, steps and answer."""

from collections.abc import Generator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache

from core.config import DecodingConfig
from core.inference.texts import TextRun, TextTranslation
from core.interpretability.teacher_forcing import ForcedPair
from core.language import N_
from core.records.text import ExplainedTranslation, Translation
from core.server.jobs import Job, Outcome, Progress, Work
from core.server.queue import Gate, compute_gate
from core.server.trained_model import TrainedModel

MAX_CHARACTERS_TIMES_BEAMS = 40_000  # per request: 5,000 characters with 8 beams
_MAX_LONG_TEXTS = 4  # that may stand in the compute gate's line at a time


@dataclass(frozen=True)
class TranslationRequest:
    """Texts to translate, with the model and the search."""

    model: TrainedModel
    texts: tuple[str, ...]
    decoding: DecodingConfig
    # Whether a text that cannot be translated stays untranslated, without an error.
    keep_problems: bool = False
    explains: bool = False  # whether the attention of one sentence is kept


@dataclass(frozen=True)
class TranslationProgress(Progress):
    """The number of sentences translated, and once the job rests, their translations."""

    # In the requested order; the last may be incomplete.
    texts: tuple[TextTranslation, ...] = ()


class TranslationWork(Work[TranslationProgress]):
    """Translates texts batch by batch, taking turns with other jobs; it can be stopped and resumed."""

    failure_message = N_("The translation failed on the server. Try another text or model.")
    time_message = N_("A translation stops by itself after {time}. Press Continue to resume it.")

    def __init__(self, request: TranslationRequest) -> None:
        self.request = request
        self.progress = TranslationProgress()
        self._run: TextRun | None = None

    def steps(self) -> Generator[str | None]:
        request = self.request
        if self._run is None:
            self._run = TextRun(
                request.model.translator,
                request.texts,
                request.decoding,
                keep_problems=request.keep_problems,
                explains=request.explains,
            )
        run = self._run
        self.progress = replace(self.progress, total=run.total)
        yield None
        batches = run.steps()
        while run.done < run.total:
            # A text is long from its second batch on. However many of them there are, a short one waits for a few.
            with _long_texts() if run.done else nullcontext(), compute_gate():
                done = next(batches)
            self.progress = replace(self.progress, done=done)
            yield None

    def finish(self) -> Outcome:
        run = self._run
        assert run is not None
        self.progress = replace(self.progress, texts=tuple(run.result()))
        return Outcome(finished=run.done == run.total)

    def explain(self, sentence: int) -> ExplainedTranslation:
        """Return a translated sentence of a single text with its attention; the work must rest.

        Raises:
            TranslationError: the attention would be too large.
        """
        assert self._run is not None
        with compute_gate():
            return self._run.explain(0, sentence)


@cache
def _long_texts() -> Gate:
    return Gate(_MAX_LONG_TEXTS)


TranslationJob = Job[TranslationWork, TranslationProgress]


@dataclass(frozen=True)
class TextResult:
    """A translated text with its request."""

    work: TranslationWork
    whole: TextTranslation
    seconds: float  # of translating

    @property
    def model(self) -> TrainedModel:
        return self.work.request.model

    @property
    def text(self) -> str:
        """The text as typed."""
        return self.work.request.texts[0]

    @property
    def decoding(self) -> DecodingConfig:
        return self.work.request.decoding


@dataclass(frozen=True)
class ChosenSentence:
    """The sentence of a translated text that a page explains."""

    model: TrainedModel
    decoding: DecodingConfig
    number: int  # its index in the text
    explained: ExplainedTranslation

    @property
    def sentence(self) -> Translation:
        return self.explained.translation

    @property
    def pair(self) -> ForcedPair:
        """The sentence with its translation, for a pass with teacher forcing."""
        return ForcedPair.of_translation(self.model.translator, self.sentence)
