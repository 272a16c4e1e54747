"""Unicode's normal forms (UAX #15), in time that grows with the text and no faster; one form of the apostrophe."""

from __future__ import annotations

import unicodedata
from itertools import groupby
from typing import Literal

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

_APOSTROPHES = str.maketrans("‘’ʼ", "'''")
_MAX_DIRECT = 256  # characters; so few take no time, whatever they are


def normal_form(form: Form, text: str) -> str:
    """What `unicodedata.normalize` gives, which takes quadratic time for accents in the wrong order.

    It moves each accent past those before it, one at a time. Here the accents on a letter are sorted first, which
    changes no normal form.
    """
    if text.isascii() or len(text) <= _MAX_DIRECT or unicodedata.is_normalized(form, text):
        return unicodedata.normalize(form, text)
    decomposed: Form = "NFKD" if "K" in form else "NFD"
    characters = "".join(unicodedata.normalize(decomposed, character) for character in text)
    runs = groupby(characters, key=lambda character: unicodedata.combining(character) > 0)
    ordered = (sorted(run, key=unicodedata.combining) if are_accents else run for are_accents, run in runs)
    return unicodedata.normalize(form, "".join("".join(run) for run in ordered))


def plain_apostrophes(text: str) -> str:
    """The text with ' for the apostrophes that telephones and typesetters write."""
    return text if text.isascii() else text.translate(_APOSTROPHES)
