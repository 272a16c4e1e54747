"""Lines of a pipe or file: exactly one translation for each, whatever is in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.config import DecodingConfig
from core.decoding.text.long_text import checked_pieces
from core.decoding.text.text_translator import TextTranslator
from core.decoding.text.translation_error import TranslationError
from core.model.programs.heap import trim_heap
from core.records import Translation


@dataclass(frozen=True)
class LineTranslation:
    """A line and the translations of its sentences."""

    source: str
    sentences: tuple[Translation, ...]  # none where the line is blank or has a problem
    problem: str = ""  # why it could not be translated

    @property
    def text(self) -> str:
        """The translations in one line."""
        return _in_one_line(each.text for each in self.sentences)

    def samples(self, number: int) -> list[str]:
        """The line `number` times, as `TextTranslation.samples`."""
        return [_in_one_line(each.hypotheses[n].text for each in self.sentences) for n in range(number)]


def translate_lines(
    translator: TextTranslator, lines: Sequence[str], decoding: DecodingConfig
) -> list[LineTranslation]:
    """Translate lines of any number of sentences, those of similar length together.

    What is found depends on the sentence alone (of samples, on the seed too), so one that comes again is searched for
    once.

    Raises:
        TranslationError: the weights overflow. A line's own problem is in its translation.
    """
    pieces: list[list[str]] = []
    problems: list[str] = []
    for line in lines:
        found, problem = _pieces(translator, line)
        pieces.append(found)
        problems.append(problem)
    distinct = list(dict.fromkeys(piece for found in pieces for piece in found))
    translated = dict(zip(distinct, translator.translate_typed(distinct, decoding), strict=True))
    # Those of a file go on with other lengths, which ask for other memory; after one line, somebody waits.
    if len(lines) > 1:
        trim_heap()
    return [
        LineTranslation(line, tuple(translated[piece] for piece in found), problem)
        for line, found, problem in zip(lines, pieces, problems, strict=True)
    ]


def _pieces(translator: TextTranslator, line: str) -> tuple[list[str], str]:
    """What to translate of a line, or why nothing of it can be."""
    try:
        return checked_pieces(translator, [line])[0], ""
    except TranslationError as error:
        return [], str(error)


def _in_one_line(texts: Iterable[str]) -> str:
    return " ".join(" ".join(texts).splitlines())  # a token may be a line's end
