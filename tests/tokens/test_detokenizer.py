import random
import unicodedata
import zipfile
from string import punctuation

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.corpora.corpus import data_folder
from core.tokens.detokenizer import detokenize

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


@pytest.mark.parametrize("language", ["en", "fr", "pt"])
@given(st.one_of(SPACED, GLUED, st.text()))
def test_natural_text_stays_as_it_is_and_no_letter_is_lost(language: str, text: str) -> None:
    once = detokenize(text, language)
    assert detokenize(once, language) == once
    assert once == once.strip() and "  " not in once
    if text.isascii():  # in other alphabets a capital may be two letters
        assert [c for c in once.lower() if c.isalnum()] == [c for c in text.lower() if c.isalnum()]


@given(SPACED.filter(lambda text: "[UNK]" not in text))
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
        ("3 . 5 % of 1 , 000 , 000 at 10 : 30", "3.5% of 1,000,000 at 10:30"),
        ("it costs $ 100 . # 1 !", "It costs $100. #1!"),
        ("a state - of - the - art thing — yes", "A state-of-the-art thing — yes"),
        ("well . . . no ... maybe", "Well... no... maybe"),
        ("( applause ) thank you . ( laughter ) and so", "(Applause) Thank you. (Laughter) And so"),
        ("( one ) ( two ) [ three ] four ( five ) six", "(One) (Two) [Three] Four (five) six"),
        ("( one [ two ] three ) four", "(One [two] three) four"),
        ("mr . smith is in the u . s . senate at 9 a . m . sharp", "Mr. smith is in the U.S. senate at 9 a.m. sharp"),
        ('he said , " i know . " she did not', 'He said, "I know." She did not'),
        ("`` i say `` '' no , '' '' and go . ''", 'I say "no," and go.'),
        ("`` `` i do n't know '' '' is a thing . ''", '"I don\'t know" is a thing.'),
        ("when ' hotel rwanda ' happened", "When 'hotel rwanda' happened"),
        ("' i think so , ' i said .", "'I think so,' I said."),
        ("don’t “go”…", 'Don\'t "go"...'),
        ("a [UNK] and x[UNK]y", "A [UNK] and x[UNK]y"),
        ("they [UNK] n ' t go , [UNK] n't", "They [UNK]n't go, [UNK]n't"),
        ("iPhones are here . i . e . now", "IPhones are here. I.e. now"),
        (" \n ", ""),
    ],
)  # fmt: skip
def test_known_english(text: str, expected: str) -> None:
    assert detokenize(text) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("fr", "qu ' il y a - t - il de l ' eau ?", "Qu'il y a-t-il de l'eau ?"),
        ("fr", "« bonjour » , dit - il : oui ! ?", "« Bonjour », dit-il : oui !?"),
        ("fr", "3 , 5 % de 100 € ; aujourd ' hui", "3,5 % de 100 € ; aujourd'hui"),
        ("fr", "1 , 2 , 3", "1, 2, 3"),
        ("fr", "il y a i va", "Il y a i va"),
        ("fr", "do n ' t", "Do n't"),
        ("pt", "copo d ' água ? 3 , 5 % e i", "Copo d'água? 3,5% e i"),  # no rules of English or French
        ("es", "¿ qué ?", "¿Qué?"),
    ],
)
def test_known_texts_of_other_languages(language: str, text: str, expected: str) -> None:
    assert detokenize(text, language) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("column", "language"), [(0, "en"), (1, "fr")])
def test_sentences_people_wrote_come_back(column: int, language: str) -> None:
    """Set apart, lower-cased and put together again, hardly any of Tatoeba's sentences changes."""
    path = data_folder() / "fra-eng.zip"
    if not path.is_file():
        pytest.skip(f"needs {path}; set TRANSFORMER_CLASSROOM_DATA")
    lines = random.Random(0).sample(zipfile.ZipFile(path).read("fra.txt").decode().splitlines(), 5000)
    normal = (unicodedata.normalize("NFKC", line.split("\t")[column]).replace("’", "'") for line in lines)
    texts = [" ".join(text.lower().split()) for text in normal]
    if language == "fr":  # people are of two minds about the space before "?"
        texts = [detokenize(text, "fr").lower() if set(text) & set("?!:;«»%") else text for text in texts]
    changed = [text for text in texts if detokenize(spaced(text), language).lower() != text]
    assert len(changed) <= 0.002 * len(texts), changed
