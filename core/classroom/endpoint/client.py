"""Translating over HTTP, by a server of its own: the web process then needs no TensorFlow."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from http.client import HTTPException

from core.classroom.endpoint.requests import ExplainRequest, TranslateRequest
from core.classroom.endpoint.responses import AnswerError, read_explanation, read_sentence
from core.config import DecodingConfig
from core.decoding.text.source_ids import check_has_words, encode_source
from core.decoding.text.text_translator import GREEDY
from core.decoding.text.translation_error import TranslationError
from core.records import Translation
from core.storage.checkpoint import Checkpoint

_MAX_AT_ONCE = 16  # requests of one text under way; the endpoint gathers them into batches
_MAX_ANSWER_BYTES = 64 * 1024 * 1024
_FIRST_PAUSE = 0.1  # seconds before the second try; each further pause is twice as long
_PASSING = (500, 502, 503, 504)  # a replica has died, or all are busy: another try may succeed
_UNREACHABLE = "The translation server cannot be reached at the moment. Try again in a minute."
_FOREIGN = (
    "The translation server gave an answer that this app does not understand. "
    "Ask whoever runs this app to look at its endpoint."
)


class EndpointError(TranslationError):
    """The endpoint did not translate; the message says why."""


@dataclass(frozen=True)
class Endpoint:
    """The address of a server that translates, which `python -m core serve` starts."""

    address: str  # as "http://host:8000"
    seconds: float  # that an answer may take, all tries together

    def ask(self, path: str, request: bytes) -> bytes:
        """Send a request and wait for its answer; tries again where a replica died, since nothing is changed by it.

        Raises:
            EndpointError: there is no answer in time, or the endpoint refuses; the message is for people.
        """
        end = time.monotonic() + self.seconds
        pause = _FIRST_PAUSE
        while True:
            try:
                return self._try(path, request, end - time.monotonic())
            except urllib.error.HTTPError as error:
                reason = _refusal(error)
                if reason or error.code not in _PASSING:
                    raise EndpointError(reason or _FOREIGN) from error
                last: Exception = error
            except (OSError, HTTPException) as error:  # URLError and time-outs are OSErrors
                last = error
            if time.monotonic() + pause >= end:
                raise EndpointError(_UNREACHABLE) from last
            time.sleep(pause)
            pause *= 2

    def _try(self, path: str, request: bytes, seconds: float) -> bytes:
        asked = urllib.request.Request(
            f"{self.address.rstrip('/')}{path}", request, {"Content-Type": "application/json"}, method="POST"
        )
        with urllib.request.urlopen(asked, timeout=max(seconds, 0.001)) as answer:
            data: bytes = answer.read(_MAX_ANSWER_BYTES + 1)
        if len(data) > _MAX_ANSWER_BYTES:
            raise EndpointError(_FOREIGN)
        return data


class EndpointTranslator:
    """A checkpoint that an endpoint translates with; pages use it as they use a `Translator`.

    Args:
        endpoint: that has the model.
        model: its name there.
        checkpoint: of the same model, whose tokenizers and limits are needed here too.
    """

    def __init__(self, endpoint: Endpoint, model: str, checkpoint: Checkpoint) -> None:
        self.config = checkpoint.config
        self.source_tokenizer = checkpoint.source_tokenizer
        self._endpoint = endpoint
        self._model = model

    def check(self, sentences: Sequence[str]) -> None:
        """As `Translator.check`."""
        for row, sentence in enumerate(sentences):
            check_has_words(self.source_tokenizer, sentence, row)
            encode_source(self.source_tokenizer, self.config, sentence, row)

    def translate_typed(
        self, sentences: Sequence[str], decoding: DecodingConfig = GREEDY
    ) -> list[Translation]:
        """As `Translator.translate_typed`, each sentence in a request of its own.

        Raises:
            EndpointError: the endpoint did not translate one of them.
        """
        if not sentences:
            return []
        requests = [
            TranslateRequest(self._model, sentence, decoding, split=False).to_json() for sentence in sentences
        ]
        with ThreadPoolExecutor(min(len(requests), _MAX_AT_ONCE)) as pool:
            return [_understood(data) for data in pool.map(self._translated, requests)]

    def explain(self, translation: Translation) -> Translation:
        """As `Translator.explain`.

        Raises:
            EndpointError: the endpoint did not explain it.
        """
        request = ExplainRequest(self._model, translation.read, translation.best.ids)
        data = self._endpoint.ask("/explain", request.to_json())
        try:
            attention, candidates = read_explanation(data)
        except AnswerError as error:
            raise EndpointError(_FOREIGN) from error
        return replace(translation, attention=attention, candidates=candidates)

    def _translated(self, request: bytes) -> bytes:
        return self._endpoint.ask("/translate", request)


def _understood(data: bytes) -> Translation:
    try:
        return read_sentence(data)
    except AnswerError as error:
        raise EndpointError(_FOREIGN) from error


def _refusal(error: urllib.error.HTTPError) -> str:
    """The sentence that the endpoint gives as its reason; empty where the answer is not the endpoint's own."""
    try:
        with error:
            reason = json.loads(error.read(_MAX_ANSWER_BYTES))["error"]
    except (OSError, HTTPException, ValueError, TypeError, KeyError, RecursionError):
        return ""
    return reason if isinstance(reason, str) else ""
