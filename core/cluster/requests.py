"""What POST /translate is sent, as JSON, and why a request is refused.

{"model", "text", "beam_size", "length_penalty"}  ->  {"model", "translation", "sentences": [{"source", …}]}

Whatever cannot be answered is {"error": "a sentence"} with a status code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from core.classroom.settings import MAX_CHARACTERS_TIMES_BEAMS, Settings
from core.config import ConfigError, DecodingConfig

BAD_REQUEST, NOT_FOUND, TOO_LARGE, FAILED = 400, 404, 413, 500

_MAX_BYTES_OF_CHARACTER = 12  # in JSON: an emoji as two \\uXXXX
_MAX_REST_BYTES = 64 * 1024  # of a request beside its text


class RequestError(ValueError):
    """A request that cannot be answered; the message says what to do.

    Args:
        status: the HTTP status code.
        message: for people.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class TranslateRequest:
    """A text to translate."""

    model: str  # a name that the server knows
    text: str  # any number of sentences
    decoding: DecodingConfig

    @classmethod
    def from_json(cls, data: bytes, settings: Settings) -> TranslateRequest:
        """Return the request that a body holds.

        Raises:
            RequestError: it is malformed or beyond the settings' limits.
        """
        values = _object(data)
        known = {"model", "text", "beam_size", "length_penalty"}
        if unknown := sorted(values.keys() - known):
            raise RequestError(BAD_REQUEST, f"There is no field {unknown[0]!r:.80}. Leave it out.")
        given = {name: values[name] for name in ("beam_size", "length_penalty") if name in values}
        try:
            decoding = DecodingConfig(**given)
        except ConfigError as error:
            raise RequestError(BAD_REQUEST, str(error)) from error
        text = _text_of(values, settings)
        most = MAX_CHARACTERS_TIMES_BEAMS // decoding.beam_size
        if len(text) > most:
            raise RequestError(
                TOO_LARGE,
                f"With {decoding.beam_size} beams, at most {most:,} characters are translated at once. "
                f"Shorten the text or use fewer beams. Received: {len(text):,}.",
            )
        return cls(_string(values, "model"), text, decoding)


def max_request_bytes(settings: Settings) -> int:
    """Return the length of the longest body that a request within the limits can have."""
    return settings.max_text * _MAX_BYTES_OF_CHARACTER + _MAX_REST_BYTES


def _object(data: bytes) -> dict[str, Any]:
    try:
        values = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise RequestError(BAD_REQUEST, "The request must be a JSON object, in UTF-8.") from error
    if not isinstance(values, dict):
        raise RequestError(BAD_REQUEST, "The request must be a JSON object.")
    return values


def _string(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    if not isinstance(value, str):
        raise RequestError(BAD_REQUEST, f'"{name}" must be text. Received: {value!r:.80}')
    return value


def _text_of(values: dict[str, Any], settings: Settings) -> str:
    text = _string(values, "text")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RequestError(BAD_REQUEST, '"text" has half a character (a lone surrogate).') from error
    if not text.strip():
        raise RequestError(BAD_REQUEST, "There are no words to translate. Send a sentence.")
    if len(text) > settings.max_text:
        raise RequestError(
            TOO_LARGE,
            f"The text has {len(text):,} characters; at most {settings.max_text:,} are translated at once. Shorten it.",
        )
    return text
