from __future__ import annotations

from core.corpora.short_texts import short_texts


def test_frequent_words_first_then_runs_of_words() -> None:
    sentences = ["o gato vê o cão grande hoje .", "o cão dorme , 3 vezes"] * 50
    found = short_texts(sentences, str.split, seed=1)
    assert sorted(found[:2]) == ["cão", "o"]  # in both sentences
    runs = [text for text in found if " " in text]
    assert len(runs) > 5
    assert all(any(f" {run} " in f" {sentence} " for sentence in sentences) for run in runs)
    assert all(word.isalpha() for text in found for word in text.split())
    assert found == short_texts(sentences, str.split, seed=1)


def test_no_parts_of_words() -> None:
    found = short_texts(["i don ' t know that man"] * 50, str.split, seed=1)
    assert {"i", "know", "that", "man"} <= set(found)
    assert not {word for text in found for word in text.split()} & {"don", "t"}
