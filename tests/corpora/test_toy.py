import unicodedata
from collections.abc import Iterable

from core.corpora.toy import PAIRS


def words(sentences: Iterable[str]) -> set[str]:
    return {word for sentence in sentences for word in sentence.split()}


def test_fifteen_pairs_in_their_order() -> None:
    assert len(PAIRS) == 15
    assert (PAIRS[0].source, PAIRS[0].target) == ("bonjour", "hello")
    assert (PAIRS[4].source, PAIRS[4].target) == ("où est la gare", "where is the station")
    assert (PAIRS[-1].source, PAIRS[-1].target) == ("j aime tensorflow", "i like tensorflow")


def test_no_sentence_appears_twice() -> None:
    assert len({pair.source for pair in PAIRS}) == len({pair.target for pair in PAIRS}) == 15


def test_as_many_words_as_the_first_notebook_counted() -> None:
    # The first notebook: vocabularies of 38 and 35, with pad and unknown, the target with start and end too.
    assert len(words(pair.source for pair in PAIRS)) == 38 - 2
    assert len(words(pair.target for pair in PAIRS)) == 35 - 4


def test_text_is_already_normalised() -> None:
    for pair in PAIRS:
        for text in (pair.source, pair.target):
            assert text == unicodedata.normalize("NFC", text).lower()
            assert all(character.isalpha() or character == " " for character in text)
