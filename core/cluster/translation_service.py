"""What answers a request for a translation, whichever server brings it.

`core.cluster.requests` has the format. It knows no Ray: `core.cluster.serving` puts it behind HTTP.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from typing import Any, TypeVar

from core.classroom.jobs.shared_batches import SharedBatches
from core.classroom.settings import Settings
from core.cluster.requests import BAD_REQUEST, NOT_FOUND, RequestError, TranslateRequest
from core.decoding.text.text_run import TextRun
from core.decoding.translator import TranslationError, Translator
from core.records import Translation

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
        """Return the status code and the JSON object that answer an HTTP request."""
        try:
            if (method, path) != ("POST", "/translate"):
                raise RequestError(NOT_FOUND, "There is POST /translate here.")
            return 200, await self._translate(TranslateRequest.from_json(body, self._settings))
        except RequestError as error:
            return error.status, {"error": str(error)}
        except TranslationError as error:
            return BAD_REQUEST, {"error": str(error)}

    async def _translate(self, request: TranslateRequest) -> dict[str, Any]:
        """Return the answer; whoever goes away ends the translating at the next portion of the text."""
        translator = self._translator(request.model)
        together = partial(self._batches.translate, translator)
        run = await self._in_thread(lambda: TextRun(translator, [request.text], request.decoding, together))
        portions = run.steps()
        while await self._in_thread(lambda: next(portions, None)):
            pass
        (text,) = run.result()
        return {
            "model": request.model,
            "translation": " ".join(sentence.text for sentence in text.sentences),
            "sentences": [_sentence_values(sentence) for sentence in text.sentences],
        }

    async def _in_thread(self, work: Callable[[], Found]) -> Found:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _translator(self, name: str) -> Translator:
        if name not in self._translators:
            raise RequestError(
                NOT_FOUND,
                f"There is no model {name!r:.80} here, but: {', '.join(sorted(self._translators))}.",
            )
        return self._translators[name]


def _sentence_values(translation: Translation) -> dict[str, Any]:
    return {
        "source": translation.source,
        "source_tokens": list(translation.source_tokens),
        "unknown": list(translation.unknown),
        "stop_added": translation.stop_added,
        "hypotheses": [asdict(each) for each in translation.hypotheses],
    }
