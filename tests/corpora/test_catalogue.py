"""The corpora by name, and the language of a text."""

import json
from collections import Counter
from pathlib import Path

import pytest

from core.corpora.anki import space_punctuation
from core.corpora.catalogue import CORPORA, _Entry, find_corpus, sample_pairs
from core.corpora.corpus import DATA_VARIABLE, data_folder
from core.corpora.languages import UNKNOWN_LANGUAGE, language_of, languages_of
from core.corpora.toy import PAIRS
from core.errors import InputError
from core.records.text import Pair


def test_names_and_languages() -> None:
    assert all(name == corpus.name for name, corpus in CORPORA.items())
    assert find_corpus("ted_pt_en").languages == ("pt", "en")
    assert tuple(find_corpus("toy").read("train")) == PAIRS
    with pytest.raises(InputError, match=r"klingon.*toy"):
        find_corpus("klingon")
    with pytest.raises(InputError, match=r"test.*toy.*train"):
        find_corpus("toy").read("test")


def test_a_corpus_without_a_title_is_called_by_its_languages() -> None:
    (corpus,) = _Entry("greetings", ["de_to_en"], "CC0", file="toy.csv").corpora()
    assert all(name in corpus.title for name in corpus.language_names)


def test_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    assert data_folder() == tmp_path
    shipped = {corpus.name for corpus in CORPORA.values() if corpus.is_available}
    assert {"toy", "tatoeba_pt_en", "tatoeba_en_fr"} <= shipped
    (tmp_path / "fra-eng.zip").touch()
    info = {
        "fileFormat": "tfrecord",
        "splits": [{"name": "validation", "shardLengths": ["1"]}, {"name": "train", "shardLengths": ["2"]}],
        "supervisedKeys": {"tuple": {"items": [{"featureKey": "ru"}, {"featureKey": "en"}]}},
    }
    for languages, text in (("ru_to_en", json.dumps(info)), ("tr_to_en", '{"splits": [')):  # half written
        prepared = tmp_path / "tfds" / "ted_hrlr_translate" / languages / "1.0.0"
        prepared.mkdir(parents=True)
        (prepared / "dataset_info.json").write_text(text)
    assert find_corpus("ted_ru_en").available_splits() == ("train", "validation")
    here = {corpus.name for corpus in CORPORA.values() if corpus.is_available}
    assert here - shipped == {"anki_en_fr", "anki_fr_en", "ted_ru_en"}
    monkeypatch.delenv(DATA_VARIABLE)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert data_folder() == tmp_path / ".cache" / "transformer-classroom"


@pytest.mark.parametrize(("name", "number"), [("tatoeba_pt_en", 204), ("tatoeba_en_fr", 300)])
def test_the_small_corpora_are_part_of_the_project(name: str, number: int) -> None:
    corpus = find_corpus(name)
    pairs = list(corpus.read(corpus.evaluation_split))
    assert len(pairs) == number and f"{number} " in corpus.title
    assert len({pair.source for pair in pairs}) == number


@pytest.mark.long
def test_no_small_corpus_was_trained_on() -> None:
    if not find_corpus("anki_en_fr").is_available:
        pytest.skip("All of Tatoeba is not on this machine: python -m core data anki_en_fr")
    test = {pair.source.casefold() for pair in find_corpus("anki_en_fr").read("test")}
    small = find_corpus("tatoeba_en_fr").read("test")
    assert {space_punctuation(pair.source).casefold() for pair in small} <= test


def test_a_sample_is_drawn_by_its_seed() -> None:
    pairs = [Pair(str(n), str(n)) for n in range(100)]
    assert sample_pairs(iter(pairs), None) == sample_pairs(pairs, 101) == pairs
    first, again, other = (sample_pairs(pairs, 10, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len({pair.source for pair in first}) == 10


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("This is a problem that we have to solve.", "en"),
        ("Este é um problema que temos que resolver.", "pt"),
        ("Das ist ein Problem, das wir lösen müssen.", None),
        ("the of o os", None),  # as many of two languages
    ],
)
def test_the_language_of_known_sentences(text: str, code: str | None) -> None:
    assert language_of(text) == code


def test_a_file_in_another_language_is_not_taken_for_portuguese() -> None:
    german = (
        "Das Kind geht um den See herum.",
        "Der Hund sucht seinen roten Ball im Garten.",
        "Die Katze trinkt heute keine Milch mehr.",
    )
    pairs = [Pair(text, "Où est le chat de la voisine ?") for text in german]
    assert languages_of(pairs) == (UNKNOWN_LANGUAGE, "fr")


def test_no_talk_is_taken_for_another_language() -> None:
    if not CORPORA["ted_pt_en"].is_available:
        pytest.skip("The TED talks are not on this machine: python -m core data ted_pt_en")
    pairs = list(CORPORA["ted_pt_en"].read("validation"))
    sources = Counter(language_of(pair.source) for pair in pairs)
    targets = Counter(language_of(pair.target) for pair in pairs)
    assert sources.keys() == {"pt", None} and sources["pt"] > 0.6 * len(pairs)
    assert targets.keys() == {"en", None} and targets["en"] > 0.8 * len(pairs)
