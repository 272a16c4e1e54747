"""One person's texts on their way through a model, as a job, and what comes of them."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

from core.classroom.jobs import Job, Outcome, Progress, Work, compute_gate
from core.classroom.models import TrainedModel
from core.config import DecodingConfig
from core.inference.texts import TextRun, TextTranslation
from core.inference.translator import has_words
from core.records import Translation

MAX_CHARACTERS_TIMES_BEAMS = 40_000  # translated at once: 5,000 characters with 8 beams


def gated_steps(run: TextRun) -> Iterator[int]:
    """Translate batch by batch, each in a place of its own among those who compute; yields the sentences done.

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
    """What is to be translated, and how."""

    model: TrainedModel
    texts: tuple[str, ...]
    decoding: DecodingConfig
    skip_wordless: bool = False  # a text without words stays without translation; else it is an error


@dataclass(frozen=True)
class TranslationProgress(Progress):
    """How many sentences are translated, and what has come of them when the translation rests."""

    # In the order asked for, as far as it came; the last perhaps in part.
    texts: tuple[TextTranslation, ...] = ()


class TranslationWork(Work[TranslationProgress]):
    """Translates texts batch by batch; between two of them others compute. It may be stopped, then goes on there."""

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
    """A translated text, with what was asked for; one of its sentences comes with its attention."""

    model: TrainedModel
    text: str
    decoding: DecodingConfig
    whole: TextTranslation
    seconds: float  # that translating took
    number: int = 0  # of the sentence that is explained, from 0
    explained: Translation | None = None  # that sentence with its attention

    @property
    def sentence(self) -> Translation:
        """The sentence that the page is about."""
        return self.explained or self.whole.sentences[self.number]

    def about(self, number: int) -> Answer:
        """The same answer about another sentence."""
        return self if number == self.number else replace(self, number=number, explained=None)
