from __future__ import annotations

import numpy as np
import pytest

from core.config import TrainingConfig
from core.pipeline import PipelineError, ResampledIds
from core.records import Pair
from core.subword_pairs import SubwordDropout, encode_subwords, prepare_subwords
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary
from tests.conftest import SUBWORD_PIECES, TINY

TOKENIZER = SubwordTokenizer(Vocabulary.from_tokens(SUBWORD_PIECES, start_and_end=True))
PAIRS = [Pair("a casa azul.", "the blue house."), Pair("casas?", "i've houses"), Pair("b", "big, big")] * 20
START, END = TOKENIZER.vocabulary.start_id, TOKENIZER.vocabulary.end_id


def rows(ragged) -> list[list[int]]:  # type: ignore[no-untyped-def]
    return [row.tolist() for row in ragged.rows(np.arange(len(ragged.ends)))]


def test_ids_are_those_of_the_tokenizer() -> None:
    corpus = encode_subwords(PAIRS, TOKENIZER, TOKENIZER, 100, 100)
    nothing = np.random.default_rng(0)
    assert rows(corpus.pairs.source.drawn(nothing)) == [TOKENIZER.encode(pair.source) for pair in PAIRS]
    expected = [[START, *TOKENIZER.encode(pair.target), END] for pair in PAIRS]
    assert rows(corpus.pairs.target.drawn(nothing)) == expected
    assert corpus.left_out == 0


def test_empty_and_long_sides_are_left_out_and_counted() -> None:
    pairs = [Pair("", "big"), Pair("big", " "), Pair("a a a", "b"), Pair("a", "b b b"), Pair("a a", "b b")]
    corpus = encode_subwords(pairs, TOKENIZER, TOKENIZER, 2, 2)
    assert (len(corpus.pairs), corpus.left_out) == (1, 4)
    with pytest.raises(PipelineError, match="There are no pairs to train on: 4 were read"):
        encode_subwords(pairs[:4], TOKENIZER, TOKENIZER, 2, 2)
    with pytest.raises(PipelineError, match="There are no pairs to train on: 0 were read"):
        encode_subwords([], TOKENIZER, TOKENIZER, 2, 2)


def test_dropout_spells_the_same_words_in_other_pieces() -> None:
    corpus = encode_subwords(PAIRS, TOKENIZER, TOKENIZER, 100, 100, SubwordDropout(0.5, seed=3))
    source, target = corpus.pairs.source, corpus.pairs.target
    assert isinstance(source, ResampledIds)
    plain = [len(TOKENIZER.encode(pair.source)) for pair in PAIRS]
    assert source.lengths.tolist() == plain  # batches are made by the plain cut
    drawn = [rows(source.drawn(np.random.default_rng(seed))) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert sum(map(len, drawn[0])) > sum(plain)
    # "house" has no pieces but itself, so dropping it leaves letters the vocabulary has not: unknown.
    known = [row for row in drawn[0] if TOKENIZER.vocabulary.unknown_id not in row]
    assert known and all(
        TOKENIZER.decode_words(row) == TOKENIZER.normalized(pair.source)
        for row, pair in zip(drawn[0], PAIRS, strict=True)
        if row in known
    )
    for row in rows(target.drawn(np.random.default_rng(1))):
        assert (row[0], row[-1]) == (START, END) and START not in row[1:] and END not in row[:-1]


def test_epochs_have_the_same_pairs_in_other_pieces_and_can_be_had_again() -> None:
    pairs = encode_subwords(PAIRS, TOKENIZER, TOKENIZER, 100, 100, SubwordDropout(0.5, seed=3)).pairs
    training = TrainingConfig(batch_tokens=64, seed=5)
    first, again, second = (
        [batch.source.tolist() for batch in pairs.batches(training, n)] for n in (1, 1, 2)
    )
    assert first == again != second
    assert len(first) == len(second) == pairs.steps_per_epoch(training)
    assert sum(map(len, first)) == len(PAIRS)


def test_how_often_a_piece_is_passed_over() -> None:
    """A word of one piece that could be two stays whole with probability 1 - rate."""
    random = np.random.default_rng(0)
    whole = TOKENIZER.encode("casa")
    kept = sum(TOKENIZER.sampled_ids_of_word("casa", 0.1, random) == whole for _ in range(4000))
    assert kept / 4000 == pytest.approx(0.9, abs=0.02)
    assert TOKENIZER.sampled_ids_of_word("casa", 0.0, random) == whole


def test_preparing_sizes_the_model_and_keeps_a_few_examples() -> None:
    config = TINY.replace(max_source_length=64, max_target_length=64)
    prepared, sized = prepare_subwords(lambda: iter(PAIRS), config, TrainingConfig(), (TOKENIZER, TOKENIZER))
    assert sized.source_vocab_size == sized.target_vocab_size == len(TOKENIZER.vocabulary)
    assert prepared.pairs == tuple(PAIRS[:15]) and len(prepared.encoded) == len(PAIRS)
    short, _ = prepare_subwords(
        lambda: iter(PAIRS), config, TrainingConfig(), (TOKENIZER, TOKENIZER), max_tokens=3
    )
    assert len(short.encoded) == 20 and short.left_out == 40
