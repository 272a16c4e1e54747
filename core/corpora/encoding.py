"""The encoding of a text file: UTF-8, UTF-16, or the one whose letters fit the languages in it best."""

import codecs
import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from charset_normalizer import from_bytes

from core.corpora.corpus import CorpusError
from core.corpora.languages import letters_of
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

# A Latin letter beside a sign that no word has, such as ¹ or ¼: what "ą" or "ź" become in another encoding.
_LATIN = r"[a-zA-ZÀ-ÖØ-öø-ɏ]"
_LATIN_SIGN = r"[¡-©¬-±´-¶¸¹»-¿×÷]"
_WRONG_SIGN = re.compile(
    rf"{_LATIN}{_LATIN_SIGN}+{_LATIN}|{_LATIN}(?![°®©»´]){_LATIN_SIGN}(?=\s|$)", re.MULTILINE
)
# The same for all alphabets, where several decodings of a text are compared. Marks above and below letters are no signs.
_LETTER = r"[^\W\d_¹²³¼½¾]"
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u0652"
_SIGN = rf"(?:[^\x00-\x7f\w\s’‘‚“”„«»‹›–—…·•‐‑؟،؛\xad\u200b-\u200f{_MARKS}]|[¹²³¼½¾])"
_SIGN_IN_WORD = re.compile(
    rf"{_LETTER}{_SIGN}+{_LETTER}|{_LETTER}(?![²³°®©™€£§]){_SIGN}(?=\s|$)|(?:^|\s)[{_MARKS}]", re.MULTILINE
)
_WORD = re.compile(r"[^\W\d_]+")
_MIXED_SCRIPTS = re.compile("[a-z][\u0370-\u06ff]|[\u0370-\u06ff][a-z]", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_MAX_DOUBTFUL = 0.05  # share of letters beyond a to z that no language explains
_JUDGED = 200_000  # characters of a text by which its encoding is judged


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


def decode_text(data: bytes, encoding: str = "", languages: Sequence[str] = ()) -> DecodedText | None:
    """Decode the bytes of a text file; return None if no encoding fits.

    Of UTF-8, UTF-16 and the encodings of one byte a character, take the first that fits; of the last, the one whose
    letters belong to the fewest languages. What none of them explains is left to charset-normalizer.

    Args:
        data: the whole file.
        encoding: the encoding, if the user has chosen it.
        languages: codes of the languages in the file, if it names them.

    Raises:
        CorpusError: the chosen encoding does not exist, or the bytes are not in it.
    """
    if encoding:
        return _decode_as(data, encoding)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decode_if_it_fits(data, "utf-16", "utf-16")
    return _decode_if_it_fits(data, "utf-8-sig", "utf-8") or _most_likely(data, languages)


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
        raise CorpusError(
            _("The file cannot be read as {encoding}. Choose another encoding, such as {encodings}.").format(
                encoding=f"{encoding!r:.40}", encodings=", ".join(ENCODINGS)
            )
        ) from error
    name = next((known for known in ENCODINGS if codecs.lookup(known).name == codec), codec)
    return _described(text, name)


class _Candidate(NamedTuple):
    """A text as one of the encodings has it. The least of several is the likeliest."""

    misfits: int
    languages: int  # that its letters need
    order: int  # of the encoding
    text: str
    encoding: str


def _most_likely(data: bytes, languages: Sequence[str]) -> DecodedText | None:
    candidates = []
    for order, encoding in enumerate(_OF_ONE_BYTE):
        with contextlib.suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            misfits, spoken = _misfits(text[:_JUDGED], encoding, languages)
            candidates.append(_Candidate(misfits, spoken, order, text, encoding))
    if candidates:
        best = min(candidates)
        if best.misfits <= _MAX_DOUBTFUL * _foreign_letters(best.text[:_JUDGED]).total():
            return _described(best.text, best.encoding)
    found = from_bytes(data).best()
    return _described(str(found), found.encoding) if found else None


def _described(text: str, encoding: str) -> DecodedText:
    found = _WRONG_SIGN.search(text)
    if found is None:
        return DecodedText(text, encoding, "")
    before = re.search(r"\S*$", text[max(found.start() - 30, 0) : found.start()])
    after = re.match(r"\S*", text[found.start() : found.end() + 30])
    return DecodedText(text, encoding, f"{before[0] if before else ''}{after[0] if after else ''}")


def _misfits(text: str, encoding: str, languages: Sequence[str]) -> tuple[int, int]:
    """Count what does not fit in a decoded text, and the languages that its letters need, at most two."""
    letters = _foreign_letters(text)
    alphabets = [_alphabet(code) for code in languages or _writable(encoding)]
    spoken = 0
    for _each in range(2):
        if letters and alphabets:
            best = max(alphabets, key=lambda alphabet: _count(letters, alphabet))
            spoken += _count(letters, best) > 0
            letters = Counter({letter: count for letter, count in letters.items() if letter not in best})
    signs = len(_SIGN_IN_WORD.findall(text)) + len(_CONTROL.findall(text))
    words = sum(count for word, count in Counter(_WORD.findall(text)).items() if not _is_word(word))
    return sum(letters.values()) + 2 * (signs + words), spoken


def _is_word(word: str) -> bool:
    """Return whether a word is in one script, and has no capital after a small letter."""
    if word.isascii():
        return True
    is_mixed = any(first.islower() and second.isupper() for first, second in pairwise(word))
    return not is_mixed and not _MIXED_SCRIPTS.search(word)


def _foreign_letters(text: str) -> Counter[str]:
    """Count the letters beyond a to z, in lower case."""
    return Counter(each for each in text.lower() if not each.isascii() and each.isalpha())


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
