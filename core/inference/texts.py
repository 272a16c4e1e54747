"""Translating texts of any length: split into sentences that the model can read, then joined again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.config import DecodingConfig
from core.inference.translator import GREEDY, TranslationError, Translator, has_words, no_words
from core.records.text import Hypothesis, Translation
from core.tokens.base import MAX_TOKENS
from core.tokens.sentences import split_sentences

MAX_CHARACTERS = 100_000  # in all texts together
MAX_SENTENCES = 16  # per batch, after which progress is shown
LOW_CONFIDENCE = 0.5
"""Mean probability of a token. Of TED's validation sentences, translated greedily by `ted_pt_en`, 1.5 % are below, with
a mean chrF of 49; the others have 62."""

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
    """Translates texts batch by batch, in their order, with progress; it can be stopped early.

    Args:
        translator: the model's translator.
        texts: texts of any number of sentences; blank ones stay blank.
        decoding: how to search.

    Raises:
        TranslationError: a text has no words, or all together are too long; nothing is translated.
    """

    def __init__(
        self, translator: Translator, texts: Sequence[str], decoding: DecodingConfig = GREEDY
    ) -> None:
        self._translator = translator
        self._texts = texts
        self._decoding = decoding
        self._pieces = _checked_pieces(translator, texts)
        self._sentences = [sentence for found in self._pieces for sentence in found]
        self._translations: list[Translation] = []

    @property
    def total(self) -> int:
        """Sentences to translate."""
        return len(self._sentences)

    @property
    def done(self) -> int:
        """Sentences translated."""
        return len(self._translations)

    def steps(self) -> Iterator[int]:
        """Translate batch by batch, from where an earlier call stopped; yield the number of sentences done.

        Raises:
            TranslationError: the weights overflow.
        """
        while self.done < self.total:
            batch = self._sentences[self.done : self.done + MAX_SENTENCES]
            self._translations += self._translator.translate_typed(batch, self._decoding)
            yield self.done

    def result(self) -> list[TextTranslation]:
        """Return the texts translated so far; the last one may be incomplete."""
        translations = iter(self._translations)
        texts = []
        for text, found in zip(self._texts, self._pieces, strict=True):
            sentences = tuple(islice(translations, len(found)))
            if found and not sentences:
                break
            texts.append(TextTranslation(text, sentences, left=len(found) - len(sentences)))
        return texts


def translate_texts(
    translator: Translator,
    texts: Sequence[str],
    decoding: DecodingConfig = GREEDY,
    keep_problems: bool = False,
) -> list[TextTranslation]:
    """Translate texts of any number of sentences; blank ones stay blank.

    Sentences of similar length are translated together, repeated ones once. A sentence too long for the model is split
    at a pause, or between words.

    Args:
        translator: the model's translator.
        texts: texts, such as the lines of a file.
        decoding: how to search.
        keep_problems: store the error of a text that cannot be translated as its `problem`, instead of raising it.

    Raises:
        TranslationError: a text has no words or is too long (`row` is its index), or the weights overflow.
    """
    pieces: list[list[str]] = []
    problems: list[str] = []
    for row, text in enumerate(texts):
        try:
            pieces.append(_checked_pieces(translator, [text])[0])
            problems.append("")
        except TranslationError as error:
            if not keep_problems:
                raise TranslationError(str(error), row) from error
            pieces.append([])
            problems.append(str(error))
    distinct = list(dict.fromkeys(piece for found in pieces for piece in found))
    translated = dict(zip(distinct, translator.translate_typed(distinct, decoding), strict=True))
    return [
        TextTranslation(text, tuple(translated[piece] for piece in found), problem=problem)
        for text, found, problem in zip(texts, pieces, problems, strict=True)
    ]


def is_unsure(hypothesis: Hypothesis, decoding: DecodingConfig) -> bool:
    """Return whether the model gives a translation a low probability; False for samples, unlikely by design."""
    if decoding.samples or len(hypothesis.ids) < _FEWEST_TOKENS:
        return False
    return round(hypothesis.mean_probability, 2) < LOW_CONFIDENCE


def _checked_pieces(translator: Translator, texts: Sequence[str]) -> list[list[str]]:
    """Split each text into sentences, and long sentences into parts.

    Raises:
        TranslationError: a text has no words (`row` is its index), or all together are too long.
    """
    characters = sum(map(len, texts))
    if characters > MAX_CHARACTERS:
        raise TranslationError(
            f"The text has {characters:,} characters; at most {MAX_CHARACTERS:,} are translated at once. "
            "Shorten it or split it."
        )
    pieces = [list(_pieces(text, translator)) for text in texts]
    for row, (text, found) in enumerate(zip(texts, pieces, strict=True)):
        if text.strip() and not found:
            raise no_words(text, row)
    return pieces


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
            gathered, room = [], most
        gathered.append(part)
        room -= length
    yield " ".join(gathered)
