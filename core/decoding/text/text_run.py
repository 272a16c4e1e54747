"""Translating many texts in portions, so that a user can stop between two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from core.config import DecodingConfig
from core.decoding.batches import MAX_WORK, work_of
from core.decoding.text.long_text import TextTranslation, checked_pieces
from core.decoding.text.text_translator import GREEDY, TextTranslator
from core.records import Translation

MAX_SENTENCES = 16  # of a portion

Translate = Callable[[Sequence[str], DecodingConfig], list[Translation]]


class TextRun:
    """Translates texts in order; progress can be shown, and the run can be ended early.

    Args:
        translator: of the model.
        texts: of any number of sentences; blank ones stay blank.
        decoding: how to search.
        translate: translates a portion; None is the translator's own `translate_typed`.

    Raises:
        TranslationError: as `translate_texts`; nothing is translated then.
    """

    def __init__(
        self,
        translator: TextTranslator,
        texts: Sequence[str],
        decoding: DecodingConfig = GREEDY,
        translate: Translate | None = None,
    ) -> None:
        self._translator = translator
        self._texts = texts
        self._decoding = decoding
        self._translate = translate or translator.translate_typed
        self._pieces = checked_pieces(translator, texts)
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
        """Translate portion by portion, from where an earlier call ended; yields the sentences done.

        Raises:
            TranslationError: the weights overflow.
        """
        while self.done < self.total:
            self._translations += self._translate(self._next_portion(), self._decoding)
            yield self.done

    def result(self) -> list[TextTranslation]:
        """The texts reached so far; the last one may be incomplete."""
        translations = iter(self._translations)
        texts = []
        for text, found in zip(self._texts, self._pieces, strict=True):
            sentences = tuple(islice(translations, len(found)))
            if found and not sentences:
                break
            texts.append(TextTranslation(text, sentences, left=len(found) - len(sentences)))
        return texts

    def _next_portion(self) -> list[str]:
        """The next sentences: at least one, and together within the limits of a portion."""
        portion: list[str] = []
        work = 0
        for sentence in self._sentences[self.done : self.done + MAX_SENTENCES]:
            length = len(self._translator.source_tokenizer.tokens(sentence))
            work += work_of(length, self._translator.config, self._decoding)
            if portion and work > MAX_WORK:
                break
            portion.append(sentence)
        return portion
