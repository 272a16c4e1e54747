from __future__ import annotations

import numpy as np
import pytest

from core.config import TrainingConfig
from core.records import Pair
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary
from core.training.pairs import PipelineError, encode_subwords
from tests.conftest import SUBWORD_PIECES

TOKENIZER = SubwordTokenizer(Vocabulary.from_tokens(SUBWORD_PIECES, start_and_end=True))
PAIRS = [Pair("a casa azul.", "the blue house."), Pair("casas?", "i've houses"), Pair("b", "big, big")] * 20
START, END = TOKENIZER.vocabulary.start_id, TOKENIZER.vocabulary.end_id


def rows(ragged) -> list[list[int]]:  # type: ignore[no-untyped-def]
    return [row.tolist() for row in ragged.rows(np.arange(len(ragged.ends)))]


def test_ids_are_those_of_the_tokenizer() -> None:
    encoded, left_out = encode_subwords(PAIRS, TOKENIZER, TOKENIZER, 100, 100)
    assert rows(encoded.source) == [TOKENIZER.encode(pair.source) for pair in PAIRS]
    expected = [[START, *TOKENIZER.encode(pair.target), END] for pair in PAIRS]
    assert rows(encoded.target) == expected
    assert left_out == 0


def test_empty_and_long_sides_are_left_out_and_counted() -> None:
    pairs = [Pair("", "big"), Pair("big", " "), Pair("a a a", "b"), Pair("a", "b b b"), Pair("a a", "b b")]
    encoded, left_out = encode_subwords(pairs, TOKENIZER, TOKENIZER, 2, 2)
    assert (len(encoded), left_out) == (1, 4)
    with pytest.raises(PipelineError, match="No pair is left: all 4 that were read"):
        encode_subwords(pairs[:4], TOKENIZER, TOKENIZER, 2, 2)
    with pytest.raises(PipelineError, match="No pair is left: all 0 that were read"):
        encode_subwords([], TOKENIZER, TOKENIZER, 2, 2)


def test_epochs_have_the_same_pairs_in_another_order_and_can_be_had_again() -> None:
    pairs = encode_subwords(PAIRS, TOKENIZER, TOKENIZER, 100, 100)[0]
    training = TrainingConfig(batch_tokens=64, seed=5)
    first, again, second = (
        [batch.source.tolist() for batch in pairs.batches(training, n)] for n in (1, 1, 2)
    )
    assert first == again != second
    assert len(first) == len(second) == pairs.steps_per_epoch(training)
    assert sum(map(len, first)) == len(PAIRS)
