"""From words and punctuation set apart to text as people write it: the rules, stated once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.tokens.vocabulary import UNKNOWN


def natural_text(text: str, language: str = "en") -> str:
    """Write spaced words the way people do: "i ' ve 3 . 5 % , do n't i ?" becomes "I've 3.5%, don't I?".

    Reads what the TED files have ("do n't", "`` yes ''"), what WordPiece makes of it ("do n ' t",
    "` ` yes ' '") and natural text, and gives the same for all three where they hold the same words.
    Used for what the screen shows and for references when scoring, so that both follow the same rules:

    1. Every punctuation mark is set apart first, so that the result depends on the words and marks alone,
       and natural text stays as it is (the second time changes nothing).
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
    tokens = _straighten_quotes(_set_marks_apart(text))
    if language == "en":
        tokens = list(_mend_words(tokens))
    if not tokens:
        return ""
    joins = _joins(tokens, language)
    words = _capitalise(tokens, joins, language)
    rest = (("" if join else " ") + word for join, word in zip(joins, words[1:], strict=True))
    return "".join((words[0], *rest)).replace(_UNKNOWN_LETTER, UNKNOWN)


def is_mark(character: str) -> bool:
    """Whether a character is punctuation or a symbol that is set apart from words."""
    if character.isascii():
        return character in _ASCII_MARKS
    return unicodedata.category(character) in _MARK_CATEGORIES or character == "°"


_ASCII_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_MARK_CATEGORIES = frozenset(("Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc"))
_TYPEWRITER = str.maketrans(
    {"‘": "'", "’": "'", "ʼ": "'", "´": "'", "“": '"', "”": '"', "„": '"', "…": "..."}
)

_UNKNOWN_LETTER = "\ue000"  # stands for [UNK] while marks are set apart, since a word may have one inside

_CLOSING = frozenset(",.;:!?%)]}»›°")
_OPENING = frozenset("([{«‹¿¡")
_BEFORE_WORD = frozenset("$£€¥#@")
_INSIDE_WORD = frozenset("-/_‑·")
_FRENCH_SPACED = frozenset("?!:;%»")

_CONTRACTED = frozenset(("s", "re", "ve", "ll", "d", "m"))
_CUT_AT_FRONT = frozenset(("em", "cause", "til", "tis", "twas", "bout", "n"))
_CUT_AT_END = frozenset(("o", "d", "l", "y"))  # o'clock, d'you, l'oréal, y'all
_ONE_WORD = frozenset(
    (("can", "not"), ("gon", "na"), ("wan", "na"), ("got", "ta"), ("gim", "me"), ("lem", "me"))
)
_DOMAINS = frozenset(("com", "org", "edu", "gov"))
_SMALL_INITIALS = frozenset(("am", "pm", "ie", "eg"))
_BEFORE_SPEECH = frozenset((",", ":"))
_ABBREVIATIONS = frozenset(["mr", "mrs", "ms", "dr", "st", "jr", "vs", "prof", "inc", "ft"])

# Runs of ` and ' as the TED files have them: "`` ''" and "`` ``" open a quotation within one that "``"
# opened, "'' ''" closes it. An odd ' before '' closes a 'quotation' or a possessive first.
_QUOTE_RUN = re.compile(r"[`']+")
_QUOTE = re.compile(
    r"(?P<open>``(?=``'')|``''|````|``)|(?P<plain>'(?=(?:'')+(?!['`])))|(?P<close>''''|'')|(?P<either>['`]{2})|['`]"
)


def _set_marks_apart(text: str) -> list[str]:
    straight = text.replace(UNKNOWN, _UNKNOWN_LETTER).translate(_TYPEWRITER)
    spaced = "".join(f" {character} " if is_mark(character) else character for character in straight)
    return spaced.split()


def _straighten_quotes(tokens: Sequence[str]) -> list[str]:
    """Each quotation mark as one ", each apostrophe or 'single mark' as one '."""
    marks = list(_directed_quotes(tokens))
    at = [index for index, mark in enumerate(marks) if mark in _DIRECTED or mark == '"']
    if len(at) > 2 and at[0] == 0 and marks[0] == "``":
        # The line may have been one cell of a CSV file, quoted because it has quotations in it.
        drops_first = marks[at[1]] == "``"
        drops_last = (len(at) - drops_first) % 2 == 1 and marks[-1] == "''"
        marks = marks[drops_first : len(marks) - drops_last]
    return ['"' if mark in _DIRECTED else mark for mark in marks]


_DIRECTED = ("``", "''")


def _directed_quotes(tokens: Sequence[str]) -> Iterator[str]:
    """The tokens, with each run of ` and ' as `` (opens), '' (closes), " (either) and '."""
    run = ""
    for token in (*tokens, ""):
        if token in ("'", "`"):
            run += token
            continue
        for match in _QUOTE.finditer(run):
            yield {"open": "``", "close": "''", "either": '"', "plain": "'", None: "'"}[match.lastgroup]
        run = ""
        if token:
            yield token


def _mend_words(tokens: Sequence[str]) -> Iterator[str]:
    """The tokens, with the words in one that the TED files cut in two: do n't, can not, gon na."""
    index = 0
    while index < len(tokens):
        is_cut = index + 1 < len(tokens) and _are_one_word(tokens, index)
        yield tokens[index] + tokens[index + 1] if is_cut else tokens[index]
        index += 1 + is_cut


def _are_one_word(tokens: Sequence[str], index: int) -> bool:
    first, second, third = tokens[index].lower(), tokens[index + 1].lower(), _at(tokens, index + 2).lower()
    if second == "n":
        return _is_word(first) and third == "'" and _at(tokens, index + 3).lower() == "t"
    return (first, second) in _ONE_WORD and third != "only"  # "can not only"


def _joins(tokens: Sequence[str], language: str) -> list[bool]:
    """Whether each token but the first follows the one before it without a space."""
    return [before[1] or after[0] for before, after in pairwise(_ties(tokens, language))]


def _ties(tokens: Sequence[str], language: str) -> Iterator[tuple[bool, bool]]:
    """For each token: whether it closes up to the one before it, and to the one after."""
    quoted = single_quoted = False
    last_quote = max((index for index, token in enumerate(tokens) if token == '"'), default=-1)
    for index, token in enumerate(tokens):
        if token == '"':
            closes = quoted or (index == last_quote and index == len(tokens) - 1)
            quoted = not closes
            yield closes, not closes
        elif token == "'":
            left, right, single_quoted = _tie_apostrophe(tokens, index, language, single_quoted)
            yield left, right
        else:
            yield _tie_mark(tokens, index, language)


def _tie_mark(tokens: Sequence[str], index: int, language: str) -> tuple[bool, bool]:
    token, before, after = tokens[index], _at(tokens, index - 1), _at(tokens, index + 1)
    if token in _INSIDE_WORD:
        inside = _is_word(before) and _is_word(after)
        # "--" stays one dash, with spaces around it.
        return inside or before == token, inside or after == token
    if token == ".":
        return True, after == "." or _is_point_inside(tokens, index, language)
    if token in ",:" and _is_inside_number(tokens, index, language):
        return True, True
    if token in _BEFORE_WORD:
        return False, _is_word(after) and not (language == "fr" and token in "$£€¥")
    if language == "fr" and token in _FRENCH_SPACED:
        return before in ("?", "!") and token in "?!", False
    if language == "fr" and token == "«":
        return False, False
    return token in _CLOSING, token in _OPENING


def _is_point_inside(tokens: Sequence[str], index: int, language: str) -> bool:
    """Whether the point at `index` stands inside a number (3.5), an abbreviation (u.s.) or a name (ted.com)."""
    before, after = _at(tokens, index - 1), _at(tokens, index + 1)
    if _is_number(before) and _is_number(after):
        return True
    if language == "en" and _is_word(before) and after.lower() in _DOMAINS:
        return True
    letters = len(before) == len(after) == 1 and before.isalpha() and after.isalpha()
    return letters and _at(tokens, index + 2) == "."


def _is_inside_number(tokens: Sequence[str], index: int, language: str) -> bool:
    """Whether the comma or colon at `index` is one of 1,000 or 10:30 (3,5 outside English)."""
    before, after = _at(tokens, index - 1), _at(tokens, index + 1)
    if not (_is_number(before) and _is_number(after)):
        return False
    if tokens[index] == ":":
        return len(after) == 2
    if language == "en":
        return len(before) <= 3 and len(after) == 3
    # "1, 2, 3" is a list, "3,5" a number.
    return _at(tokens, index - 2) != "," and _at(tokens, index + 2) != ","


def _tie_apostrophe(
    tokens: Sequence[str], index: int, language: str, quoted: bool
) -> tuple[bool, bool, bool]:
    """Its two ties, and whether a 'quotation' is open after it."""
    before, after = _at(tokens, index - 1).lower(), _at(tokens, index + 1).lower()
    if _joins_words(tokens, index, language):
        return True, True, quoted
    if _cuts_front(tokens, index, language):
        return False, True, quoted
    if before == "n" and _at(tokens, index - 2) == "'":  # rock 'n' roll
        return True, False, quoted
    if quoted:
        return True, False, False
    is_possessive = before.endswith("s") and language == "en"
    if not is_possessive and _is_word(after) and _has_plain_apostrophe_after(tokens, index, language):
        return False, True, True
    if _is_word(before):  # students' work, runnin' around
        return True, False, quoted
    return False, _is_word(after), quoted


def _joins_words(tokens: Sequence[str], index: int, language: str) -> bool:
    """Whether the apostrophe at `index` stands inside a word: it's, don't, o'clock, l'eau."""
    before, after = _at(tokens, index - 1).lower(), _at(tokens, index + 1).lower()
    if language != "en":
        return _is_word(before) and _is_word(after)
    if after == "t":
        return before.endswith("n")
    if after in _CONTRACTED:
        return _is_word(before) or before in _CLOSING or before == '"'
    return before in _CUT_AT_END and _is_word(after)


def _cuts_front(tokens: Sequence[str], index: int, language: str) -> bool:
    """Whether the apostrophe at `index` begins a word: 'em, 'cause, '90s."""
    after = _at(tokens, index + 1).lower()
    return language == "en" and (after in _CUT_AT_FRONT or re.fullmatch(r"\d\ds", after) is not None)


def _has_plain_apostrophe_after(tokens: Sequence[str], index: int, language: str) -> bool:
    return any(
        token == "'"
        and not _joins_words(tokens, later, language)
        and not _cuts_front(tokens, later, language)
        for later, token in enumerate(tokens[index + 1 :], start=index + 1)
    )


def _capitalise(tokens: Sequence[str], joins: Sequence[bool], language: str) -> list[str]:
    """The tokens with a capital where a sentence begins; in English "I", "Mr" and "U.S." too."""
    words = []
    begins, begins_after_bracket = True, False
    for index, token in enumerate(tokens):
        if _is_word(token):
            is_always = language == "en" and _is_always_capital(tokens, index)
            words.append(_with_capital(token) if begins or is_always else token)
            begins = False
            continue
        words.append(token)
        if token in ("(", "["):
            begins_after_bracket = begins
        elif token in (")", "]"):
            begins = begins or begins_after_bracket
        elif token == '"':
            is_opening = index < len(joins) and joins[index]
            begins = begins or (is_opening and _at(tokens, index - 1) in _BEFORE_SPEECH)
        elif token in ("!", "?") or (token == "." and _ends_sentence(tokens, index, language)):
            begins = True
    return words


def _is_always_capital(tokens: Sequence[str], index: int) -> bool:
    """Whether the word at `index` is "I", a title before a point, or a letter of "U.S." (not of "a.m.")."""
    token, after = tokens[index], _at(tokens, index + 1)
    if after == "." and token in ("mr", "mrs", "ms", "dr"):
        return True
    if len(token) > 1 or not token.isalpha():
        return False
    later = index + 2 if after == "." and _is_point_inside(tokens, index + 1, "en") else index
    earlier = (
        index - 2 if _at(tokens, index - 1) == "." and _is_point_inside(tokens, index - 1, "en") else index
    )
    letters = "".join(tokens[earlier : later + 1 : 2]).lower()
    if len(letters) == 1:
        return token == "i"
    return letters not in _SMALL_INITIALS


def _ends_sentence(tokens: Sequence[str], index: int, language: str) -> bool:
    """Not after an ellipsis, an abbreviation or an initial, nor inside a number or a name."""
    before, after = _at(tokens, index - 1).lower(), _at(tokens, index + 1)
    if "." in (before, after) or before in _ABBREVIATIONS or _is_point_inside(tokens, index, language):
        return False
    return not (len(before) == 1 and before.isalpha() and before not in "ai")


def _with_capital(word: str) -> str:
    # "ß" has no capital of one letter that lower-cases to it again, and words begin with none.
    capital = word[0].upper()
    return capital + word[1:] if len(capital) == 1 else word


def _at(tokens: Sequence[str], index: int) -> str:
    return tokens[index] if 0 <= index < len(tokens) else ""


def _is_word(token: str) -> bool:
    return any(character.isalnum() or character == _UNKNOWN_LETTER for character in token)


def _is_number(token: str) -> bool:
    return token.isascii() and token.isdigit()
