from __future__ import annotations

import os
import subprocess
import sys

from core.corpora.glossary import glossary
from core.records import Pair

SENTENCES = [
    Pair("the dog sleeps", "le chien dort"),
    Pair("the dog eats", "le chien mange"),
    Pair("a dog sleeps", "un chien dort"),
    Pair("my dog", "mon chien"),
    Pair("it sleeps today", "il dort aujourd ' hui"),
    Pair("today he sleeps", "aujourd ' hui il dort"),
    Pair("come today", "viens aujourd ' hui"),
    Pair("today", "aujourd ' hui"),
    Pair("a cat , 12", "un chat , 12"),
]


def test_words_of_the_same_pairs_translate_each_other() -> None:
    found = glossary(SENTENCES, str.split, str.split)
    assert found == [Pair("dog", "chien"), Pair("sleeps", "dort")]


def test_every_process_finds_the_same_in_the_same_order() -> None:
    program = (
        "from core.corpora.glossary import glossary\n"
        "from core.records import Pair\n"
        "pairs = [Pair('a b c d e f', 'u v w x y z')] * 4\n"
        "print(glossary(pairs, str.split, str.split))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1 and "Pair" in told.pop()


def test_words_of_long_sentences_are_not_counted() -> None:
    longer = [Pair(f"{pair.source} {'x ' * 9}", pair.target) for pair in SENTENCES]
    assert Pair("dog", "chien") in glossary(longer, str.split, str.split)
    too_long = [Pair(f"{pair.source} {' '.join('abcdefghijkl')}", pair.target) for pair in SENTENCES]
    assert glossary(too_long, str.split, str.split) == []
