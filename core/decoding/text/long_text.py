"""Texts of any length: split into sentences the model can read, translated, and joined again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.config import DecodingConfig
from core.decoding.text.source_ids import has_words, no_words
from core.decoding.text.text_translator import GREEDY, TextTranslator
from core.decoding.text.translation_error import TranslationError
from core.records import Translation
from core.subword_pairs import MAX_TOKENS

MAX_CHARACTERS = 100_000  # of all texts together

_AFTER_SENTENCE = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"'»”’)\]]))\s+(?=\S)|(?<!\s)\s*\n\s*")
_AFTER_PAUSE = re.compile(r"(?<=[,;:—–])\s+")
_SPACE = re.compile(r"\s+")
_ABBREVIATION = re.compile(  # one letter, or what people write before a name
    r"(?:^|\W)(?:[^\W\d_]|mrs?|ms|dra?|prof|sra?|srta|st|mme|mlle|vs|etc)\.$", re.IGNORECASE
)


@dataclass(frozen=True)
class TextTranslation:
    """A text and the translations of its sentences."""

    source: str
    sentences: tuple[Translation, ...]  # none where the source is blank
    left: int = 0  # sentences not translated because the user stopped

    @property
    def text(self) -> str:
        """The translations in the order of the sentences."""
        return " ".join(sentence.text for sentence in self.sentences)

    def samples(self, number: int) -> list[str]:
        """The text `number` times: from the first samples of all sentences, from the second ones, and so on."""
        return [" ".join(each.hypotheses[n].text for each in self.sentences) for n in range(number)]


def translate_texts(
    translator: TextTranslator, texts: Sequence[str], decoding: DecodingConfig = GREEDY
) -> list[TextTranslation]:
    """Translate texts of any number of sentences; blank ones stay blank.

    A sentence too long for the model is split at a pause, or between words. One
    without final punctuation is read with a full stop where the model needs it (`Translator.translate_typed`).

    Raises:
        TranslationError: a text has no words, or all together are too long; its row is that of the text.
    """
    pieces = checked_pieces(translator, texts)
    flat = [piece for found in pieces for piece in found]
    translations = iter(translator.translate_typed(flat, decoding))
    return [
        TextTranslation(text, tuple(next(translations) for _ in found))
        for text, found in zip(texts, pieces, strict=True)
    ]


def checked_pieces(translator: TextTranslator, texts: Sequence[str]) -> list[list[str]]:
    """The parts of each text to translate: its sentences, long ones split.

    Raises:
        TranslationError: as `translate_texts`.
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
    rows = [row for row, found in enumerate(pieces) for _ in found]
    try:
        translator.check([piece for found in pieces for piece in found])
    except TranslationError as error:
        raise TranslationError(str(error), rows[error.row]) from error
    return pieces


def split_sentences(text: str) -> list[str]:
    """The sentences of a text; each line is at least one.

    A sentence ends after . ! ? or … before a space, but not after an abbreviation ("Dr. Silva").
    """
    sentences: list[list[str]] = []  # of parts that belong together
    open_end = False
    start = 0
    for cut in [*_AFTER_SENTENCE.finditer(text), None]:
        sentence = text[start : cut.start() if cut else len(text)]
        start = cut.end() if cut else len(text)
        if open_end:
            sentences[-1].append(sentence)
        elif sentence.strip():
            sentences.append([sentence.strip()])
        open_end = bool(sentences) and cut is not None and "\n" not in cut[0] and _is_open(sentence)
    return [" ".join(parts) for parts in sentences]


def _is_open(sentence: str) -> bool:
    return _ABBREVIATION.search(sentence) is not None


def _pieces(text: str, translator: TextTranslator) -> Iterator[str]:
    """The sentences that have words, long ones split into parts that have some."""
    tokenizer = translator.source_tokenizer
    most = min(MAX_TOKENS, translator.config.max_source_length)
    for sentence in split_sentences(text):
        fits = len(tokenizer.tokens(sentence)) <= most
        parts = [sentence] if fits else _cut(sentence, translator, most)
        yield from (part for part in parts if has_words(tokenizer, part))


def _cut(sentence: str, translator: TextTranslator, most: int) -> Iterator[str]:
    """Parts of at most `most` tokens: as many clauses as fit, or words where a clause is too long."""
    for separator in (_AFTER_PAUSE, _SPACE):
        parts = separator.split(sentence)
        lengths = [len(translator.source_tokenizer.tokens(part)) for part in parts]
        if max(lengths) <= most:
            yield from _together(parts, lengths, most)
            return
    for part, length in zip(parts, lengths, strict=True):
        if length <= most:
            yield part
        else:  # a word without end
            width = max(1, len(part) * most // (2 * length))
            yield from (part[first : first + width] for first in range(0, len(part), width))


def _together(parts: Sequence[str], lengths: Sequence[int], most: int) -> Iterator[str]:
    gathered: list[str] = []
    room = most
    for part, length in zip(parts, lengths, strict=True):
        if length > room and gathered:
            yield " ".join(gathered)
            gathered, room = [], most
        gathered.append(part)
        room -= length
    yield " ".join(gathered)
