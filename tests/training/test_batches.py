import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import TrainingConfig
from core.training.batches import BucketedPairs, EncodedPairs, RaggedIds


def numbered(count: int) -> EncodedPairs:
    """Pairs that can be told apart: the source of pair n is (n + 1, 7), its target (2, n + 1, 3)."""
    numbers = np.arange(1, count + 1, dtype=np.int32)[:, None]
    return EncodedPairs(
        source=np.hstack([numbers, np.full_like(numbers, 7)]),
        target=np.hstack([np.full_like(numbers, 2), numbers, np.full_like(numbers, 3)]),
    )


@given(
    count=st.integers(1, 20),
    batch_size=st.integers(1, 8),
    seed=st.integers(0, 2**31 - 1),
    epoch=st.integers(1, 1000),
)
def test_an_epoch_has_each_pair_once_in_full_batches(
    count: int, batch_size: int, seed: int, epoch: int
) -> None:
    pairs = numbered(count)
    training = TrainingConfig(batch_size=batch_size, seed=seed)
    batches = list(pairs.batches(training, epoch))
    assert len(batches) == pairs.steps_per_epoch(training)
    assert all(batch.source.shape == (batch_size, 2) for batch in batches)
    assert all(batch.decoder_input.shape == batch.labels.shape == (batch_size, 2) for batch in batches)
    rows = np.concatenate([batch.source for batch in batches])
    labels = np.concatenate([batch.labels for batch in batches])
    assert sorted(rows[:count, 0]) == list(range(1, count + 1))
    assert np.array_equal(rows[:count, 0], labels[:count, 0])  # each source beside its own target
    assert not rows[count:].any() and not labels[count:].any()  # what fills the last batch is pad


@pytest.mark.slow
@given(seed=st.integers(0, 2**31 - 1), epoch=st.integers(1, 1000), batch_tokens=st.sampled_from([None, 64]))
def test_batches_depend_on_seed_and_epoch_alone(seed: int, epoch: int, batch_tokens: int | None) -> None:
    pairs = numbered(100) if batch_tokens is None else numbered(100).bucketed()

    def order(seed: int, epoch: int) -> list[int]:
        training = TrainingConfig(batch_size=8, batch_tokens=batch_tokens, seed=seed)
        return [int(n) for batch in pairs.batches(training, epoch) for n in batch.source[:, 0]]

    assert order(seed, epoch) == order(seed, epoch)
    assert order(seed, epoch) != order(seed, epoch + 1)
    assert order(seed, epoch) != order((seed + 1) % 2**31, epoch)


def bucketed(lengths: list[tuple[int, int]]) -> BucketedPairs:
    """Pairs of sentences with these lengths; every token of pair n is n + 4."""
    return BucketedPairs(
        RaggedIds.from_sequences([n + 4] * source for n, (source, _) in enumerate(lengths)),
        RaggedIds.from_sequences([2, *[n + 4] * target, 3] for n, (_, target) in enumerate(lengths)),
    )


LENGTHS = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=60)


@given(lengths=LENGTHS, batch_tokens=st.integers(64, 200), epoch=st.integers(1, 5))
def test_buckets_hold_each_pair_once_within_the_budget(
    lengths: list[tuple[int, int]], batch_tokens: int, epoch: int
) -> None:
    pairs, training = bucketed(lengths), TrainingConfig(batch_tokens=batch_tokens)
    batches = list(pairs.batches(training, epoch))
    assert len(batches) == pairs.steps_per_epoch(training)
    seen = []
    for batch in batches:
        rows = len(batch.source)
        assert rows == 1 or rows * max(batch.source.shape[1], batch.labels.shape[1]) <= batch_tokens
        # Padded no further than need be.
        assert batch.source.any(axis=0).all() and batch.labels.any(axis=0).all()
        for source, read, labels in zip(batch.source, batch.decoder_input, batch.labels, strict=True):
            number = source[0] - 4
            seen.append((number, np.count_nonzero(source), np.count_nonzero(labels) - 1))
            assert read[0] == 2 and labels[0] == number + 4
            assert np.array_equal(read[1 : np.count_nonzero(labels)], labels[: np.count_nonzero(labels) - 1])
    assert sorted(seen) == [(n, source, target) for n, (source, target) in enumerate(lengths)]


def test_buckets_pad_little() -> None:
    random = np.random.default_rng(0)
    lengths = [(int(n), int(n)) for n in random.integers(1, 60, 400)]
    batches = list(bucketed(lengths).batches(TrainingConfig(batch_tokens=512), epoch=1))
    real = sum(np.count_nonzero(batch.source) for batch in batches)
    assert real > 0.92 * sum(batch.source.size for batch in batches)
