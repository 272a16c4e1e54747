"""Detokenizing: separate words and punctuation marks become text as people write it.

The rules in detokenizer_rules.txt are substitutions, applied in turn. Meanwhile every word and every mark is a
token between two gaps, and a gap is a space until a rule ties the tokens on its sides together. Marks that look alike
but mean different things become different symbols: an apostrophe and a quotation mark, two kinds of points.
"""

import re
import string
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from core.tokens.vocabulary import UNKNOWN

# Symbols of the rules: code points that Unicode reserves for internal use, so no text has them.
_TIE, _WORD, _UNKNOWN, _OPEN, _CLOSE, _APOSTROPHE, _MAYBE, _INNER, _ELLIPSIS, _ABBREVIATION = _SYMBOLS = (
    tuple(map(chr, range(0xFDD0, 0xFDDA)))
)
_BEFORE = str.maketrans(
    dict.fromkeys(_SYMBOLS, " ") | dict.fromkeys("‘’ʼ´", "'") | dict.fromkeys("“”„", '"') | {"…": "..."}
)
_AFTER = str.maketrans(
    {_TIE: "", _WORD: "", _INNER: ".", _ELLIPSIS: ".", _ABBREVIATION: "."}
    | {_OPEN: '"', _CLOSE: '"', _APOSTROPHE: "'", _UNKNOWN: UNKNOWN}
)


def detokenize(text: str, language: str = "en") -> str:
    """Write tokenized text the way people do: "i ' ve 3 . 5 % , do n't i ?" becomes "I've 3.5%, don't I?".

    It reads the TED files ("do n't", "`` yes ''"), their WordPiece tokens ("do n ' t", "` ` yes ' '") and ordinary
    text, with the same result for the same words. Translations on the screen and references for scoring both pass
    through it:

    1. Every punctuation mark is set apart first: the result depends on the words and marks alone, and
       detokenized text does not change.
    2. Quotation marks become "; counting tells opening from closing ones. The pair that the TED files put
       around a line with quotations is removed.
    3. Marks join the word before (, . ; : ! ? … % and closing brackets) or after (opening brackets,
       $ £ # @ ¿ ¡) or both (hyphens and slashes in words, 3.5, 1,000, 10:30, u.s.); dashes stand alone.
    4. Apostrophes: in English, contractions ("do n't", "i ' ve", "it ' s", "can not"), plurals' possessives
       ("students ' work") and 'quotations'; elsewhere they join two words ("l'eau", "qu'il").
    5. French has a space before ? ! : ; % and inside « ».
    6. Sentences, and quotations after a comma or a colon, begin with a capital; in English "i" is "I".

    Args:
        text: one sentence or more, with or without spaces between words and marks.
        language: code of the language; "en" and "fr" have their own rules.
    """
    marks_apart = _MARK.sub(_set_apart, text.translate(_BEFORE).replace(UNKNOWN, _UNKNOWN))
    text = _straighten_quotes(" ".join(marks_apart.split()))
    if language == "en":
        text = _CUT_IN_TWO.sub("", text)
    tokens = (f"{_WORD}{token}" if _LETTER_OR_DIGIT.search(token) else token for token in text.split())
    text = f" {' '.join(tokens)} "
    for pattern, replacement in _rules(language if language in ("en", "fr") else "other"):
        text = pattern.sub(replacement, text)
    if language == "en":
        text = _ENGLISH_CAPITALS.sub(lambda match: match["small"] or _capitalize(match[0]), text)
    return _begin_sentences(text).translate(_AFTER).strip()


_MARK = re.compile(r"[^\w\s]|_")
_LETTER_OR_DIGIT = re.compile(rf"[^\W_]|{_UNKNOWN}")


def _set_apart(match: re.Match[str]) -> str:
    category = unicodedata.category(match[0])
    is_mark = match[0] in f"{string.punctuation}°" or category[0] == "P" or category == "Sc"
    return f" {match[0]} " if is_mark else match[0]


# Runs of ` and ' as the TED files have them: "`` ''" and "`` ``" open a quotation within one that "``" opened, "'' ''"
# closes it. An odd ' before '' closes a 'quotation' or a possessive first; texts have at most eight pairs in a row.
_RUN = re.compile("````''|``''|````|``|'(?=(?:''){1,8}(?!['`]))|''''|''|['`]['`]|['`]")
_MEANINGS = {
    "````''": f"{_OPEN} {_OPEN}",
    "``''": _OPEN,
    "````": _OPEN,
    "``": _OPEN,
    "''''": _CLOSE,
    "''": _CLOSE,
    "'": "'",
    "`": "'",
}
_STRAIGHT = '"'


def _straighten_quotes(text: str) -> str:
    """Write each quotation mark as one " and each apostrophe or single quotation mark as one '."""
    text = re.sub(" *(['`]) *", r"\1", text)
    text = _RUN.sub(lambda match: f" {_MEANINGS.get(match[0], _STRAIGHT)} ", text).strip()
    marks = re.findall(f'[{_OPEN}{_CLOSE}"]', text)
    # The line may have been one cell of a CSV file, quoted because it has quotations in it.
    if len(marks) > 2 and text.startswith(_OPEN):
        opens_twice = marks[1] == _OPEN
        if text.endswith(_CLOSE) and opens_twice == (len(marks) % 2 == 0):
            text = text[:-1]
        if opens_twice:
            text = text[1:]
    words = text.replace(_OPEN, _STRAIGHT).replace(_CLOSE, _STRAIGHT).split()
    return f" {' '.join(words)} "


# Words that the TED files cut in two: do n't, can not (but "can not only" stays two words), gon na.
_CUT_IN_TWO = re.compile(
    rf"(?i)(?<=[^\W_]) (?=n ' t )|(?<={_UNKNOWN}) (?=n ' t )|(?<= can) (?=not (?!only ))"
    "|(?<= gon| wan) (?=na )|(?<= got) (?=ta )|(?<= gim| lem) (?=me )"
)
_GAP = f"[ {_TIE}]"
_LETTER = rf"{_WORD}[^\W\d_{_UNKNOWN}]"  # a word of one letter, where a gap follows
_POINTS = f"[.{_INNER}{_ELLIPSIS}{_ABBREVIATION}]"
_NAMES = {  # in the file of rules
    "<tie>": _TIE,
    "<word>": _WORD,
    "<open>": _OPEN,
    "<close>": _CLOSE,
    "<apostrophe>": _APOSTROPHE,
    "<maybe>": _MAYBE,
    "<inner>": _INNER,
    "<ellipsis>": _ELLIPSIS,
    "<abbreviation>": _ABBREVIATION,
    "<gap>": _GAP,
    "<letter>": _LETTER,
    "<points>": _POINTS,
    "<some_word>": f"{_WORD}[^ {_TIE}]*",
    "<number>": f"{_WORD}[0-9]+",
    "<joined>": f"{_TIE}{_APOSTROPHE}{_TIE}",
}


@cache
def _rules(language: str) -> list[tuple[re.Pattern[str], str]]:
    """Return the substitutions of a language in the order of the file."""
    rules = read_rules(Path(__file__).with_name("detokenizer_rules.txt"), language, _NAMES)
    return [(re.compile(pattern, re.IGNORECASE), replacement) for pattern, replacement in rules]


def read_rules(path: Path, language: str, names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the patterns and replacements for a language from a file, with its `names` replaced by their symbols."""
    ours = {"all", language, *({"not en", "not fr"} - {f"not {language}"})}
    text = path.read_text(encoding="utf-8")
    for name, symbol in names.items():
        text = text.replace(name, symbol)
    rules = [line.split("\t") for line in text.split("\n") if line and not line.startswith("#")]
    return [(pattern, replacement) for languages, pattern, replacement in rules if languages in ours]


_SMALL = "|".join(f"{_WORD}{a}{_TIE}{_INNER}{_TIE}{_WORD}{b}" for a, b in ("am", "pm", "ie", "eg"))
# The letters of "U.S." (but not of "a.m."), "I", and titles before a point.
_ENGLISH_CAPITALS = re.compile(
    f"(?P<small>(?<!{_INNER}.)(?:{_SMALL})(?!.{_INNER}))|{_LETTER}(?={_GAP}{_INNER})|(?<={_INNER}.){_LETTER}(?={_GAP})"
    f"|{_WORD}i(?={_GAP})|{_WORD}(?:mr|mrs|ms|dr)(?={_GAP}{_POINTS})",
    re.IGNORECASE,
)


def _begin_sentences(text: str) -> str:
    """Capitalize the first word of each sentence, and of a quotation after a comma or a colon."""
    tokens = re.findall(f"{_GAP}|[^ {_TIE}]+", text)
    begins = True  # whether the next word begins a sentence
    brackets = 0  # open ones with which a sentence began
    before = ""
    for place, token in enumerate(tokens):
        if token in (" ", _TIE):
            continue
        if token.startswith(_WORD):
            tokens[place] = _capitalize(token) if begins else token
            begins = False
        elif token in ("(", "["):
            # A sentence that began with a bracket begins again after it.
            brackets = brackets + 1 if begins else 0
        elif token in (")", "]") and brackets:
            brackets -= 1
            begins = True
        elif token in (".", "?", "!") or (token == _OPEN and before in (",", ":")):
            begins = True
        before = token
    return "".join(tokens)


def _capitalize(word: str) -> str:
    """Capitalize the word's first letter, unless the capital has two letters, like that of "ß"."""
    upper = word[1].upper()
    return word.replace(word[1], upper, 1) if len(upper) == 1 else word
