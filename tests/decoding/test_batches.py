import pytest

from core.decoding.batches import MAX_ROWS, batch_bucket, batches_by_length, source_bucket
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
    assert {size: batch_bucket(size) for size in (1, 2, 4, 5, 16)} == {
        1: 1, 2: 4, 4: 4, 5: 16, 16: 16
    }  # fmt: skip


def test_one_bucket_a_batch_the_shortest_first() -> None:
    lengths = {7: 16, 3: 20, 5: 1, 4: 100, 9: 32, 2: 20}
    assert batches_by_length(lengths, CONFIG) == [[5, 7], [3, 2, 9], [4]]
    assert batches_by_length({}, CONFIG) == []


def test_no_batch_is_larger_than_the_largest_bucket() -> None:
    batches = batches_by_length(dict.fromkeys(range(MAX_ROWS + 1), 3), CONFIG)
    assert batches == [list(range(MAX_ROWS)), [MAX_ROWS]]
    assert batch_bucket(MAX_ROWS) == MAX_ROWS


def test_more_than_a_batch_is_refused() -> None:
    with pytest.raises(ValueError, match=r"at most 16 sentences\. Received: 17"):
        batch_bucket(17)
