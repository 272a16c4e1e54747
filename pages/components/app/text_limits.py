"""How much text a page takes at once."""

from __future__ import annotations

from core.classroom.settings import server_settings
from core.classroom.translation_job import MAX_CHARACTERS_TIMES_BEAMS
from core.config import DecodingConfig


class TextError(ValueError):
    """A text the page cannot take; the message says why."""


def check_text(text: str, decoding: DecodingConfig) -> None:
    """Whether the page takes a text.

    Raises:
        TextError: it is blank, too long, or too long for so many beams.
    """
    if not text.strip():
        raise TextError("There are no words to translate. Type a sentence.")
    if len(text) > server_settings().max_text:
        raise TextError(
            f"The text has {len(text):,} characters; this page takes at most {server_settings().max_text:,}. Shorten it."
        )
    check_work(text, decoding)


def check_work(text: str, decoding: DecodingConfig) -> None:
    """Whether a text is short enough for its beams.

    Raises:
        TextError: it is not.
    """
    most = MAX_CHARACTERS_TIMES_BEAMS // decoding.num_hypotheses
    if len(text) > most:
        what = "samples" if decoding.samples else "beams"
        raise TextError(
            f"With {decoding.num_hypotheses} {what}, at most {most:,} characters are translated at once. Shorten the "
            f"text or use fewer {what}. Received: {len(text):,}."
        )
