"""Translating texts of any length: split into sentences that the model can read, then joined again."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile

from core.config import DecodingConfig
from core.inference.translator import GREEDY, TranslationError, Translator, has_words, no_words
from core.language import _, number
from core.records.text import ExplainedTranslation, Hypothesis, Translation
from core.tokens.base import MAX_TOKENS
from core.tokens.sentences import split_sentences

MAX_CHARACTERS = 100_000  # in one text
MAX_SENTENCES = 16  # per batch, after which progress is shown
# Mean probability of a token. Of TED's validation sentences, translated greedily by `ted_pt_en`, 1.5 % are below, with
# a mean chrF of 49; the others have 62.
_LOW_CONFIDENCE = 0.5

_FEWEST_TOKENS = 4  # for shorter translations the mean says little: "Hi" has several translations
_AFTER_PAUSE = re.compile(r"(?<=[,;:—–])\s+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class TextTranslation:
    """A text and the translations of its sentences."""

    source: str
    sentences: tuple[Translation, ...]  # empty if the source is blank or has a problem
    left: int = 0  # sentences not translated because the user stopped
    problem: str = ""  # why it could not be translated

    @property
    def text(self) -> str:
        """The translations in the order of the sentences, on one line."""
        return " ".join(" ".join(each.text for each in self.sentences).splitlines())


class TextRun:
    """Translates texts of any number of sentences, all at once or batch by batch with progress.

    Blank texts stay blank. A sentence too long for the model is split at a pause, or between words. Repeated sentences
    are translated once.

    Args:
        translator: the model's translator.
        texts: texts, such as the lines of a file.
        decoding: how to search.
        keep_problems: store the error of a text that cannot be translated as its `problem`, instead of raising it.
        typed: whether people typed them; if not, each text is one sentence, read unchanged, as those of a corpus are, and
            only its best translation is kept.
        explains: keep the attention of one sentence, at first of the first one; `explain` chooses another.

    Raises:
        TranslationError: a text has no words or is too long; nothing is translated.
    """

    def __init__(
        self,
        translator: Translator,
        texts: Sequence[str],
        decoding: DecodingConfig = GREEDY,
        keep_problems: bool = False,
        typed: bool = True,
        explains: bool = False,
    ) -> None:
        self._translator = translator
        self._texts = texts
        self._decoding = decoding
        self._typed = typed
        self._explains = explains
        self._problems = [""] * len(texts)
        self._pieces: list[list[str]] = []
        for row, text in enumerate(texts):
            try:
                self._pieces.append(_checked_pieces(translator, text) if typed else [text])
            except TranslationError as error:
                if not keep_problems:
                    raise
                self._pieces.append([])
                self._problems[row] = str(error)
        self._distinct = list(dict.fromkeys(piece for pieces in self._pieces for piece in pieces))
        self._found: dict[str, Translation] = {}  # of the first ones of these
        self._explained: dict[str, ExplainedTranslation] = {}  # the one whose attention is kept

    @property
    def total(self) -> int:
        """Sentences to translate, repeated ones once."""
        return len(self._distinct)

    @property
    def done(self) -> int:
        """Sentences translated."""
        return len(self._found)

    def steps(self) -> Iterator[int]:
        """Translate batch by batch, from where an earlier call stopped; yield the number of sentences done.

        Raises:
            TranslationError: the weights overflow.
        """
        if self._explains and self._distinct and not self._found:
            with suppress(TranslationError):  # too large to explain: `explain` says so to who asks
                self._explain(self._distinct[0])
                yield self.done
        while self.done < self.total:
            self._translate(self._distinct[self.done : self.done + MAX_SENTENCES])
            yield self.done

    def finish(self) -> list[TextTranslation]:
        """Translate all that is left at once, sentences of similar length together, and return the texts."""
        self._translate(self._distinct[self.done :])
        return self.result()

    def result(self) -> list[TextTranslation]:
        """Return the texts translated so far; only the last one may be incomplete."""
        texts = []
        for text, pieces, problem in zip(self._texts, self._pieces, self._problems, strict=True):
            sentences = tuple(self._found[piece] for piece in takewhile(self._found.__contains__, pieces))
            left = len(pieces) - len(sentences)
            if sentences or not left:
                texts.append(TextTranslation(text, sentences, left, problem))
            if left:
                break
        return texts

    def explain(self, text: int, sentence: int) -> ExplainedTranslation:
        """Return a translated sentence with its attention; that of the one before is forgotten.

        Raises:
            TranslationError: the attention would be too large.
        """
        piece = self._pieces[text][sentence]
        if piece not in self._explained:
            self._explain(piece)
        return self._explained[piece]

    def _explain(self, sentence: str) -> None:
        explained = self._translator.explain(sentence, self._decoding, self._typed)
        self._found[sentence] = explained.translation
        self._explained = {sentence: explained}

    def _translate(self, sentences: Sequence[str]) -> None:
        found = self._translator.translate(sentences, self._decoding, self._typed, best_only=not self._typed)
        self._found.update(zip(sentences, found, strict=True))


def is_unsure(hypothesis: Hypothesis, decoding: DecodingConfig) -> bool:
    """Return whether the model gives a translation a low probability; False for samples, unlikely by design."""
    if decoding.samples or len(hypothesis.ids) < _FEWEST_TOKENS:
        return False
    return round(hypothesis.mean_probability, 2) < _LOW_CONFIDENCE


def _checked_pieces(translator: Translator, text: str) -> list[str]:
    """Split a text into sentences, and long sentences into parts."""
    if len(text) > MAX_CHARACTERS:
        raise TranslationError(
            _(
                "The text has {count} characters; at most {most} are translated at once. Shorten it or split it."
            ).format(count=number(len(text), ","), most=number(MAX_CHARACTERS, ","))
        )
    found = list(_pieces(text, translator))
    if text.strip() and not found:
        raise no_words(text)
    return found


def _pieces(text: str, translator: Translator) -> Iterator[str]:
    """Yield the sentences of a text, long ones split, without those that have no words."""
    tokenizer = translator.source_tokenizer
    most = min(MAX_TOKENS, translator.config.max_source_length)
    for sentence in split_sentences(text):
        fits = len(tokenizer.tokens(sentence)) <= most
        parts = [sentence] if fits else _together(_divided(sentence, translator, most), most)
        yield from (part for part in parts if has_words(tokenizer, part))


def _divided(text: str, translator: Translator, most: int) -> Iterator[tuple[str, int]]:
    """Yield clauses and their lengths in tokens; a long clause is split into words, a long word into halves."""
    length = len(translator.source_tokenizer.tokens(text))
    if length <= most or len(text) == 1:
        yield text, length
        return
    parts = _AFTER_PAUSE.split(text)
    if len(parts) == 1:
        parts = _SPACE.split(text)
    if len(parts) == 1:
        middle = len(text) // 2
        parts = [text[:middle], text[middle:]]
    for part in parts:
        yield from _divided(part, translator, most)


def _together(parts: Iterable[tuple[str, int]], most: int) -> Iterator[str]:
    """Join neighboring parts, given with their lengths, as long as `most` tokens have room for them, and yield them."""
    gathered: list[str] = []
    room = most
    for part, length in parts:
        if length > room and gathered:
            yield " ".join(gathered)
            gathered = []
            room = most
        gathered.append(part)
        room -= length
    yield " ".join(gathered)
