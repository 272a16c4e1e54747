from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.corpora.catalogue import CORPORA, find_corpus, sample_pairs
from core.corpora.corpus import DATA_VARIABLE, CorpusError, data_folder
from core.corpora.toy import PAIRS
from core.records import Pair


def test_names_and_languages() -> None:
    assert list(CORPORA)[:4] == ["toy", "ted_pt_en", "anki_en_fr", "anki_fr_en"]
    assert len(CORPORA) == 17 and all(name == corpus.name for name, corpus in CORPORA.items())
    ted = find_corpus("ted_pt_en")
    assert (ted.source_language, ted.target_language) == ("pt", "en")
    assert ted.title == "TED talks, Portuguese to English" and "CC BY-NC-ND 4.0" in ted.licence
    assert tuple(find_corpus("toy").read("train")) == PAIRS


def test_what_is_not_there() -> None:
    with pytest.raises(CorpusError, match=r"There is no corpus 'klingon'\. Name one of toy, ted_pt_en"):
        find_corpus("klingon")
    with pytest.raises(CorpusError, match=r"There is no test split of toy\. Choose one of train"):
        find_corpus("toy").read("test")


def test_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    assert data_folder() == tmp_path
    assert [corpus.name for corpus in CORPORA.values() if corpus.is_here] == ["toy"]
    (tmp_path / "fra-eng.zip").touch()
    prepared = tmp_path / "tfds" / "ted_hrlr_translate" / "ru_to_en" / "1.0.0"
    prepared.mkdir(parents=True)
    info = {
        "fileFormat": "tfrecord",
        "splits": [{"name": "validation", "shardLengths": ["1"]}, {"name": "train", "shardLengths": ["2"]}],
        "supervisedKeys": {"tuple": {"items": [{"featureKey": "ru"}, {"featureKey": "en"}]}},
    }
    (prepared / "dataset_info.json").write_text(json.dumps(info))
    damaged = tmp_path / "tfds" / "ted_hrlr_translate" / "tr_to_en" / "1.0.0"
    damaged.mkdir(parents=True)
    (damaged / "dataset_info.json").write_text('{"splits": [')
    assert find_corpus("ted_ru_en").splits_here == ("train", "validation")
    here = [corpus.name for corpus in CORPORA.values() if corpus.is_here]
    assert here == ["toy", "anki_en_fr", "anki_fr_en", "ted_ru_en"]
    monkeypatch.delenv(DATA_VARIABLE)
    assert data_folder().name in ("data", "transformer-classroom")


def test_a_sample_is_drawn_by_its_seed() -> None:
    pairs = [Pair(str(n), str(n)) for n in range(100)]
    assert sample_pairs(iter(pairs), None) == sample_pairs(pairs, 100) == sample_pairs(pairs, 101) == pairs
    first, again, other = (sample_pairs(pairs, 10, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len({pair.source for pair in first}) == 10
