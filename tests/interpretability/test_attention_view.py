"""Attention as it is shown: of words, without some tokens, by each measure."""

import json

import numpy as np
import pytest

from core.arrays import Floats
from core.interpretability.attention_view import AttentionOptions, attention_json, read_attention
from core.interpretability.rollout import rollout
from core.interpretability.words import (
    attention_of_words,
    is_punctuation,
    is_special,
    merged_words,
    single_tokens,
)
from core.records.attention import ATTENTION_KINDS, AttentionKind, AttentionRecord
from core.records.text import Hypothesis, Translation
from tests.figures.records import small_record

# Source "es ##ta ." and target "the house", with exact weights.
RECORD = AttentionRecord(
    ("es", "##ta", "."),
    ("[START]", "the", "house"),
    ("the", "house", "[END]"),
    encoder=np.array([[[[0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [0.0, 0.5, 0.5]]]], np.float32),
    decoder=np.array([[[[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]]]], np.float32),
    cross=np.array([[[[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]]], np.float32),
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
    hidden = single_tokens("wxyz").keep([True, False, True, False])
    assert np.array_equal(attention_of_words(weights, single_tokens("abcde"), hidden), weights[..., [0, 2]])
    shown = read_attention(RECORD, AttentionOptions(by_word=True))["encoder"]
    assert shown.rows == shown.columns == ("esta", ".")
    shown = read_attention(RECORD, AttentionOptions(by_word=True, specials=False))["cross"]
    assert (shown.rows, shown.columns) == (("the", "house"), ("esta", "."))


def test_hidden_tokens() -> None:
    shown = read_attention(RECORD, AttentionOptions(specials=False))["decoder"]
    assert shown.rows == shown.columns == ("the", "house")
    np.testing.assert_allclose(shown.heads[0, 0], [[0.5, np.nan], [0.25, 0.5]])
    ones = (np.ones((1, 1, 1, 1), np.float32) for _ in range(3))
    nothing = AttentionRecord((".",), ("[START]",), ("[END]",), *ones)
    assert read_attention(nothing, AttentionOptions(specials=False))["decoder"].weights.size == 0


def test_norms_are_weights_times_lengths_and_rollout_has_one_head() -> None:
    lengths = np.array([[[2.0, 4.0, 0.5]]], np.float32)
    norms: dict[AttentionKind, Floats] = dict.fromkeys(ATTENTION_KINDS, lengths)
    shown = read_attention(RECORD, AttentionOptions("norms"), norms)["cross"]
    np.testing.assert_allclose(shown.heads[0, 0], RECORD.cross[0, 0] * [2.0, 4.0, 0.5])
    assert shown.highest == shown.weights.max()
    rolled = rollout(RECORD.encoder, RECORD.decoder, RECORD.cross)
    shown = read_attention(RECORD, AttentionOptions("rollout"))["cross"]  # of all heads together
    np.testing.assert_array_equal(shown.weights[:, 0], rolled.cross)


def test_json_holds_all_weights_and_no_nan() -> None:
    found = Hypothesis("the house", ("the", "house"), (4, 5, 3), -1.0, -1.0, True)
    translation = Translation("esta .", RECORD.source_tokens, (4, 5, 6), (False,) * 3, (found,))
    values = json.loads(attention_json([read_attention(RECORD, AttentionOptions())["decoder"]], translation))
    assert values["maps"][0]["weights"][0][0] == [[1.0, None, None], [0.5, 0.5, None], [0.25, 0.25, 0.5]]
    assert values["translation"] == "the house"


@pytest.mark.parametrize("head", [0, 1])
def test_the_first_head_is_the_one_that_aligns_the_examples_best(head: int) -> None:
    examples = np.zeros((2, 1, 2), np.float32)  # at the step that writes a word and one later, of two heads
    examples[0, 0, head] = 3
    assert (
        read_attention(small_record(), AttentionOptions(), None, examples)["cross"].first == f"1.{head + 1}"
    )
