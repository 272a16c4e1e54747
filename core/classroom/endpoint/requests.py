"""What an endpoint is asked over HTTP, as JSON, and how it refuses; `responses` has what it answers.

POST /translate  {"model", "text", "beam_size", "length_penalty", "attention", "split"}
             ->  {"model", "translation", "sentences": [{"source", "hypotheses", …}]}
POST /explain    {"model", "text", "ids"}  ->  {"attention", "candidates"}
GET /            {"models": […]}

Whatever cannot be answered is {"error": "a sentence"} with a status code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeVar

from core.classroom.settings import Settings
from core.config import ConfigError, DecodingConfig

BAD_REQUEST, NOT_FOUND, TOO_LARGE, FAILED = 400, 404, 413, 500

_Value = TypeVar("_Value")
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

    model: str  # a name the endpoint knows
    text: str  # any number of sentences
    decoding: DecodingConfig
    attention: bool = False  # whether the answer has attention and candidates of every sentence
    split: bool = True  # False: the text is one sentence, and is not split

    def to_json(self) -> bytes:
        return _json(
            {
                "model": self.model,
                "text": self.text,
                "beam_size": self.decoding.beam_size,  # an endpoint searches; samples are drawn in the app
                "length_penalty": self.decoding.length_penalty,
                "attention": self.attention,
                "split": self.split,
            }
        )

    @classmethod
    def from_json(cls, data: bytes, settings: Settings) -> TranslateRequest:
        """Read a request.

        Raises:
            RequestError: it is malformed or beyond the settings' limits.
        """
        values = _object(data)
        known = {"model", "text", "beam_size", "length_penalty", "attention", "split"}
        if unknown := sorted(values.keys() - known):
            raise RequestError(BAD_REQUEST, f"There is no field {unknown[0]!r:.80}. Leave it out.")
        given = {name: values[name] for name in ("beam_size", "length_penalty") if name in values}
        try:
            decoding = DecodingConfig(**given)
        except ConfigError as error:
            raise RequestError(BAD_REQUEST, str(error)) from error
        text = _text_of(values, settings)
        most = settings.max_characters_times_beams // decoding.beam_size
        if len(text) > most:
            raise RequestError(
                TOO_LARGE,
                f"With {decoding.beam_size} beams, at most {most:,} characters are translated at once. "
                f"Shorten the text or use fewer beams. Received: {len(text):,}.",
            )
        flags = (
            _field(values, name, bool, default) for name, default in (("attention", False), ("split", True))
        )
        return cls(_field(values, "model", str), text, decoding, *flags)


@dataclass(frozen=True)
class ExplainRequest:
    """One sentence and a translation of it, whose attention is wanted."""

    model: str
    text: str  # the sentence as the model reads it
    ids: tuple[int, ...]  # of the translation's tokens, with the end id where it ended

    def to_json(self) -> bytes:
        return _json({"model": self.model, "text": self.text, "ids": list(self.ids)})

    @classmethod
    def from_json(cls, data: bytes, settings: Settings) -> ExplainRequest:
        """Read a request.

        Raises:
            RequestError: it is malformed or beyond the settings' limits.
        """
        values = _object(data)
        ids = _field(values, "ids", list)
        if not ids or not all(type(number) is int and number >= 0 for number in ids):
            raise RequestError(BAD_REQUEST, '"ids" must be a list of token ids, at least one.')
        return cls(_field(values, "model", str), _text_of(values, settings), tuple(ids))


def max_request_bytes(settings: Settings) -> int:
    """The longest body that a request within the limits can have."""
    return settings.max_text * _MAX_BYTES_OF_CHARACTER + _MAX_REST_BYTES


def _json(values: dict[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, allow_nan=False).encode()


def _object(data: bytes) -> dict[str, Any]:
    try:
        values = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise RequestError(BAD_REQUEST, "The request must be a JSON object, in UTF-8.") from error
    if not isinstance(values, dict):
        raise RequestError(BAD_REQUEST, "The request must be a JSON object.")
    return values


def _field(values: dict[str, Any], name: str, kind: type[_Value], default: _Value | None = None) -> _Value:
    value = values.get(name, default)
    if not isinstance(value, kind):
        words = {str: "text", bool: "true or false", list: "a list"}
        raise RequestError(BAD_REQUEST, f'"{name}" must be {words[kind]}. Received: {value!r:.80}')
    return value


def _text_of(values: dict[str, Any], settings: Settings) -> str:
    text = _field(values, "text", str)
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
