"""Readings of attention, their tables and norms, each against another calculation."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from core.interpretability.attention.reading import AttentionReading, Kind, alignment_reading
from core.interpretability.attention.rollout import rollout
from core.interpretability.attention.table import attention_csv, attention_json
from core.interpretability.attention.view import read_attention
from core.records import AttentionRecord, Hypothesis, Translation, ValueNorms
from tests.figures.records import small_record

if TYPE_CHECKING:
    from core.storage.checkpoint import Checkpoint


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
    view = read_attention(pieces_record(), AttentionReading("encoder", by_word=True))
    assert view.rows == view.columns == ("esta", ".")
    assert view.weights[0, 0].tolist() == [[0.625, 0.375], [0.5, 0.5]]
    assert view.notes == ("Subwords are merged into words: their rows are averaged, their columns summed.",)


@pytest.mark.parametrize("renormalized", [False, True])
def test_hidden_tokens(renormalized: bool) -> None:
    reading = AttentionReading("cross", punctuation=False, specials=False, renormalized=renormalized)
    view = read_attention(pieces_record(), reading)
    assert (view.rows, view.columns) == (("the", "house"), ("es", "##ta"))
    expected = np.array([[0.5, 0.25], [0.25, 0.5]])
    if renormalized:
        expected /= 0.75
    np.testing.assert_allclose(view.weights[0, 0], expected)
    said = "rescaled to sum to 1" if renormalized else "now sum to less than before"
    (note,) = view.notes
    assert note.startswith("1 token is hidden: rows ") and said in note


def test_the_step_that_reads_a_word_is_the_one_after_it_was_written() -> None:
    record = pieces_record()
    writes, reads = (
        read_attention(record, AttentionReading("cross", step=step)) for step in ("writes", "reads")
    )
    assert (writes.rows, reads.rows) == (record.predicted_tokens, record.decoder_input_tokens)
    row_of_the = reads.weights[0, 0, reads.rows.index("the")]
    assert row_of_the.tolist() == writes.weights[0, 0, writes.rows.index("the") + 1].tolist()


def test_source_and_target_in_one_matrix() -> None:
    record = small_record(layers=2)
    view = read_attention(record, AttentionReading("joint"))
    assert view.rows == view.columns == (*record.source_tokens, *record.decoder_input_tokens)
    layer, head = 1, 1
    weights = view.weights[layer, head]
    assert np.isnan(weights[:2, 2:]).all()  # the source never sees the target
    np.testing.assert_array_equal(weights[:2, :2], record.encoder[layer, head])
    np.testing.assert_array_equal(weights[2:, :2], record.cross[layer, head])
    past = np.tri(3, dtype=bool)
    np.testing.assert_array_equal(weights[2:, 2:][past], record.decoder[layer, head][past])
    assert np.isnan(weights[2:, 2:][~past]).all()
    np.testing.assert_allclose(np.nansum(weights, axis=-1), [1, 1, 2, 2, 2], atol=1e-6)


def test_rollout_has_one_head_and_rows_that_sum_to_one() -> None:
    record = small_record(layers=2)
    view = read_attention(record, AttentionReading("joint", measure="rollout"))
    assert view.weights.shape == (2, 1, 5, 5)
    np.testing.assert_allclose(np.nansum(view.weights, axis=-1), 1, atol=1e-6)
    rolled = rollout(record.encoder, record.decoder, record.cross)
    np.testing.assert_array_equal(view.weights[:, 0, 2:, :2], rolled.source)
    assert view.title(1, None) == "Source and target, rollout, layer 2"


def test_norms_are_weights_times_lengths() -> None:
    record = pieces_record()
    lengths = np.array([[[2.0, 4.0, 0.5]]], np.float32)
    view = read_attention(record, AttentionReading("cross", "norms"), ValueNorms(lengths, lengths, lengths))
    np.testing.assert_allclose(view.weights[0, 0], record.cross[0, 0] * [2.0, 4.0, 0.5])
    assert view.most == np.inf
    with pytest.raises(ValueError, match="needs the norms"):
        read_attention(record, AttentionReading("cross", "norms"))


def test_value_norms_of_a_model(checkpoint: Checkpoint) -> None:
    """Against the definition, one head of one layer from the trace: the encoder's first layer."""
    from core.interpretability.attention.value_norms import value_norms
    from core.interpretability.tracer import Tracer

    translator = checkpoint.translator()
    translation = translator.translate(["je suis malade"])[0]
    norms = value_norms(translator, checkpoint.weights, translation)
    source = np.array([translator.source_tokenizer.encode("je suis malade")], np.int32)
    target = np.array([[2, *translation.best.ids[:-1]]], np.int32)
    assert translator.target_tokenizer.vocabulary.start_id == 2
    trace = Tracer(translator).trace(source, target)
    width = checkpoint.config.d_model // checkpoint.config.num_heads
    kernel = checkpoint.weights["encoder/layer_0/self_attention/output/kernel"]
    head = 3
    moved = np.asarray(trace.encoder_values)[0, 0, head] @ kernel[head * width : (head + 1) * width]
    np.testing.assert_allclose(norms.encoder[0, head], np.sqrt((moved**2).sum(axis=-1)), rtol=1e-5)
    assert norms.decoder.shape[-1] == target.shape[1]
    assert norms.cross.shape[-1] == source.shape[1]


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross", "joint"])
def test_nothing_left_to_show(kind: Kind) -> None:
    record = AttentionRecord(
        (".",), ("[START]",), ("[END]",), *(np.ones((1, 1, 1, 1), np.float32) for _ in range(3))
    )
    view = read_attention(record, AttentionReading(kind, specials=False, punctuation=False, by_word=True))
    assert view.weights.size == 0
    assert not view.columns


def test_an_alignment_is_read_between_words() -> None:
    reading = alignment_reading(AttentionReading("encoder", step="reads", punctuation=False))
    assert (reading.kind, reading.by_word, reading.specials) == ("cross", True, False)
    view = read_attention(pieces_record(), reading)
    assert (view.rows, view.columns) == (("the", "house"), ("esta",))


def translation_of(record: AttentionRecord) -> Translation:
    found = Hypothesis("the house", ("the", "house"), (4, 5, 3), -1.0, -1.0, True)
    return Translation("esta .", record.source_tokens, (False,) * 3, (found,), attention=record)


def test_json_holds_all_weights_and_no_nan() -> None:
    record = pieces_record()
    values = json.loads(
        attention_json(read_attention(record, AttentionReading("decoder")), translation_of(record))
    )
    assert values["weights"][0][0] == [[1.0, None, None], [0.5, 0.5, None], [0.25, 0.25, 0.5]]
    assert values["rows"] == ["[START]", "the", "house"]
    assert values["translation"] == "the house"


def test_csv_has_a_row_for_each_weight_and_runs_no_formula() -> None:
    record = pieces_record()
    record = AttentionRecord(("=1+1", ",", '"'), *tuple(vars(record).values())[1:])
    rows = list(csv.DictReader(io.StringIO(attention_csv(read_attention(record, AttentionReading("cross"))))))
    assert len(rows) == 9
    assert [row["column_token"] for row in rows[:3]] == ["'=1+1", ",", '"']
    assert [float(row["weight"]) for row in rows[:3]] == [0.5, 0.25, 0.25]
    assert (rows[0]["layer"], rows[0]["head"], rows[0]["row"]) == ("1", "1", "1")
