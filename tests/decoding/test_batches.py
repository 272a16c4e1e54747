import pytest

from core.config import MAX_SAMPLES, DecodingConfig
from core.decoding.batches import (
    MAX_BATCH_ROWS,
    MAX_BATCH_WORK,
    MIN_A_CORE,
    batch_bucket,
    batches_by_length,
    source_bucket,
)
from core.decoding.text.text_translator import GREEDY
from core.presets import CLASSROOM

CONFIG = CLASSROOM.model.replace(max_source_length=100, max_target_length=90)


@pytest.mark.parametrize(
    ("length", "expected"), [(1, 16), (16, 16), (17, 32), (64, 64), (65, 100), (100, 100)]
)
def test_source_buckets_double_up_to_the_models_limit(length: int, expected: int) -> None:
    assert source_bucket(length, CONFIG) == expected


def test_a_short_models_bucket_is_its_limit() -> None:
    assert source_bucket(2, CONFIG.replace(max_source_length=5)) == 5


def test_a_sentence_that_is_too_long_has_no_bucket() -> None:
    with pytest.raises(ValueError, match=r"at most 100 tokens\. Received: 101"):
        source_bucket(101, CONFIG)


def test_every_batch_fits_its_bucket() -> None:
    assert {size: batch_bucket(size) for size in (1, 2, 4)} == {1: 1, 2: 4, 4: 4}


def test_one_bucket_a_batch_the_longest_first() -> None:
    lengths = {3: 20, 5: 1, 4: 100, 9: 32}
    assert batches_by_length(lengths, CONFIG, GREEDY) == [[4], [9, 3], [5]]
    assert batches_by_length({}, CONFIG, GREEDY) == []


def test_many_are_together_by_their_lengths_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No long sentence is alone because no other shares its bucket."""
    monkeypatch.setattr("core.decoding.batches.num_cores", lambda: 1)
    lengths = dict(enumerate([100, 65, 64, *range(5, 59)]))
    batches = batches_by_length(lengths, CONFIG, DecodingConfig(beam_size=8))
    assert batches[0][:3] == [0, 1, 2]
    in_order = [lengths[number] for batch in batches for number in batch]
    assert in_order == sorted(lengths.values(), reverse=True)
    assert all(lengths[batch[0]] * 8 * len(batch) <= MAX_BATCH_WORK for batch in batches)
    assert len(batches[0]) < len(batches[-1])


def test_many_short_ones_are_not_padded_to_a_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.decoding.batches.num_cores", lambda: 1)
    lengths = dict(enumerate([100, *[9] * 69]))
    first, *others = batches_by_length(lengths, CONFIG, GREEDY)
    assert first[0] == 0 and len(first) <= MIN_A_CORE
    assert [len(batch) for batch in others] == [70 - len(first)]


def test_samples_are_drawn_for_one_bucket() -> None:
    """Their search has one limit for all of a batch."""
    batches = batches_by_length({n: n + 1 for n in range(40)}, CONFIG, DecodingConfig(samples=2))
    assert [{source_bucket(n + 1, CONFIG) for n in batch} for batch in batches] == [{64}, {32}, {16}]


@pytest.mark.parametrize(
    ("sentences", "sizes"),
    [(16, [16]), (31, [31]), (32, [16, 16]), (64, [32, 32]), (65, [33, 32]), (400, [100] * 4)],
)
def test_all_cores_have_sentences_and_no_batch_is_too_large(
    monkeypatch: pytest.MonkeyPatch, sentences: int, sizes: list[int]
) -> None:
    monkeypatch.setattr("core.decoding.batches.num_cores", lambda: 2)
    batches = batches_by_length(dict.fromkeys(range(sentences), 3), CONFIG, GREEDY)
    assert [len(batch) for batch in batches] == sizes
    assert sorted(number for batch in batches for number in batch) == list(range(sentences))


@pytest.mark.parametrize(
    "decoding",
    [GREEDY, DecodingConfig(beam_size=4), DecodingConfig(beam_size=16), DecodingConfig(samples=16)],
)
@pytest.mark.parametrize("length", [1, 20, 100])
def test_what_is_computed_together_is_bounded(length: int, decoding: DecodingConfig) -> None:
    batches = batches_by_length(dict.fromkeys(range(500), length), CONFIG, decoding)
    most = max(map(len, batches))
    assert most <= MAX_BATCH_ROWS
    assert most * decoding.num_hypotheses <= 512
    padded = source_bucket(length, CONFIG) if decoding.samples else length
    assert most * padded * decoding.num_hypotheses <= MAX_BATCH_WORK
    bucket_rows = MAX_BATCH_WORK // (source_bucket(length, CONFIG) * decoding.num_hypotheses)
    assert (most + 1) * 2 > min(MAX_BATCH_ROWS, bucket_rows)  # nor far below


def test_a_sentence_of_too_much_work_is_a_batch_of_its_own() -> None:
    long = CONFIG.replace(max_source_length=1000)
    assert batches_by_length({0: 900, 1: 950}, long, DecodingConfig(samples=MAX_SAMPLES)) == [[1], [0]]


def test_a_large_batch_has_no_program() -> None:
    with pytest.raises(ValueError, match=r"at most 4 sentences\. Received: 5"):
        batch_bucket(5)
