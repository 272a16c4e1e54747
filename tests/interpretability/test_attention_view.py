"""Attention as it is shown: of words, without some tokens, by each measure."""

from __future__ import annotations

import json

import numpy as np
import pytest

from core.interpretability.attention_view import (
    AttentionOptions,
    alignment_options,
    attention_json,
    read_attention,
)
from core.interpretability.rollout import rollout
from core.records import AttentionRecord, Hypothesis, Translation, ValueNorms
from tests.figures.records import small_record


def pieces_record() -> AttentionRecord:
    """Source "es ##ta ." and target "the house", with exact weights."""
    encoder = np.array([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [0.0, 0.5, 0.5]], np.float32)
    decoder = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]], np.float32)
    cross = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]], np.float32)
    return AttentionRecord(
        ("es", "##ta", "."),
        ("[START]", "the", "house"),
        ("the", "house", "[END]"),
        *(each[None, None] for each in (encoder, decoder, cross)),
    )


def test_words_average_rows_and_sum_columns() -> None:
    view = read_attention(pieces_record(), AttentionOptions("encoder", by_word=True))
    assert view.rows == view.columns == ("esta", ".")
    assert view.weights[0, 0].tolist() == [[0.625, 0.375], [0.5, 0.5]]
    assert view.notes == ("Subwords are merged into words: their rows are averaged, their columns summed.",)


def test_hidden_tokens() -> None:
    view = read_attention(pieces_record(), AttentionOptions("decoder", specials=False))
    assert view.rows == view.columns == ("the", "house")
    np.testing.assert_allclose(view.weights[0, 0], [[0.5, np.nan], [0.25, 0.5]])
    assert view.notes == ("1 token is hidden: rows now sum to less than before.",)


def test_norms_are_weights_times_lengths() -> None:
    record = pieces_record()
    lengths = np.array([[[2.0, 4.0, 0.5]]], np.float32)
    view = read_attention(record, AttentionOptions("cross", "norms"), ValueNorms(lengths, lengths, lengths))
    np.testing.assert_allclose(view.weights[0, 0], record.cross[0, 0] * [2.0, 4.0, 0.5])
    assert view.most == np.inf
    with pytest.raises(ValueError, match="needs the norms"):
        read_attention(record, AttentionOptions("cross", "norms"))


def test_rollout_has_one_head() -> None:
    record = small_record(layers=2)
    rolled = rollout(record.encoder, record.decoder, record.cross)
    decoder = np.where(np.tri(3, dtype=bool), rolled.decoder, np.nan)
    for kind, expected in (("encoder", rolled.encoder), ("decoder", decoder), ("cross", rolled.cross)):
        view = read_attention(record, AttentionOptions(kind, "rollout"))  # type: ignore[arg-type]
        np.testing.assert_array_equal(view.weights[:, 0], expected)
    assert view.title(1, None) == "Cross-attention, rollout, layer 2"


def test_nothing_left_to_show() -> None:
    record = AttentionRecord(
        (".",), ("[START]",), ("[END]",), *(np.ones((1, 1, 1, 1), np.float32) for _ in range(3))
    )
    view = read_attention(record, AttentionOptions("decoder", specials=False, by_word=True))
    assert view.weights.size == 0
    assert not view.columns


def test_an_alignment_is_read_between_words() -> None:
    reading = alignment_options(AttentionOptions("encoder"))
    assert (reading.kind, reading.by_word, reading.specials) == ("cross", True, False)
    view = read_attention(pieces_record(), reading)
    assert (view.rows, view.columns) == (("the", "house"), ("esta", "."))


def translation_of(record: AttentionRecord) -> Translation:
    found = Hypothesis("the house", ("the", "house"), (4, 5, 3), -1.0, -1.0, True)
    return Translation("esta .", record.source_tokens, (False,) * 3, (found,), attention=record)


def test_json_holds_all_weights_and_no_nan() -> None:
    record = pieces_record()
    values = json.loads(
        attention_json(read_attention(record, AttentionOptions("decoder")), translation_of(record))
    )
    assert values["weights"][0][0] == [[1.0, None, None], [0.5, 0.5, None], [0.25, 0.25, 0.5]]
    assert values["rows"] == ["[START]", "the", "house"]
    assert values["translation"] == "the house"
