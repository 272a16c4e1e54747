"""What an endpoint does with a request, whichever server brings it.

`core.classroom.endpoint.requests` and `core.classroom.endpoint.responses` have the format.

It knows no Ray: `core.cluster.serving` puts it behind HTTP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.classroom.endpoint.requests import (
    BAD_REQUEST,
    NOT_FOUND,
    TOO_LARGE,
    ExplainRequest,
    RequestError,
    TranslateRequest,
)
from core.classroom.endpoint.responses import explanation_values, translation_values
from core.classroom.settings import Settings
from core.config import DecodingConfig
from core.decoding.text.long_text import checked_pieces
from core.decoding.translator import TranslationError, Translator
from core.records import Hypothesis, Translation


@dataclass(frozen=True)
class Sentence:
    """One sentence on its way to a batch."""

    model: str
    text: str
    decoding: DecodingConfig


Gather = Callable[[Sentence], Awaitable[Translation | TranslationError]]
"""Puts a sentence into a batch and waits for its translation."""


class TranslationService:
    """Answers requests for some models.

    Args:
        translators: by the names that requests give.
        settings: whose limits hold for every request.
        gather: translates a sentence together with others that arrive at the same time.
    """

    def __init__(self, translators: Mapping[str, Translator], settings: Settings, gather: Gather) -> None:
        self._translators = translators
        self._settings = settings
        self._gather = gather

    async def answer(self, method: str, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
        """The status code and the JSON object that answer an HTTP request."""
        try:
            if (method, path) == ("GET", "/"):
                return 200, {"models": sorted(self._translators)}
            if (method, path) == ("POST", "/translate"):
                return 200, await self._translate(TranslateRequest.from_json(body, self._settings))
            if (method, path) == ("POST", "/explain"):
                return 200, await self._explain(ExplainRequest.from_json(body, self._settings))
            raise RequestError(NOT_FOUND, "There is POST /translate, POST /explain and GET / here.")
        except RequestError as error:
            return error.status, {"error": str(error)}
        except TranslationError as error:
            return BAD_REQUEST, {"error": str(error)}

    async def _translate(self, request: TranslateRequest) -> dict[str, Any]:
        translator = self._translator(request.model)
        if request.split:
            (pieces,) = await asyncio.to_thread(checked_pieces, translator, [request.text])
        else:
            pieces = [request.text]
            translator.check(pieces)
        found = await asyncio.gather(
            *(self._gather(Sentence(request.model, piece, request.decoding)) for piece in pieces)
        )
        sentences = [_raised(each) for each in found]
        if request.attention:
            self._check_attention(translator, sentences)
            sentences = await asyncio.to_thread(lambda: [translator.explain(each) for each in sentences])
        return {
            "model": request.model,
            "translation": " ".join(sentence.text for sentence in sentences),
            "sentences": [translation_values(sentence) for sentence in sentences],
        }

    async def _explain(self, request: ExplainRequest) -> dict[str, Any]:
        translator = self._translator(request.model)
        translator.check([request.text])
        most, entries = translator.config.max_target_length, translator.config.target_vocab_size
        if len(request.ids) > most or max(request.ids) >= entries:
            raise RequestError(
                BAD_REQUEST, f'"ids" must be at most {most:,} ids of the model\'s {entries:,} target tokens.'
            )
        hypothesis = Hypothesis("", (), request.ids, 0.0, 0.0, True)
        tokens = tuple(translator.source_tokenizer.tokens(request.text))
        sentence = Translation(request.text, tokens, (), (hypothesis,))
        self._check_attention(translator, [sentence])
        return explanation_values(await asyncio.to_thread(translator.explain, sentence))

    def _translator(self, name: str) -> Translator:
        if name not in self._translators:
            raise RequestError(
                NOT_FOUND,
                f"There is no model {name!r:.80} here, but: {', '.join(sorted(self._translators))}.",
            )
        return self._translators[name]

    def _check_attention(self, translator: Translator, sentences: Sequence[Translation]) -> None:
        heads = translator.config.num_layers * translator.config.num_heads
        lengths = [(len(each.source_tokens), len(each.best.ids)) for each in sentences]
        weights = sum(heads * (source**2 + target**2 + source * target) for source, target in lengths)
        if weights > self._settings.max_endpoint_attention:
            raise RequestError(
                TOO_LARGE,
                f"The attention has {weights:,} weights; an answer holds at most "
                f"{self._settings.max_endpoint_attention:,}. Ask about a shorter text.",
            )


def translate_together(
    translators: Mapping[str, Translator], sentences: Sequence[Sentence]
) -> list[Translation | TranslationError]:
    """Translate sentences that arrived together, those of one model and search in one call."""
    groups: dict[tuple[str, DecodingConfig], list[int]] = {}
    for number, sentence in enumerate(sentences):
        groups.setdefault((sentence.model, sentence.decoding), []).append(number)
    found: dict[int, Translation | TranslationError] = {}
    for (model, decoding), numbers in groups.items():
        texts = [sentences[number].text for number in numbers]
        try:
            found |= zip(numbers, translators[model].translate_typed(texts, decoding), strict=True)
        except TranslationError as error:
            found |= dict.fromkeys(numbers, error)
    return [found[number] for number in range(len(sentences))]


def _raised(found: Translation | TranslationError) -> Translation:
    if isinstance(found, TranslationError):
        raise found
    return found
