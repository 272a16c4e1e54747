r"""Detokenizing: words and punctuation set apart become text as people write it.

The rules are regular expressions, applied one after the other, because two programs run them: `detokenize` here,
and TensorFlow inside an exported model (core.tokens.in_graph). They use only what Python's `re` and RE2 read the
same way: no lookaround, no \w, no \b.

They take linear time for any text: a rule that looks far ahead stops where the next match would begin, and no rule
is repeated more often than its limit.

Meanwhile every word and every mark is a token between two gaps. A gap is a space until a rule ties the tokens on
its sides together. Marks that look alike but mean different things, like the apostrophes of "it's" and "students'",
become different symbols; the last rules make them alike again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from core.tokens.characters import ASCII_MARKS, SPACES, in_categories
from core.tokens.vocabulary import UNKNOWN


class Rule(NamedTuple):
    """A substitution from left to right; groups are numbered as in `re.sub`."""

    pattern: str
    replacement: str


class Step(NamedTuple):
    """Rules in order, repeated while they change something, at most `max_passes` times."""

    rules: tuple[Rule, ...]
    max_passes: int = 1


class Program(NamedTuple):
    """`before`; then each CAPITAL is removed and the character after it made a capital; then `after`."""

    before: tuple[Step, ...]
    after: tuple[Step, ...]


def detokenize(text: str, language: str = "en") -> str:
    """Write tokenized text the way people do: "i ' ve 3 . 5 % , do n't i ?" becomes "I've 3.5%, don't I?".

    It reads the TED files ("do n't", "`` yes ''"), what WordPiece makes of them ("do n ' t", "` ` yes ' '")
    and ordinary text, and gives the same for the same words. What the screen shows and the references for
    scoring both pass through it:

    1. Every punctuation mark is set apart first: the result depends on the words and marks alone, and
       detokenized text stays as it is.
    2. Quotation marks become ", the way they point found by counting; the pair that the TED files wrap
       around a line with quotations in it goes.
    3. Marks close up to the word before (, . ; : ! ? … % and closing brackets) or after (opening brackets,
       $ £ # @ ¿ ¡) or both (hyphens and strokes in words, 3.5, 1,000, 10:30, u.s.); dashes stand free.
    4. Apostrophes: in English, contractions ("do n't", "i ' ve", "it ' s", "can not"), plurals' possessives
       ("students ' work") and 'quotations'; elsewhere they join two words ("l'eau", "qu'il").
    5. French has a space before ? ! : ; % and inside « ».
    6. Sentences, and quotations after a comma or a colon, begin with a capital; in English "i" is "I".

    Args:
        text: one sentence or more, words and marks separated by spaces or not.
        language: code of the language; "en" and "fr" have rules of their own.

    Returns:
        The text, without spaces at its ends.
    """
    before, after = _compiled(language if language in ("en", "fr") else "")
    text = _AFTER_CAPITAL.sub(lambda match: capital(match[1]), _run(before, text))
    return _run(after, text)


def capital(letter: str) -> str:
    """The letter's capital; itself where that would be two letters, as of "ß"."""
    upper = letter.upper()
    return upper if len(upper) == 1 else letter


_MARK_CATEGORIES = ("Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc")

# Symbols of the rules: code points that Unicode reserves for use inside programs; no text has them.
# Gaps and words:
_TIE, _WORD, _LETTER, _SMALL, CAPITAL, _KEPT, _UNKNOWN = map(chr, range(0xFDD0, 0xFDD7))
# Quotation marks and apostrophes, as they are found and as they turn out:
_OPEN, _CLOSE, _EITHER, _PLAIN, _ODD, _END = map(chr, range(0xFDD7, 0xFDDD))
_INSIDE, _FRONT, _AFTER_N, _POSSESSIVE, _MAYBE, _OPEN_SINGLE, _CLOSE_SINGLE = map(chr, range(0xFDDD, 0xFDE4))
# Points, beginnings of sentences, brackets:
_ELLIPSIS, _INNER, _ABBREVIATION, _BEGIN, _BEGIN_IN_BRACKETS = map(chr, range(0xFDE4, 0xFDE9))
_SYMBOLS = f"{_TIE}-{_BEGIN_IN_BRACKETS}"

_AFTER_CAPITAL = re.compile(f"{CAPITAL}(.)")

_GAP = f"[ {_TIE}]"
_TAGS = f"{_WORD}{_LETTER}{_SMALL}{CAPITAL}"  # begin a word; _LETTER, one of a single letter
_SOME_WORD = f"[{_WORD}{_LETTER}][^ {_TIE}]*"
_NUMBER = f"{_WORD}[0-9]+"

_CONTRACTED = ("s", "re", "ve", "ll", "d", "m")
_CUT_AT_FRONT = ("em", "cause", "til", "tis", "twas", "bout", "n")
_CUT_AT_END = ("o", "d", "l", "y")  # o'clock, d'you, l'oréal, y'all
_CUT_IN_TWO = (("can", "not"), ("gon", "na"), ("wan", "na"), ("got", "ta"), ("gim", "me"), ("lem", "me"))
_DOMAINS = ("com", "org", "edu", "gov")
_MAX_PAIRS_IN_RUN = 8  # of single marks: nobody writes more of them in a row
_OVERLAPPING = 2  # passes for matches that share a word: the first, third, fifth …, then those between
_MAX_BRACKETS = 16  # passes for brackets, each of which may depend on the one before: "(one) (two) (three)"
_SMALL_INITIALS = (("a", "m"), ("p", "m"), ("i", "e"), ("e", "g"))
_ABBREVIATIONS = ("mr", "mrs", "ms", "dr", "st", "jr", "vs", "prof", "inc", "ft")


def program(language: str) -> Program:
    """The rules for a language, in their order.

    Args:
        language: code of the language; "en" and "fr" have rules of their own.
    """
    steps = [
        *_set_marks_apart(),
        *_straighten_quotes(),
        *_find_words(language),
        *_tie_quotes(),
        *_tie_apostrophes(language),
        *_tie_points(language),
        *_tie_numbers(language),
        *_tie_marks(language),
        *_find_capitals(language),
    ]
    return Program(tuple(steps), tuple(_finish()))


def _once(pattern: str, replacement: str) -> Step:
    return Step((Rule(pattern, replacement),))


def _repeated(*rules: tuple[str, str], max_passes: int = _OVERLAPPING) -> Step:
    return Step(tuple(Rule(*rule) for rule in rules), max_passes)


def _any_case(word: str) -> str:
    """The word with its letters in either case; the flag for that would also match "ſ" for "s"."""
    return "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in word)


def _one_of(*words: str) -> str:
    """One of the words as a token, after the gap before it."""
    tagged = ((_LETTER if len(word) == 1 else _WORD) + _any_case(word) for word in words)
    return f"(?:{'|'.join(tagged)})"


def _set_marks_apart() -> Iterator[Step]:
    marks = re.escape(ASCII_MARKS) + in_categories(*_MARK_CATEGORIES) + "°"
    yield _once(f"[{_SYMBOLS}{SPACES}]+", " ")
    yield _once(re.escape(UNKNOWN), _UNKNOWN)
    yield _once("[‘’ʼ´]", "'")
    yield _once("[“”„]", '"')
    yield _once("…", "...")
    yield _once(f"([{marks}])", r" \1 ")


def _straighten_quotes() -> Iterator[Step]:
    """Each quotation mark as one ", each apostrophe or 'single mark' as one '.

    Runs of ` and ' as the TED files have them: "`` ''" and "`` ``" open a quotation within one that "``"
    opened, "'' ''" closes it. An odd ' before '' closes a 'quotation' or a possessive first.
    """
    yield _once(" *(['`]) *", r"\1")
    yield _once("(['`]+)", rf"\1{_ODD}")
    # What each part of a run is: one of the groups, with a symbol before it. The symbols of the other groups
    # have nothing after them and are removed.
    yield _once(
        f"(````''|``''|````|``)|(')((?:''){{1,{_MAX_PAIRS_IN_RUN}}}){_ODD}|(''''|'')|(['`]['`])|(['`])|{_ODD}",
        rf"{_OPEN}\1{_PLAIN}\2{_ODD}\3{_CLOSE}\4{_EITHER}\5{_PLAIN}\6{_END}",
    )
    tags = f"[{_OPEN}{_PLAIN}{_ODD}{_CLOSE}{_EITHER}]"
    yield _once(f"{tags}*({tags}['`]+)", r"\1")
    yield _once(f"{tags}*{_END}", "")
    yield _once(f"{_OPEN}````''", _OPEN * 2)
    yield _once(f"{_OPEN}['`]+", _OPEN)
    yield _once(f"{_CLOSE}['`]+", _CLOSE)
    yield _once(f"{_EITHER}['`]+", '"')
    yield _once(f"{_PLAIN}['`]", _PLAIN)
    yield _once("''(?:'')?", _CLOSE)  # after an odd one
    yield _once(f"{_PLAIN}{_ODD}?", "'")
    yield _once(f"([{_OPEN}{_CLOSE}\"'])", r" \1 ")
    yield _once("^(.*)$", r" \1 ")
    yield _once(" +", " ")
    yield _unwrap_line()
    yield _once(f"[{_OPEN}{_CLOSE}]", '"')
    yield _once(" +", " ")


def _unwrap_line() -> Step:
    """The line may have been one cell of a CSV file, quoted because it has quotations in it."""
    mark, other = f'[{_OPEN}{_CLOSE}"]', f'[^{_OPEN}{_CLOSE}"]*'
    pairs = f"(?:{mark}{other}{mark}{other})*"
    both = f"^ {_OPEN}({other}{_OPEN}{other}{mark}{other}{pairs}){_CLOSE} $"
    first = f"^ {_OPEN}({other}{_OPEN}{other}{mark}.*)$"
    last = f'^( {_OPEN}{other}[{_CLOSE}"]{other}{pairs}){_CLOSE} $'
    return _once(f"{both}|{first}|{last}", r" \1\2\3 ")


def _find_words(language: str) -> Iterator[Step]:
    """Tag the words; mend those the TED files cut in two: do n't, can not, gon na."""
    yield _once(f" ([^ ]*[{in_categories('L', 'N')}{_UNKNOWN}][^ ]*)", rf" {_WORD}\1")
    if language == "en":
        first = "|".join(_any_case(first) for first, _ in _CUT_IN_TWO)
        second = "|".join(_any_case(second) for _, second in _CUT_IN_TWO)
        # "can not only" stays two words.
        yield _repeated(
            (f" ({_WORD}(?:{first})) ({_WORD}(?:{second}) {_WORD}{_any_case('only')}) ", rf" \1{_KEPT}\2 ")
        )
        yield _repeated(
            *(
                (f" ({_WORD}{_any_case(first)}) {_WORD}({_any_case(second)}) ", r" \1\2 ")
                for first, second in _CUT_IN_TWO
            )
        )
        yield _once(_KEPT, " ")
        yield _repeated((f"({_WORD}[^ ]+) {_WORD}([nN]) ' {_WORD}([tT]) ", rf"\1\2 ' {_WORD}\3 "))
    yield _once(f"{_WORD}([{in_categories('L')}]) ", rf"{_LETTER}\1 ")


def _tie_quotes() -> Iterator[Step]:
    """Marks open and close in turn; one without a partner closes at the very end and opens elsewhere."""
    yield _once('"([^"]*)"', rf"{_OPEN}\1{_CLOSE}")
    yield _once('" $', f"{_CLOSE} ")
    yield _once('"', _OPEN)
    yield _once(f"{_OPEN} ", f"{_OPEN}{_TIE}")
    yield _once(f" {_CLOSE}", f"{_TIE}{_CLOSE}")


def _tie_apostrophes(language: str) -> Iterator[Step]:
    joined = rf"\1{_TIE}{_INSIDE}{_TIE}\2"
    if language == "en":
        after = f"{_SOME_WORD}|[,.;:!?%)\\]}}»›°{_OPEN}{_CLOSE}]"
        any_but_t = f"{_WORD}|{_LETTER}[^tT]"
        yield _repeated(  # it's, don't, o'clock
            (f"([nN]){_GAP}'{_GAP}({_one_of('t')}{_GAP})", joined),
            (f"({after}){_GAP}'{_GAP}({_one_of(*_CONTRACTED)}{_GAP})", joined),
            (f"({_one_of(*_CUT_AT_END)}){_GAP}'{_GAP}({any_but_t})", joined),
        )
        front = f"(?:{_one_of(*_CUT_AT_FRONT)}|{_WORD}[0-9][0-9][sS])"  # 'em, '90s
        yield _once(f"'{_GAP}({front}{_GAP})", rf"{_FRONT}{_TIE}\1")
    else:
        yield _repeated((f"({_SOME_WORD}){_GAP}'{_GAP}([{_TAGS}])", joined))  # l'eau
    yield _repeated(  # rock 'n' roll
        (f"(['{_INSIDE}{_FRONT}{_AFTER_N}]{_GAP}{_one_of('n')}){_GAP}'", rf"\1{_TIE}{_AFTER_N}")
    )
    if language == "en":
        yield _once(f"([sS]{_GAP})'", rf"\1{_POSSESSIVE}")
    # What is left opens a 'quotation' where a word comes next and there is something to close it.
    yield _once(f"'({_GAP}[{_TAGS}])", rf"{_MAYBE}\1")
    rest = f"[^'{_MAYBE}{_POSSESSIVE}]*"
    yield _once(f"{_MAYBE}({rest})['{_MAYBE}{_POSSESSIVE}]", rf"{_OPEN_SINGLE}\1{_CLOSE_SINGLE}")
    yield _once(f"{_MAYBE}({rest}{_AFTER_N})", rf"{_OPEN_SINGLE}\1")
    # students' work, runnin' around
    yield _once(f"({_SOME_WORD}){_GAP}['{_MAYBE}{_POSSESSIVE}]", rf"\1{_TIE}{_CLOSE_SINGLE}")
    yield _once(_MAYBE, _OPEN_SINGLE)
    yield _once(f"{_OPEN_SINGLE} ", f"{_OPEN_SINGLE}{_TIE}")
    yield _once(f" {_CLOSE_SINGLE}", f"{_TIE}{_CLOSE_SINGLE}")


def _tie_points(language: str) -> Iterator[Step]:
    """Tell points apart; all close up to what is before them, those inside a number or name to what follows."""
    points = f"[.{_INNER}{_ELLIPSIS}]"
    yield _repeated((f"[.{_ELLIPSIS}]({_GAP})\\.", rf"{_ELLIPSIS}\1{_ELLIPSIS}"))
    inner = rf"\1{_INNER}\2"
    yield _repeated(
        (f"({_GAP}{_NUMBER}{_GAP})\\.({_GAP}{_NUMBER}{_GAP})", inner),  # 3.5
        (f"({_LETTER}.{_GAP})\\.({_GAP}{_LETTER}.{_GAP}{points})", inner),  # u.s.
    )
    if language == "en":
        yield _repeated((f"({_SOME_WORD}{_GAP})\\.({_GAP}{_one_of(*_DOMAINS)}{_GAP})", inner))  # ted.com
    # An abbreviation or an initial ("i" and "a" are words) does not end the sentence.
    yield _once(f"((?:{_one_of(*_ABBREVIATIONS)}|{_LETTER}[^aAiI]){_GAP})\\.", rf"\1{_ABBREVIATION}")
    yield _once(f" ([.{_INNER}{_ELLIPSIS}{_ABBREVIATION}])", rf"{_TIE}\1")
    yield _once(f"{_INNER} ", f"{_INNER}{_TIE}")


def _tie_numbers(language: str) -> Iterator[Step]:
    yield _repeated(  # 10:30
        (f"({_NUMBER}) : ({_WORD}[0-9][0-9]{_GAP})", rf"\1{_TIE}:{_TIE}\2")
    )
    if language == "en":  # 1,000
        thousands = f"({_WORD}[0-9][0-9]?[0-9]?) , ({_WORD}[0-9][0-9][0-9]{_GAP})"
        yield _repeated((thousands, rf"\1{_TIE},{_TIE}\2"))
    else:  # 3,5, but not the list "1, 2, 3"
        decimal = f"((?:^|[^,]){_GAP}{_NUMBER}) , ({_NUMBER}{_GAP}(?:[^,]|$))"
        yield _repeated((decimal, rf"\1{_TIE},{_TIE}\2"))


def _tie_marks(language: str) -> Iterator[Step]:
    inside = "[-/_‑·]"
    yield _repeated((f"({_SOME_WORD}) ({inside}) ([{_TAGS}])", rf"\1{_TIE}\2{_TIE}\3"))
    # "--" stays one dash, with spaces around it.
    yield _repeated(*((f"{mark} {mark}", f"{mark}{_TIE}{mark}") for mark in inside[1:-1]))
    if language == "fr":
        yield _repeated(("([?!]) ([?!])", rf"\1{_TIE}\2"))
        closing, opening, before_word = ",)\\]}›°", "(\\[{‹¿¡", "#@"
    else:
        closing, opening, before_word = ",;:!?%)\\]}»›°", "(\\[{«‹¿¡", "$£€¥#@"
    yield _once(f"([{before_word}]) ([{_TAGS}])", rf"\1{_TIE}\2")
    yield _once(f" ([{closing}])", rf"{_TIE}\1")
    yield _once(f"([{opening}]) ", rf"\1{_TIE}")


def _find_capitals(language: str) -> Iterator[Step]:
    if language == "en":
        yield from _find_english_capitals()
    yield _once(f"^({_GAP})", rf"{_BEGIN}\1")
    yield _once("([.?!])", rf"\1{_BEGIN}")
    yield _once(f"([,:]{_GAP}[{_OPEN}{_CLOSE}])({_TIE})", rf"\1{_BEGIN}\2")
    # A sentence that began with a bracket begins again after it. Beginnings without a word between them are one:
    # the last, so that no rule looks past the next.
    begin = f"[{_BEGIN}{_BEGIN_IN_BRACKETS}]"
    yield _repeated(
        (f"({begin}[^{_TAGS}{begin[1:-1]}(\\[]*[(\\[])({_GAP})", rf"\1{_BEGIN_IN_BRACKETS}\2"),
        (f"({_BEGIN_IN_BRACKETS}[^(\\[]*[)\\]])({_GAP})", rf"\1{_BEGIN}\2"),
        max_passes=_MAX_BRACKETS,
    )
    yield _once(f"{begin}([^{_TAGS}{begin[1:-1]}]*)[{_TAGS}]", rf"\1{CAPITAL}")


def _find_english_capitals() -> Iterator[Step]:
    """The letters of "U.S." (but not of "a.m."), "I", and titles before a point."""
    points = f"[.{_INNER}{_ELLIPSIS}{_ABBREVIATION}]"
    for first, second in _SMALL_INITIALS:
        between = f"{_GAP}{_INNER}{_GAP}"
        pair = f"{_any_case(first)}{between}[{_LETTER}{_SMALL}]{_any_case(second)}"
        yield _repeated((f"([^{_INNER}]{_GAP}|^{_GAP}){_LETTER}({pair}{_GAP})", rf"\1{_SMALL}\2"))
        start = f"[{_LETTER}{_SMALL}]{_any_case(first)}{between}"
        yield _repeated((f"({start}){_LETTER}({_any_case(second)}{_GAP}[^{_INNER}])", rf"\1{_SMALL}\2"))
    yield _once(f"{_LETTER}(.{_GAP}{_INNER})", rf"{CAPITAL}\1")
    yield _once(f"({_INNER}{_GAP}){_LETTER}", rf"\1{CAPITAL}")
    yield _once(f"{_LETTER}(i{_GAP})", rf"{CAPITAL}\1")
    yield _once(f"{_WORD}((?:mr|mrs|ms|dr){_GAP}{points})", rf"{CAPITAL}\1")


def _finish() -> Iterator[Step]:
    apostrophes = f"{_INSIDE}{_FRONT}{_AFTER_N}{_POSSESSIVE}{_MAYBE}{_OPEN_SINGLE}{_CLOSE_SINGLE}"
    yield _once(f"[{_TAGS}{_BEGIN}{_BEGIN_IN_BRACKETS}]", "")
    yield _once(f"[{apostrophes}]", "'")
    yield _once(f"[{_OPEN}{_CLOSE}]", '"')
    yield _once(f"[{_INNER}{_ELLIPSIS}{_ABBREVIATION}]", ".")
    yield _once(f"^{_GAP}|{_GAP}$", "")
    yield _once(_TIE, "")
    yield _once(_UNKNOWN, UNKNOWN)


_CompiledStep = tuple[list[tuple[re.Pattern[str], str]], int]


@cache
def _compiled(language: str) -> tuple[list[_CompiledStep], list[_CompiledStep]]:
    before, after = program(language)
    return [_compile(step) for step in before], [_compile(step) for step in after]


def _compile(step: Step) -> _CompiledStep:
    return [(re.compile(pattern), replacement) for pattern, replacement in step.rules], step.max_passes


def _run(steps: list[_CompiledStep], text: str) -> str:
    for rules, max_passes in steps:
        for _ in range(max_passes):
            before = text
            for pattern, replacement in rules:
                text = pattern.sub(replacement, text)
            if text == before:
                break
    return text
