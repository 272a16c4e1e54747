import os
import random
import unicodedata
import zipfile
from pathlib import Path
from string import punctuation

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tokens.detokenizer import detokenize

DATA = Path(os.environ.get("TRANSFORMER_CLASSROOM_DATA", Path(__file__).parents[3] / "shared" / "data"))
ANKI = DATA / "fra-eng.zip"
LANGUAGES = ("en", "fr", "pt")

PARTS = [
    *"'", "\"", "`", "``", "''",
    *".,;:!?()[]-—…%$€#/«»°", "...", "s", "t", "n", "'t", "n't", "do", "i", "a", "m", "can", "not",
    "only", "3", "000", "12", "90s", "l", "o", "em", "u", "com", "mr", "the", "word", "students", "[UNK]", "é", "ß",
]  # fmt: skip
SPACED = st.lists(st.sampled_from(PARTS), max_size=25).map(" ".join)
GLUED = st.lists(st.sampled_from([*PARTS, " "]), max_size=25).map("".join)


def is_mark(character: str) -> bool:
    """Whether a character is punctuation or a symbol that is set apart from words."""
    category = unicodedata.category(character)
    return character in punctuation + "°" or category[0] == "P" or category == "Sc"


def spaced(text: str) -> str:
    """Every mark set apart, as WordPiece does."""
    return " ".join("".join(f" {c} " if is_mark(c) else c for c in text).split())


@pytest.mark.parametrize("language", LANGUAGES)
@given(st.one_of(SPACED, GLUED, st.text()))
def test_natural_text_stays_as_it_is(language: str, text: str) -> None:
    once = detokenize(text, language)
    assert detokenize(once, language) == once


@pytest.mark.parametrize("language", LANGUAGES)
@given(st.one_of(SPACED, GLUED))
def test_no_letter_is_lost(language: str, text: str) -> None:
    letters = [c for c in detokenize(text, language).lower() if c.isalnum()]
    assert letters == [c for c in text.lower() if c.isalnum()]


@pytest.mark.parametrize("language", LANGUAGES)
@given(SPACED)
def test_spaces_stand_alone_and_not_at_the_ends(language: str, text: str) -> None:
    natural = detokenize(text, language)
    assert natural == natural.strip()
    assert "  " not in natural


@given(st.lists(st.sampled_from([part for part in PARTS if part != "[UNK]"]), max_size=25).map(" ".join))
def test_it_does_not_matter_how_marks_were_spaced(text: str) -> None:
    assert detokenize(spaced(text)) == detokenize(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i 've got n't , do n't i ?", "I've gotn't, don't I?"),
        ("i ' ve seen it ' s what we ' ll do , i ' m sure", "I've seen it's what we'll do, I'm sure"),
        ("the students ' work and tom ' s", "The students' work and tom's"),
        ("in the 1960 ' s and the ' 90s , at 5 o ' clock", "In the 1960's and the '90s, at 5 o'clock"),
        ("rock ' n ' roll , runnin ' around with ' em", "Rock 'n' roll, runnin' around with 'em"),
        ("we can not , we 're gon na", "We cannot, we're gonna"),
        ("can not only sing", "Can not only sing"),
        ("3 . 5 % of 1 , 000 , 000 at 10 : 30", "3.5% of 1,000,000 at 10:30"),
        ("in 2005 , 300 people", "In 2005, 300 people"),
        ("it costs $ 100 . # 1 !", "It costs $100. #1!"),
        ("a state - of - the - art thing — yes", "A state-of-the-art thing — yes"),
        ("well . . . no ... maybe", "Well... no... maybe"),
        ("( applause ) thank you . ( laughter ) and so", "(Applause) Thank you. (Laughter) And so"),
        ("one ( two ) three", "One (two) three"),
        ("( one ) ( two ) [ three ] four ( five ) six", "(One) (Two) [Three] Four (five) six"),
        ("( one [ two ] three ) four", "(One [two] three) four"),
        ("( [ one ] two ) three", "([One] Two) Three"),
        ("what ? ! really", "What?! Really"),
        ("mr . smith is in the u . s . senate at 9 a . m . sharp", "Mr. smith is in the U.S. senate at 9 a.m. sharp"),
        ("see ted . com . thanks", "See ted.com. Thanks"),
        ("and / or", "And/or"),
        ('he said , " i know . " she did not', 'He said, "I know." She did not'),
        ("` ` i know , ' ' he said", '"I know," he said'),
        ("`` i say `` '' no , '' '' and go . ''", 'I say "no," and go.'),
        ("`` `` i do n't know '' '' is a thing . ''", '"I don\'t know" is a thing.'),
        ("when ' hotel rwanda ' happened", "When 'hotel rwanda' happened"),
        ("' i think so , ' i said .", "'I think so,' I said."),
        ("don’t “go”…", 'Don\'t "go"...'),
        ("a [UNK] and x[UNK]y", "A [UNK] and x[UNK]y"),
        ("iPhones are here . i . e . now", "IPhones are here. I.e. now"),
        ("", ""),
        (" \n ", ""),
    ],
)  # fmt: skip
def test_known_english(text: str, expected: str) -> None:
    assert detokenize(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("qu ' il y a - t - il de l ' eau ?", "Qu'il y a-t-il de l'eau ?"),
        ("« bonjour » , dit - il : oui ! ?", "« Bonjour », dit-il : oui !?"),
        ("3 , 5 % de 100 € ; aujourd ' hui", "3,5 % de 100 € ; aujourd'hui"),
        ("1 , 2 , 3", "1, 2, 3"),
        ("i va", "I va"),
        ("il y a i va", "Il y a i va"),
        ("do n ' t", "Do n't"),
    ],
)
def test_known_french(text: str, expected: str) -> None:
    assert detokenize(text, "fr") == expected


def test_other_languages_have_no_rules_of_english_or_french() -> None:
    assert detokenize("copo d ' água ? 3 , 5 % e i", "pt") == "Copo d'água? 3,5% e i"
    assert detokenize("¿ qué ?", "es") == "¿Qué?"


def _lower(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).replace("’", "'").lower().split())


@pytest.mark.slow
@pytest.mark.parametrize(("column", "language"), [(0, "en"), (1, "fr")])
def test_sentences_people_wrote_come_back(column: int, language: str) -> None:
    """Set apart, lower-cased and put together again, hardly any of Tatoeba's sentences changes."""
    if not ANKI.is_file():
        pytest.skip(f"needs {ANKI}; set TRANSFORMER_CLASSROOM_DATA")
    lines = zipfile.ZipFile(ANKI).read("fra.txt").decode().splitlines()
    texts = [_lower(line.split("\t")[column]) for line in random.Random(0).sample(lines, 5000)]
    if language == "fr":  # people are of two minds about the space before "?"
        texts = [
            detokenize(text, "fr").lower() if any(c in "?!:;«»%" for c in text) else text for text in texts
        ]
    changed = [text for text in texts if detokenize(spaced(text), language).lower() != text]
    assert len(changed) <= 0.002 * len(texts), changed
