"""The names, codes and letters of languages, from the Unicode CLDR: for headings and encodings of files, and messages.

languages.tsv has a line for each language that has a code of two letters and a CLDR locale of its own: this code, codes
of three letters (ISO 639-2 and 639-3), its letters beyond a to z, and its names: in English, in itself, and in some
thirty languages of Europe. It was made from CLDR 48 (© Unicode, Inc., Unicode License v3), packages
cldr-localenames-full (localeDisplayNames/languages) and cldr-misc-full (exemplarCharacters).
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.records.text import Pair


@dataclass(frozen=True)
class WrittenLanguage:
    """One language."""

    code: str  # ISO 639-1: "pl"
    name: str  # in English
    letters: frozenset[str]  # beyond a to z, in lower case; empty where a script has hundreds


UNKNOWN_LANGUAGE = "und"  # its code, by ISO 639-2
_MAX_CHARACTERS = 60  # of a name; a whole sentence is none
# Codes of the TED corpora for two languages mixed.
_MIXTURES = {"aztr": ("az", "tr"), "beru": ("be", "ru"), "glpt": ("gl", "pt")}


def language_name(code: str) -> str:
    """Return the English name of a language, or of two mixed ones; the code itself if it is unknown."""
    if code in _MIXTURES:
        return " and ".join(map(language_name, _MIXTURES[code]))
    language = _by_code().get(code)
    return language.name if language else code


def find_language(word: str) -> WrittenLanguage | None:
    """Return the language with this name or code: "Polish", "polski", "polnisch", "pl", "pol"."""
    if len(word) > _MAX_CHARACTERS:
        return None
    plain = word.strip().casefold()
    return _by_word().get(plain) or _by_word().get(_without_accents(plain))


def letters_of(code: str) -> frozenset[str]:
    """Return the letters of a language beyond a to z, in lower case."""
    return _by_code()[code].letters


@cache
def _by_code() -> dict[str, WrittenLanguage]:
    return {language.code: language for language, names in _lines()}


@cache
def _by_word() -> dict[str, WrittenLanguage]:
    words: dict[str, WrittenLanguage] = {}
    for language, names in _lines():
        for name in names:
            words[name] = language
            words.setdefault(_without_accents(name), language)
    return words


@cache
def _lines() -> list[tuple[WrittenLanguage, list[str]]]:
    """Return each language with all its names and codes, in lower case."""
    lines = []
    for line in Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines():
        code, codes, letters, joined = line.split("\t")
        names = joined.split("|")
        words = [code, *codes.split(), *(name.casefold() for name in names)]
        lines.append((WrittenLanguage(code, names[0], frozenset(letters)), words))
    return lines


def _without_accents(word: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", word) if not unicodedata.combining(each))


_FUNCTION_WORDS = {
    "en": "the of and is are was were it you we they he she this that these with for have has what where how my your not "
    "be to i in there",
    "fr": "le la les une des et est sont je tu il elle nous vous ils ce cette qui où pas dans pour avec mon ma sur au du",
    "pt": "o os um uma e é são eu ele ela nós eles este esta isto onde não em para com meu minha da dos das na ao mais",
}


def _words_of_one_language() -> dict[str, str]:
    """Return the languages of the function words, without the words that several languages have."""
    languages: dict[str, list[str]] = {}
    for code, words in _FUNCTION_WORDS.items():
        for word in words.split():
            languages.setdefault(word, []).append(code)
    return {word: codes[0] for word, codes in languages.items() if len(codes) == 1}


_LANGUAGE_OF = _words_of_one_language()
_LEAST_WORDS = 2  # different function words needed, and twice as many as of any other language
_LEAST_SHARE = 0.1  # of a file's words; English, French and Portuguese have a fifth or more
_WORD = re.compile(r"\w+")


def language_of(text: str) -> str | None:
    """Return "en", "fr" or "pt"; None if the text is too short to tell, or in another language."""
    words = set(_WORD.findall(text.lower())) & _LANGUAGE_OF.keys()
    counts = Counter(_LANGUAGE_OF[word] for word in words)
    if not counts:
        return None
    (code, most), *others = counts.most_common(2)
    second = others[0][1] if others else 0
    return code if most >= max(_LEAST_WORDS, 2 * second) else None


def languages_of(pairs: Sequence[Pair]) -> tuple[str, str]:
    """Return the codes of both languages of some pairs; UNKNOWN_LANGUAGE for one that is not recognized."""
    sources, targets = (pair.source for pair in pairs), (pair.target for pair in pairs)
    return _language_of_file(" ".join(sources)), _language_of_file(" ".join(targets))


def _language_of_file(text: str) -> str:
    """Return the language of a long text: a file in German has a few of the Portuguese words, "um" and "das"."""
    code = language_of(text)
    words = _WORD.findall(text.lower())
    function_words = sum(_LANGUAGE_OF.get(word) == code for word in words)
    return code if code and function_words >= _LEAST_SHARE * len(words) else UNKNOWN_LANGUAGE
