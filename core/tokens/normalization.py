"""Normalization for subword tokenizers: case, accents and word boundaries, as tensorflow-text has them."""

import re
import string
import unicodedata
from itertools import groupby
from typing import Literal

from core.described import described, setting
from core.language import N_

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

_APOSTROPHES = str.maketrans("‘’ʼ", "'''")
_MAX_DIRECT = 256  # characters; shorter texts take no time, whatever they contain


def normal_form(form: Form, text: str) -> str:
    """Return what `unicodedata.normalize` returns, in linear time also for accents in the wrong order.

    `unicodedata.normalize` moves each accent past those before it, one at a time, which takes quadratic time. Here the
    accents on a letter are sorted first, which changes no normal form.
    """
    if text.isascii() or len(text) <= _MAX_DIRECT or unicodedata.is_normalized(form, text):
        return unicodedata.normalize(form, text)
    decomposed: Form = "NFKD" if "K" in form else "NFD"
    characters = "".join(unicodedata.normalize(decomposed, character) for character in text)
    runs = groupby(characters, key=lambda character: unicodedata.combining(character) > 0)
    ordered = (sorted(run, key=unicodedata.combining) if are_accents else run for are_accents, run in runs)
    return unicodedata.normalize(form, "".join("".join(run) for run in ordered))


def plain_apostrophes(text: str) -> str:
    """Replace the apostrophes that phones and typesetters write by '."""
    return text if text.isascii() else text.translate(_APOSTROPHES)


@described
class SubwordSettings:
    """How text is normalized before it is split."""

    lower_case: bool = True  # case folding (NFKC_Casefold); False only normalizes (NFKC)
    strip_accents: bool = False  # "é" becomes "e"
    plain_apostrophes: bool = True  # ’ as typed on a phone becomes '
    split_unknown: bool = True  # an unknown character is one unknown token; False: its whole word is
    # Selects the rules of detokenize.
    language: str = setting(default="en", pattern="^[a-z]{2,4}$", like=N_('a code like "en"'))


_IDEOGRAPHS = (  # Chinese characters; each is a word
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_IGNORABLE = re.compile(  # Default_Ignorable_Code_Point, which case folding drops
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def _is_ideograph(code: int) -> bool:
    return any(first <= code <= last for first, last in _IDEOGRAPHS)


class _Spacing(dict[int, str]):
    """A table from each character to itself, a space, or itself between spaces; filled on demand."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character in "\t\n\f\r " or category in ("Cc", "Cf"):
            self[code] = " "
        elif category[0] == "P" or character in string.punctuation or _is_ideograph(code):
            self[code] = f" {character} "
        else:
            self[code] = character
        return self[code]


class _Folding(dict[int, str]):
    """A table from each character to its case folding, filled on demand."""

    def __missing__(self, code: int) -> str:
        folded = chr(code)
        for _each in range(2):  # the compatibility form of a character may have capitals
            folded = unicodedata.normalize("NFKC", folded.casefold())
        self[code] = _IGNORABLE.sub("", folded)
        return self[code]


_SPACING = _Spacing()
_FOLDING = _Folding()


def normalize_for_subwords(text: str, settings: SubwordSettings) -> str:
    """Normalize a text by the settings, without splitting it."""
    text = _fold(text) if settings.lower_case else normal_form("NFKC", text)
    if settings.plain_apostrophes:
        text = plain_apostrophes(text)
    if settings.strip_accents and not text.isascii():
        decomposed = normal_form("NFD", text)
        text = "".join(character for character in decomposed if unicodedata.category(character) != "Mn")
    return text


def _fold(text: str) -> str:
    """Fold case by Unicode's NFKC_Casefold (chapter 3.13, R5), as ICU does."""
    if text.isascii():
        return text.lower()
    return normal_form("NFC", text.translate(_FOLDING))


def split_words(text: str) -> list[str]:
    """Split a text into words, punctuation marks and Chinese characters."""
    # Not split(): it also splits at spaces that BasicTokenizer takes for letters.
    return [word for word in text.translate(_SPACING).split(" ") if word]
