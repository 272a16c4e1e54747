"""What an endpoint does with a request, whichever server brings it.

`core.classroom.endpoint.requests` and `core.classroom.endpoint.responses` have the format.

It knows no Ray: `core.cluster.serving` puts it behind HTTP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from core.classroom.endpoint.requests import (
    BAD_REQUEST,
    NOT_FOUND,
    TOO_LARGE,
    ExplainRequest,
    RequestError,
    TranslateRequest,
)
from core.classroom.endpoint.responses import explanation_values, translation_values
from core.classroom.jobs.shared_batches import SharedBatches
from core.classroom.settings import Settings
from core.decoding.text.text_run import TextRun
from core.decoding.translator import TranslationError, Translator
from core.records import Hypothesis, Translation

Found = TypeVar("Found")


class TranslationService:
    """Answers requests for some models; what arrives while a batch is translated makes up the next one.

    Args:
        translators: by the names that requests give.
        settings: whose limits hold for every request.
        max_calls: batches that are translated at a time.
        max_requests: that are worked on at a time; others wait.
    """

    def __init__(
        self, translators: Mapping[str, Translator], settings: Settings, max_calls: int, max_requests: int
    ) -> None:
        self._translators = translators
        self._settings = settings
        self._batches = SharedBatches(max_calls)
        self._threads = ThreadPoolExecutor(max_requests, thread_name_prefix="request")

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
        sentences = await self._sentences(translator, request)
        if request.attention:
            self._check_attention(translator, sentences)
            sentences = await self._in_thread(lambda: [translator.explain(each) for each in sentences])
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
        return explanation_values(await self._in_thread(lambda: translator.explain(sentence)))

    async def _sentences(self, translator: Translator, request: TranslateRequest) -> list[Translation]:
        """The translations of a request's sentences; whoever goes away ends them at the next portion."""
        together = partial(self._batches.translate, translator)
        if not request.split:
            translator.check([request.text])
            return await self._in_thread(lambda: together([request.text], request.decoding))
        run = await self._in_thread(lambda: TextRun(translator, [request.text], request.decoding, together))
        portions = run.steps()
        while await self._in_thread(lambda: next(portions, None)):
            pass
        (text,) = run.result()
        return list(text.sentences)

    async def _in_thread(self, work: Callable[[], Found]) -> Found:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

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
