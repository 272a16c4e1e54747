"""Sentences in, translations out, whatever searches for them. Loads no TensorFlow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.config import DecodingConfig, ModelConfig
from core.decoding.batches import batches_by_length
from core.decoding.side_by_side import side_by_side
from core.decoding.text.source_ids import check_has_words, encode_source
from core.decoding.text.text_translator import GREEDY
from core.decoding.text.translation_error import WEIGHTS_OVERFLOW, TranslationError
from core.inference.final_stop import is_open, with_final_stop, without_final_stop
from core.records import Hypothesis, Translation
from core.tokens.base import Tokenizer

IMPOSSIBLE = -1e9  # stands for log 0; a true infinity would turn into NaN in sums and products


class SentenceTranslator(ABC):
    """From sentences to ids, and from what a search finds to translations. Threads may share it.

    Args:
        config: shape of the model.
        source_tokenizer: of the language translated from.
        target_tokenizer: of the language translated to.
        needs_stop: whether the model reads well only what ends in punctuation.
    """

    def __init__(
        self, config: ModelConfig, source_tokenizer: Tokenizer, target_tokenizer: Tokenizer, needs_stop: bool
    ) -> None:
        self.config = config
        self.needs_stop = needs_stop
        self.source_tokenizer = source_tokenizer
        self.target_tokenizer = target_tokenizer

    @abstractmethod
    def _search(
        self, encoded: list[list[int]], decoding: DecodingConfig, best_only: bool
    ) -> list[tuple[Hypothesis, ...]]:
        """The hypotheses of each sentence of one of `batches_by_length`, best first, or the best alone."""

    def check(self, sentences: Sequence[str]) -> None:
        """Whether `translate_typed` takes the sentences.

        Raises:
            TranslationError: one has no words or too many; its row says which.
        """
        for row, sentence in enumerate(sentences):
            check_has_words(self.source_tokenizer, sentence, row)
            self._encode(sentence, row)

    def translate(
        self, sentences: Sequence[str], decoding: DecodingConfig = GREEDY, best_only: bool = False
    ) -> list[Translation]:
        """Translate sentences as they are, in batches of similar length. Evaluations measure this.

        Args:
            sentences: any number.
            decoding: how to search.
            best_only: leave out the other hypotheses, which take a while to be written as text.

        Raises:
            TranslationError: a sentence is empty or too long, or the weights overflow. Nothing is
                translated then.
        """
        results: dict[int, Translation] = {}
        batches = self._batches(sentences, decoding)
        searched = side_by_side(
            lambda batch: self._search(list(batch.values()), decoding, best_only), batches
        )
        for batch, hypotheses in zip(batches, searched, strict=True):
            for (row, ids), found in zip(batch.items(), hypotheses, strict=True):
                results[row] = self._translation(sentences[row], ids, found)
        return [results[row] for row in range(len(sentences))]

    def translate_typed(
        self, sentences: Sequence[str], decoding: DecodingConfig = GREEDY
    ) -> list[Translation]:
        """As `translate`, with a full stop added where people left it out, if the model needs one.

        The translation's text then leaves out its own full stop; its tokens keep it.

        Raises:
            TranslationError: as `translate`, or a sentence has no words.
        """
        for row, sentence in enumerate(sentences):
            check_has_words(self.source_tokenizer, sentence, row)
        added = [self._adds_stop(sentence) for sentence in sentences]
        read = [
            with_final_stop(sentence) if is_added else sentence
            for sentence, is_added in zip(sentences, added, strict=True)
        ]
        found = self.translate(read, decoding)
        return [
            _as_typed(translation, sentence) if is_added else translation
            for translation, sentence, is_added in zip(found, sentences, added, strict=True)
        ]

    def _adds_stop(self, sentence: str) -> bool:
        """Whether a sentence has words, no final punctuation, and room for one more token."""
        if not self.needs_stop or not is_open(sentence):
            return False
        return 0 < len(self.source_tokenizer.tokens(sentence)) < self.config.max_source_length

    def _encode(self, sentence: str, row: int = 0) -> list[int]:
        return encode_source(self.source_tokenizer, self.config, sentence, row)

    def _batches(self, sentences: Sequence[str], decoding: DecodingConfig) -> list[dict[int, list[int]]]:
        """The ids of the sentences by their row, those of similar length together."""
        encoded = [self._encode(sentence, row) for row, sentence in enumerate(sentences)]
        lengths = {row: len(ids) for row, ids in enumerate(encoded)}
        batches = batches_by_length(lengths, self.config, decoding)
        return [{row: encoded[row] for row in rows} for rows in batches]

    def hypotheses(
        self, result: Sequence[Any], number: int, best_only: bool = False
    ) -> list[tuple[Hypothesis, ...]]:
        """Those of the first `number` sentences of a search: ids, log probability, score, finished.

        Raises:
            TranslationError: the weights overflow.
        """
        ids, log_probability, score, finished = (np.asarray(values)[:number] for values in result)
        if not (log_probability[:, 0] > IMPOSSIBLE / 2).all():  # nor is NaN
            raise TranslationError(WEIGHTS_OVERFLOW)
        # A tiny vocabulary may allow fewer sentences than there are beams; the rest stay impossible.
        return [
            tuple(
                self._hypothesis(ids[row, n], log_probability[row, n], score[row, n], finished[row, n])
                for n in range(1 if best_only else ids.shape[1])
                if log_probability[row, n] > IMPOSSIBLE / 2
            )
            for row in range(number)
        ]

    def _hypothesis(
        self, ids: np.ndarray, log_probability: float, score: float, finished: bool
    ) -> Hypothesis:
        vocabulary = self.target_tokenizer.vocabulary
        kept = tuple(int(i) for i in ids if i != vocabulary.pad_id)
        return Hypothesis(
            text=self.target_tokenizer.decode(kept),
            tokens=tuple(vocabulary.tokens[i] for i in kept if not vocabulary.is_special(i)),
            ids=kept,
            log_probability=float(log_probability),
            score=float(score),
            finished=bool(finished),
        )

    def _translation(self, sentence: str, ids: list[int], hypotheses: tuple[Hypothesis, ...]) -> Translation:
        return Translation(
            source=sentence,
            source_tokens=tuple(self.source_tokenizer.tokens(sentence)),
            unknown=tuple(i == self.source_tokenizer.vocabulary.unknown_id for i in ids),
            hypotheses=hypotheses,
        )


def _as_typed(translation: Translation, sentence: str) -> Translation:
    """The translation of the sentence as it was typed, without the full stop that was added."""
    hypotheses = tuple(replace(each, text=without_final_stop(each.text)) for each in translation.hypotheses)
    return replace(translation, source=sentence, hypotheses=hypotheses, stop_added=True)
