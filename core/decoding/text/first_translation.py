"""A translator for those who have little to translate: it is there at once. Loads no TensorFlow."""

from __future__ import annotations

from core.config import DecodingConfig, ModelConfig
from core.decoding.text.first_search import first_search, is_plain_greedy
from core.decoding.text.sentence_translator import SentenceTranslator
from core.records import Hypothesis, Translation
from core.tokens.base import Tokenizer
from core.weights import Weights


class FirstTranslator(SentenceTranslator):
    """As `core.decoding.translator.Translator`, greedy alone.

    Args:
        config: shape of the model.
        weights: by name.
        source_tokenizer: of the language translated from.
        target_tokenizer: of the language translated to.
        needs_stop: whether it reads well only what ends in punctuation.
    """

    def __init__(
        self,
        config: ModelConfig,
        weights: Weights,
        source_tokenizer: Tokenizer,
        target_tokenizer: Tokenizer,
        needs_stop: bool = False,
    ) -> None:
        super().__init__(config, source_tokenizer, target_tokenizer, needs_stop)
        self._weights = weights

    def _search(
        self, encoded: list[list[int]], decoding: DecodingConfig, best_only: bool
    ) -> list[tuple[Hypothesis, ...]]:
        if not is_plain_greedy(decoding):
            raise ValueError(f"The first translations are greedy. Received: {decoding}")
        return first_search(self, self._weights, encoded)

    def explain(self, translation: Translation) -> Translation:
        """As `Translator.explain`; imports TensorFlow."""
        from core.decoding.translator import Translator

        tokenizers = self.source_tokenizer, self.target_tokenizer
        return Translator(self.config, self._weights, *tokenizers, self.needs_stop).explain(translation)
