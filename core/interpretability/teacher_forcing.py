"""A sentence and its translation as one teacher-forced pass reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from core.inference.transformer import Ids
from core.inference.translator import TranslationError, Translator
from core.records import Translation


@dataclass(frozen=True, eq=False)
class ForcedPair:
    """The ids of one source and one target; position t of the target reads `decoder_input` and predicts `predicted`."""

    source: Ids  # (S,)
    predicted: Ids  # (T,), the end included where the sentence ended
    start_id: int
    source_tokens: tuple[str, ...]
    predicted_tokens: tuple[str, ...]

    @classmethod
    def of_translation(cls, translator: Translator, translation: Translation) -> Self:
        """A sentence with what the model has written for it."""
        return cls.of_ids(
            translator, translator.source_tokenizer.encode(translation.read), translation.best.ids
        )

    @classmethod
    def of_texts(cls, translator: Translator, source: str, target: str) -> Self:
        """A sentence with any other translation of it, such as a reference.

        Raises:
            TranslationError: one side has no words, or too many for the model.
        """
        config, end_id = translator.config, translator.target_tokenizer.vocabulary.end_id
        ids = translator.source_tokenizer.encode(source)
        predicted = [*translator.target_tokenizer.encode(target), end_id]
        if not ids or len(predicted) == 1:
            raise TranslationError("There are no words to read. Type both sentences.")
        if len(ids) > config.max_source_length or len(predicted) > config.max_target_length:
            raise TranslationError("A sentence is too long for this model. Shorten it.")
        return cls.of_ids(translator, ids, predicted)

    @classmethod
    def of_ids(cls, translator: Translator, source: Sequence[int], predicted: Sequence[int]) -> Self:
        """Ids of a source and of a target, the end included where it ended."""
        vocabularies = translator.source_tokenizer.vocabulary, translator.target_tokenizer.vocabulary
        tokens = (
            tuple(vocabulary.tokens[i] for i in ids)
            for vocabulary, ids in zip(vocabularies, (source, predicted), strict=True)
        )
        return cls(
            np.array(source, np.int32), np.array(predicted, np.int32), vocabularies[1].start_id, *tokens
        )

    @property
    def decoder_input(self) -> Ids:
        """(T,): the start token, then all but the last that was predicted."""
        return np.concatenate([[self.start_id], self.predicted[:-1]]).astype(np.int32)
