"""The encoding of a text file: UTF-8, UTF-16, or what charset-normalizer and the letters of languages say."""

import codecs
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

from charset_normalizer import from_bytes

from core.corpora.languages import letters_of
from core.errors import InputError
from core.language import N_, _

# The encodings that can be chosen, with their names for people. Of two that fit alike, the first is taken.
ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": N_("Windows, Western Europe"),
    "cp1250": N_("Windows, Central Europe"),
    # Before Cyrillic: small Hebrew and Arabic texts can be read as Cyrillic letters, hardly the other way round.
    "cp1255": N_("Windows, Hebrew"),
    "cp1256": N_("Windows, Arabic"),
    "cp1251": N_("Windows, Cyrillic"),
    "cp1253": N_("Windows, Greek"),
    "cp1254": N_("Windows, Turkish"),
    "cp1257": N_("Windows, Baltic"),
    "iso8859_2": N_("ISO 8859-2, Central Europe"),
    "iso8859_5": N_("ISO 8859-5, Cyrillic"),
    "iso8859_7": N_("ISO 8859-7, Greek"),
    "iso8859_9": N_("ISO 8859-9, Turkish"),
    "iso8859_13": N_("ISO 8859-13, Baltic"),
    "iso8859_15": N_("ISO 8859-15, Western Europe"),
    "koi8_u": N_("KOI8, Cyrillic"),
    "mac_roman": N_("Mac, Western Europe"),
    "mac_latin2": N_("Mac, Central Europe"),
    "mac_cyrillic": N_("Mac, Cyrillic"),
}
_OF_ONE_BYTE = [name for name in ENCODINGS if name not in ("utf-8", "utf-16")]

# Languages that were commonly written in one of these encodings.
_LANGUAGES = (
    "ar be bg ca cs da de el en es et eu fa fi fr gl he hr hu "
    "is it lt lv mk nb nl pl pt ro ru sk sl sq sr sv tr uk"
)
# The encodings of Windows have no comma below.
_OTHER_LETTERS = {"ro": frozenset("şţ")}
_PUNCTUATION = frozenset("’‘‚“”„«»‹›–—…¿¡؟،؛°€\xa0\xad\u200e\u200f\u202f")

# A Latin letter beside a sign that no word has, such as ¹ or ¼: what "ą" or "ź" become in another encoding.
_LATIN = r"[a-zA-ZÀ-ÖØ-öø-ɏ]"
_LATIN_SIGN = r"[¡-©¬-±´-¶¸¹»-¿×÷]"
_WRONG_SIGN = re.compile(
    rf"{_LATIN}{_LATIN_SIGN}+{_LATIN}|{_LATIN}(?![°®©»´]){_LATIN_SIGN}(?=\s|$)", re.MULTILINE
)
_MAX_DOUBTFUL = 0.05  # share of the characters beyond ASCII that no language explains
_JUDGED = 200_000  # bytes by which an encoding is judged


@dataclass(frozen=True)
class DecodedText:
    """The text of a file and how it was decoded."""

    text: str
    encoding: str  # "cp1250"; one of ENCODINGS, or another of Python's
    example: str  # a word that looks as if the encoding were another; empty if there is none

    @property
    def encoding_name(self) -> str:
        """The name of the encoding for people."""
        return _(ENCODINGS.get(self.encoding, self.encoding))


def decode_text(data: bytes, encoding: str = "") -> DecodedText | None:
    """Decode the bytes of a text file; return None if no encoding fits.

    Of UTF-8, UTF-16 and what charset-normalizer holds possible, take the first that fits.

    Args:
        data: the whole file.
        encoding: the encoding, if the user has chosen it.

    Raises:
        InputError: the chosen encoding does not exist, or the bytes are not in it.
    """
    if encoding:
        return _decode_as(data, encoding)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decode_if_it_fits(data, "utf-16", "utf-16")
    return _decode_if_it_fits(data, "utf-8-sig", "utf-8") or _most_likely(data)


def _decode_if_it_fits(data: bytes, codec: str, name: str) -> DecodedText | None:
    try:
        return _described(data.decode(codec), name)
    except UnicodeDecodeError:
        return None


def _decode_as(data: bytes, encoding: str) -> DecodedText:
    try:
        codec = codecs.lookup(encoding).name
        text = data.decode("utf-8-sig" if codec == "utf-8" else encoding)
    except (LookupError, UnicodeDecodeError, ValueError) as error:
        raise InputError(
            _("The file cannot be read as {encoding}. Choose another encoding, such as {encodings}.").format(
                encoding=f"{encoding!r:.40}", encodings=", ".join(ENCODINGS)
            )
        ) from error
    name = next((known for known in ENCODINGS if codecs.lookup(known).name == codec), codec)
    return _described(text, name)


class _Candidate(NamedTuple):
    """An encoding in which a file may be. The least of several is the likeliest."""

    misfits: int  # characters beyond ASCII that no language explains
    mess: float  # by charset-normalizer
    languages: int  # that its letters need
    letters: int  # that those languages have
    order: int  # in ENCODINGS


def _most_likely(data: bytes) -> DecodedText | None:
    """Decode as the encoding that charset-normalizer finds tidy and whose letters belong to two languages.

    In a file of some short sentences several encodings are equally tidy. What no language explains is left to
    charset-normalizer alone.
    """
    judged = data[:_JUDGED]
    candidates = []
    for found in from_bytes(judged, cp_isolation=_OF_ONE_BYTE, threshold=1.0):
        for name in {*found.could_be_from_charset} & {*_OF_ONE_BYTE}:
            misfits, languages, letters = _unexplained(judged.decode(name), name)
            order = _OF_ONE_BYTE.index(name)
            candidates.append(_Candidate(misfits, found.chaos, languages, letters, order))
    if candidates:
        best = min(candidates)
        if best.misfits <= _MAX_DOUBTFUL * sum(byte > 127 for byte in judged):
            name = _OF_ONE_BYTE[best.order]
            return _decode_if_it_fits(data, name, name)
    found = from_bytes(data).best()
    return _described(str(found), found.encoding) if found else None


def _described(text: str, encoding: str) -> DecodedText:
    found = _WRONG_SIGN.search(text)
    if found is None:
        return DecodedText(text, encoding, "")
    before = re.search(r"\S*$", text[max(found.start() - 30, 0) : found.start()])
    after = re.match(r"\S*", text[found.start() : found.end() + 30])
    return DecodedText(text, encoding, f"{before[0] if before else ''}{after[0] if after else ''}")


def _unexplained(text: str, encoding: str) -> tuple[int, int, int]:
    """Count the characters that neither two languages nor punctuation explain, the languages, and their letters."""
    letters = Counter(each for each in text.lower() if not each.isascii() and each not in _PUNCTUATION)
    alphabets = [_alphabet(code) for code in _writable(encoding)]
    # English has no such letters: with it, a pair is one language.
    return min(
        (letters.total() - _count(letters, one | other), bool(one) + bool(other), len(one | other))
        for one, other in combinations_with_replacement(alphabets, 2)
    )


def _count(letters: Counter[str], alphabet: Iterable[str]) -> int:
    return sum(letters[letter] for letter in alphabet)


@cache
def _alphabet(code: str) -> frozenset[str]:
    """Return the letters of a language beyond a to z."""
    return letters_of(code) | _OTHER_LETTERS.get(code, frozenset())


@cache
def _writable(encoding: str) -> list[str]:
    """Return the languages all of whose letters an encoding has."""
    return [code for code in _LANGUAGES.split() if _can_write(encoding, letters_of(code))]


def _can_write(encoding: str, letters: Iterable[str]) -> bool:
    try:
        "".join(letters).encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
