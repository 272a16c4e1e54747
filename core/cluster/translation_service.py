"""The service behind POST /translate, independent of Ray.

{"model", "text", "beam_size", "length_penalty"}  ->  {"model", "translation", "sentences": [{"source", …}]}
Errors are {"error": "a sentence"} with a status code.
"""

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from typing import Any

from core.config import SAMPLING, ConfigError, DecodingConfig
from core.inference.texts import TextRun
from core.inference.translator import TranslationError, Translator
from core.server.settings import Settings
from core.server.translation_job import MAX_CHARACTERS_TIMES_BEAMS

_BAD_REQUEST, _NOT_FOUND, TOO_LARGE, FAILED = 400, 404, 413, 500
_SEARCH = DecodingConfig().to_dict().keys() - set(SAMPLING)
_MAX_BYTES_OF_CHARACTER = 12  # in JSON: an emoji as two \\uXXXX
_MAX_REST_BYTES = 64 * 1024  # for a request's other fields


class RequestError(ValueError):
    """A request cannot be answered; it has the HTTP status code and a message that says what to do."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


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
            return 200, await self._translate(_object(body))
        except RequestError as error:
            return error.status, {"error": str(error)}
        except (ConfigError, TranslationError) as error:
            return _BAD_REQUEST, {"error": str(error)}

    async def _translate(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return the answer; if the client disconnects, translating ends after the current batch."""
        name = _string(values, "model")
        if name not in self._translators:
            raise RequestError(
                _NOT_FOUND,
                f"There is no model {name!r:.80} here, but: {', '.join(sorted(self._translators))}.",
            )
        decoding = DecodingConfig(**{field: values[field] for field in _SEARCH if field in values})
        text = self._text(values, decoding)
        in_thread = partial(asyncio.get_running_loop().run_in_executor, self._threads)
        run = await in_thread(TextRun, self._translators[name], [text], decoding)
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

    def _text(self, values: dict[str, Any], decoding: DecodingConfig) -> str:
        text = _string(values, "text")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise RequestError(_BAD_REQUEST, '"text" has half a character (a lone surrogate).') from error
        if not text.strip():
            raise RequestError(_BAD_REQUEST, "There are no words to translate. Send a sentence.")
        most = min(self._settings.max_text, MAX_CHARACTERS_TIMES_BEAMS // decoding.beam_size)
        if len(text) > most:
            raise RequestError(
                TOO_LARGE,
                f"The text has {len(text):,} characters; with beam_size {decoding.beam_size}, at most {most:,} are "
                "translated at once. Shorten it or use fewer beams.",
            )
        return text


def max_request_bytes(settings: Settings) -> int:
    """Return the largest size of the body of a request within the limits."""
    return settings.max_text * _MAX_BYTES_OF_CHARACTER + _MAX_REST_BYTES


def _object(data: bytes) -> dict[str, Any]:
    try:
        values = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise RequestError(_BAD_REQUEST, "The request must be a JSON object, in UTF-8.") from error
    if not isinstance(values, dict):
        raise RequestError(_BAD_REQUEST, "The request must be a JSON object.")
    if unknown := sorted(values.keys() - {"model", "text", *_SEARCH}):
        raise RequestError(_BAD_REQUEST, f"There is no field {unknown[0]!r:.80}. Leave it out.")
    return values


def _string(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    if not isinstance(value, str):
        raise RequestError(_BAD_REQUEST, f'"{name}" must be text. Received: {value!r:.80}')
    return value
