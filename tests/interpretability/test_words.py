"""Attention between words instead of subwords."""

from __future__ import annotations

import numpy as np
import pytest

from core.interpretability.words import (
    attention_links,
    attention_of_words,
    is_punctuation,
    is_special,
    merged_words,
    single_tokens,
)


def test_subwords_become_words() -> None:
    words = merged_words(["es", "##ta", "##ção", "é", "##", "[END]"])
    assert words.texts == ("estação", "é", "##", "[END]")
    assert words.positions == ((0, 1, 2), (3,), (4,), (5,))
    assert merged_words(["##s", "a"]).texts == ("##s", "a")
    assert [is_special(text) for text in words.texts] == [False, False, False, True]
    assert [is_punctuation(text) for text in ("?", "...", "a.", "##")] == [True, True, False, True]


def test_rows_are_averaged_and_columns_summed() -> None:
    weights = np.random.default_rng(0).random((2, 3, 5, 4), np.float32)
    rows, columns = merged_words(["a", "##b", "c", "d", "e"]), merged_words(["x", "y", "##z", "w"])
    found = attention_of_words(weights, rows, columns)
    assert found.shape == (2, 3, 4, 3)
    assert found[1, 2, 0, 1] == pytest.approx(weights[1, 2, :2, 1:3].sum() / 2)
    tokens = single_tokens("abcde"), single_tokens("wxyz")
    assert np.array_equal(attention_of_words(weights, *tokens), weights)
    hidden = tokens[1].keep([True, False, True, False])
    assert np.array_equal(attention_of_words(weights, tokens[0], hidden), weights[..., [0, 2]])


def test_the_strongest_link_of_each_word() -> None:
    assert attention_links(np.array([[0.1, 0.9], [0.8, 0.2]])) == {(1, 0), (0, 1)}
