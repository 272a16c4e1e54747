"""A user's translation as a job: its request, steps and answer."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

from core.classroom.jobs import Job, Outcome, Progress, Work, compute_gate
from core.classroom.trained_model import TrainedModel
from core.config import DecodingConfig
from core.inference.texts import TextRun, TextTranslation
from core.inference.translator import has_words
from core.records.text import Translation

MAX_CHARACTERS_TIMES_BEAMS = 40_000  # per request: 5,000 characters with 8 beams


def gated_steps(run: TextRun) -> Iterator[int]:
    """Translate batch by batch, each behind the compute gate, and yield the number of sentences done.

    Raises:
        TranslationError: the weights overflow.
    """
    steps = run.steps()
    while run.done < run.total:
        with compute_gate():
            done = next(steps)
        yield done


@dataclass(frozen=True)
class TranslationRequest:
    """Texts to translate, with the model and the search."""

    model: TrainedModel
    texts: tuple[str, ...]
    decoding: DecodingConfig
    skip_wordless: bool = False  # whether texts without words stay untranslated instead of raising an error


@dataclass(frozen=True)
class TranslationProgress(Progress):
    """The number of sentences translated, and once the job rests, their translations."""

    # In the requested order; the last may be incomplete.
    texts: tuple[TextTranslation, ...] = ()


class TranslationWork(Work[TranslationProgress]):
    """Translates texts batch by batch, taking turns with other jobs; it can be stopped and resumed."""

    failure_message = "The translation failed on the server. Try another text or model."
    time_message = "A translation stops by itself after {}. Press Continue to resume it."

    def __init__(self, request: TranslationRequest) -> None:
        self.request = request
        self.progress = TranslationProgress()
        self._run: TextRun | None = None

    def steps(self) -> Generator[str | None]:
        run = self._run = self._run or self._begin()
        self.progress = replace(self.progress, total=run.total)
        yield None
        for done in gated_steps(run):
            self.progress = replace(self.progress, done=done)
            yield None

    def finish(self) -> Outcome:
        run = self._run
        assert run is not None
        self.progress = replace(self.progress, texts=tuple(run.result()))
        return Outcome(finished=run.done == run.total)

    def _begin(self) -> TextRun:
        translator, keeps_all = self.request.model.translator, not self.request.skip_wordless
        tokenizer = translator.source_tokenizer
        texts = [text if keeps_all or has_words(tokenizer, text) else "" for text in self.request.texts]
        return TextRun(translator, texts, self.request.decoding)


TranslationJob = Job[TranslationWork, TranslationProgress]


@dataclass(frozen=True)
class Answer:
    """A translated text with its request; one sentence is explained with its attention."""

    model: TrainedModel
    text: str
    decoding: DecodingConfig
    whole: TextTranslation
    seconds: float  # of translating
    number: int = 0  # index of the explained sentence
    explained: Translation | None = None  # that sentence with its attention

    @property
    def sentence(self) -> Translation:
        """The sentence that the page is about."""
        return self.explained or self.whole.sentences[self.number]

    def about(self, number: int) -> Answer:
        """Return the answer about another sentence."""
        return self if number == self.number else replace(self, number=number, explained=None)
