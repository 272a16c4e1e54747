from __future__ import annotations

import numpy as np

from core.figures.one_hot import OneHotInfo, one_hot_html, one_hot_info

MATRIX = np.arange(0, 7, 0.25, dtype=np.float32).reshape(7, 4)  # row r is r, r + 0.25, r + 0.5, r + 0.75
TOKENS = ["[PAD]", "[UNK]", "[START]", "[END]", "a", "<b>", "c"]


def test_info_around_a_token() -> None:
    assert one_hot_info(4, MATRIX, TOKENS, channels=3) == OneHotInfo(
        token_id=4,
        vocab_size=7,
        width=4,
        entries=(2, 3, 4, 5, 6),
        names=("[START]", "[END]", "a", "<b>", "c"),
        row=(0.0, 0.0, 1.0, 0.0, 0.0),
        matrix=((2.0, 2.25, 2.5), (3.0, 3.25, 3.5), (4.0, 4.25, 4.5), (5.0, 5.25, 5.5), (6.0, 6.25, 6.5)),
        product=(4.0, 4.25, 4.5),
        scaled=(8.0, 8.5, 9.0),
        difference=0.0,
    )


def test_at_the_ends_of_the_vocabulary_and_in_a_tiny_one() -> None:
    first, last = one_hot_info(0, MATRIX, TOKENS, 9), one_hot_info(6, MATRIX, TOKENS, 9)
    assert (first.entries, first.row, first.place) == ((0, 1, 2, 3, 4), (1.0, 0.0, 0.0, 0.0, 0.0), 0)
    assert (last.entries, last.row, last.place) == ((2, 3, 4, 5, 6), (0.0, 0.0, 0.0, 0.0, 1.0), 4)
    assert last.product == (6.0, 6.25, 6.5, 6.75)  # there are no more channels
    assert one_hot_info(1, MATRIX[:2], TOKENS[:2], 2).entries == (0, 1)


def test_html_marks_the_row_that_is_picked_out() -> None:
    drawn = one_hot_html(one_hot_info(5, MATRIX, TOKENS, channels=2))
    assert "One-hot: entries 2 to 6 of 7" in drawn
    assert "<td class=now>1</td>" in drawn
    assert '<th scope="row">5 &lt;b&gt;</th><td class=read>5</td><td class=read>5.25</td>' in drawn
    assert '<th scope="row">5 &lt;b&gt;</th><td class=now>5</td><td class=now>5.25</td>' in drawn
    assert "× √4 = 2" in drawn
    assert "<td>10</td><td>10.5</td>" in drawn
