"""The service behind POST /translate, independent of Ray.

{"model", "text", "beam_size", "length_penalty"}  ->  {"model", "translation", "sentences": [{"source", …}]}
Errors are {"error": "a sentence"} with a status code.
"""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from typing import Any

from core.config import DecodingConfig
from core.described import described, read_json
from core.errors import InputError
from core.inference.texts import TextRun
from core.inference.translator import TranslationError, Translator
from core.server.settings import Settings
from core.server.translation_job import MAX_CHARACTERS_TIMES_BEAMS

_BAD_REQUEST, _NOT_FOUND, TOO_LARGE, FAILED = 400, 404, 413, 500
_MAX_BYTES_OF_CHARACTER = 12  # in JSON: an emoji as two \\uXXXX
_MAX_REST_BYTES = 64 * 1024  # for a request's other fields


class RequestError(ValueError):
    """A request cannot be answered; it has the HTTP status code and a message that says what to do."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@described
class Request:
    """What POST /translate is sent; `DecodingConfig` has the ranges of the search."""

    model: str
    text: str
    beam_size: int = DecodingConfig.beam_size
    length_penalty: float = DecodingConfig.length_penalty


class TranslationService:
    """Answers requests for some models, given by their names; `cpus` batches are translated at a time."""

    def __init__(self, translators: Mapping[str, Translator], settings: Settings, cpus: int) -> None:
        self._translators = translators
        self._settings = settings
        self._threads = ThreadPoolExecutor(cpus, thread_name_prefix="translate")

    async def answer(self, method: str, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
        """Return the status code and the JSON object that answer an HTTP request."""
        try:
            if (method, path) != ("POST", "/translate"):
                raise RequestError(_NOT_FOUND, "There is POST /translate here.")
            return 200, await self._translate(read_json(Request, body))
        except RequestError as error:
            return error.status, {"error": str(error)}
        except (InputError, TranslationError) as error:
            return _BAD_REQUEST, {"error": str(error)}

    async def _translate(self, request: Request) -> dict[str, Any]:
        """Return the answer; if the client disconnects, translating ends after the current batch."""
        name = request.model
        if name not in self._translators:
            raise RequestError(
                _NOT_FOUND,
                f"There is no model {name!r:.80} here, but: {', '.join(sorted(self._translators))}.",
            )
        decoding = DecodingConfig(beam_size=request.beam_size, length_penalty=request.length_penalty)
        self._check_text(request.text, decoding)
        in_thread = partial(asyncio.get_running_loop().run_in_executor, self._threads)
        run = await in_thread(TextRun, self._translators[name], [request.text], decoding)
        steps = run.steps()
        while await in_thread(next, steps, None):
            pass
        (translated,) = run.result()
        return {
            "model": name,
            "translation": translated.text,
            "sentences": [
                {
                    "source": each.source,
                    "source_tokens": list(each.source_tokens),
                    "unknown": list(each.unknown),
                    "stop_added": each.full_stop_added,
                    "hypotheses": [asdict(hypothesis) for hypothesis in each.hypotheses],
                }
                for each in translated.sentences
            ],
        }

    def _check_text(self, text: str, decoding: DecodingConfig) -> None:
        if not text.strip():
            raise RequestError(_BAD_REQUEST, "There are no words to translate. Send a sentence.")
        most = min(self._settings.max_text, MAX_CHARACTERS_TIMES_BEAMS // decoding.beam_size)
        if len(text) > most:
            raise RequestError(
                TOO_LARGE,
                f"The text has {len(text):,} characters; with beam_size {decoding.beam_size}, at most {most:,} are "
                "translated at once. Shorten it or use fewer beams.",
            )


def max_request_bytes(settings: Settings) -> int:
    """Return the largest size of the body of a request within the limits."""
    return settings.max_text * _MAX_BYTES_OF_CHARACTER + _MAX_REST_BYTES
