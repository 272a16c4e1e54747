"""What texts are translated with: a model in this process, or one behind an address. Loads no TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.config import DecodingConfig, ModelConfig
from core.records import Translation
from core.tokens.base import Tokenizer

GREEDY = DecodingConfig()


class TextTranslator(Protocol):
    """What pages and texts of several sentences need of a `Translator`; its methods are explained there."""

    config: ModelConfig
    source_tokenizer: Tokenizer

    def check(self, sentences: Sequence[str]) -> None: ...

    def translate_typed(
        self, sentences: Sequence[str], decoding: DecodingConfig = GREEDY
    ) -> list[Translation]: ...

    def explain(self, translation: Translation) -> Translation: ...
