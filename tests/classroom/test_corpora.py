from __future__ import annotations

import threading

import pytest

from core.classroom import corpora
from core.classroom.corpora import CorpusCount, sentence_lengths
from core.corpora.corpus import CorpusError, Split
from core.corpora.toy import PAIRS
from core.records import Pair


def test_it_counts_in_the_background_and_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    let = threading.Event()
    shares: list[float] = []

    def read(name: str, split: Split) -> tuple[Pair, ...]:
        assert let.wait(30)
        return PAIRS * 100

    monkeypatch.setattr(corpora, "read_split", read)
    monkeypatch.setattr(CorpusCount, "_report", lambda self, share: shares.append(share))
    count = CorpusCount("toy", "train", None)
    assert not count.wait(0.05)
    assert (count.share, count.lengths) == (0.0, None)
    let.set()
    assert count.wait(30)
    assert shares == pytest.approx([0, 1 / 3, 2 / 3])
    assert count.lengths == sentence_lengths(PAIRS * 100, None)


def test_a_split_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str, split: Split) -> tuple[Pair, ...]:
        raise CorpusError("It is not here.")

    monkeypatch.setattr(corpora, "read_split", fail)
    count = CorpusCount("toy", "train", None)
    assert count.wait(30)
    assert (count.lengths, count.error) == (None, "It is not here.")
