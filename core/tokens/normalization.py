"""How subword tokenizers normalize text and split it into words: character by character, as tensorflow-text does."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from itertools import groupby
from typing import Any, Literal, Self

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

_APOSTROPHES = str.maketrans("‘’ʼ", "'''")
_MAX_DIRECT = 256  # characters; so few take no time, whatever they are


def normal_form(form: Form, text: str) -> str:
    """Return what `unicodedata.normalize` gives, which takes quadratic time for accents in the wrong order.

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
    """Return the text with ' for the apostrophes that telephones and typesetters write."""
    return text if text.isascii() else text.translate(_APOSTROPHES)


@dataclass(frozen=True)
class SubwordSettings:
    """How text is normalized before it is split, and how tokens become text again; a ValueError says what is wrong."""

    lower_case: bool = True  # case folding (NFKC_Casefold); False only normalizes (NFKC)
    strip_accents: bool = False  # "é" becomes "e"
    plain_apostrophes: bool = True  # ’ as typed on a telephone becomes '
    split_unknown: bool = True  # only the unknown character of a word is unknown; False: the whole word is
    language: str = "en"  # whose rules decode() writes by, see detokenize

    def __post_init__(self) -> None:
        for field in fields(self)[:4]:
            if not isinstance(getattr(self, field.name), bool):
                raise ValueError(
                    f"{field.name} must be true or false. Received: {getattr(self, field.name)!r:.80}"
                )
        if not isinstance(self.language, str) or not re.fullmatch("[a-z]{2,4}", self.language):
            raise ValueError(f'language must be a code like "en". Received: {self.language!r:.80}')

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The reverse of `to_dict`; what is not there has its default, what is no field is a ValueError."""
        if unknown := sorted(set(values) - {field.name for field in fields(cls)}):
            raise ValueError(f"Subword settings must not have other fields. Received: {unknown[0]!r:.80}")
        return cls(**values)


_IDEOGRAPHS = (  # Chinese characters, each a word
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_IGNORABLE = re.compile(  # Default_Ignorable_Code_Point, which case folding drops
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


class _Spacing(dict[int, str]):
    """What each character becomes: itself, a space, or itself between spaces. Filled as characters come."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character in "\t\n\f\r " or category in ("Cc", "Cf"):
            self[code] = " "
        elif (
            category[0] == "P"
            or character in string.punctuation
            or any(a <= code <= b for a, b in _IDEOGRAPHS)
        ):
            self[code] = f" {character} "
        else:
            self[code] = character
        return self[code]


class _Folding(dict[int, str]):
    """What each character folds to on its own, filled as characters come."""

    def __missing__(self, code: int) -> str:
        folded = chr(code)
        for _ in range(2):  # the compatibility form of a character may have capitals
            folded = unicodedata.normalize("NFKC", folded.casefold())
        self[code] = _IGNORABLE.sub("", folded)
        return self[code]


_SPACING, _FOLDING = _Spacing(), _Folding()


def normalize_for_subwords(text: str, settings: SubwordSettings) -> str:
    """The text as the settings want it, not yet split."""
    text = _fold(text) if settings.lower_case else normal_form("NFKC", text)
    if settings.plain_apostrophes:
        text = plain_apostrophes(text)
    if settings.strip_accents and not text.isascii():
        decomposed = normal_form("NFD", text)
        text = "".join(character for character in decomposed if unicodedata.category(character) != "Mn")
    return text


def _fold(text: str) -> str:
    """Unicode's NFKC_Casefold (chapter 3.13, R5), as ICU has it."""
    if text.isascii():
        return text.lower()
    return normal_form("NFC", text.translate(_FOLDING))


def split_words(text: str) -> list[str]:
    """Words, punctuation marks and Chinese characters, one by one."""
    # Not split() alone, which also splits at spaces that BasicTokenizer takes for letters.
    return [word for word in text.translate(_SPACING).split(" ") if word]
