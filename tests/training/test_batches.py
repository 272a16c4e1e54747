import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import ModelConfig, TrainingConfig
from core.corpora.toy import PAIRS
from core.presets import CLASSROOM
from core.records import Pair
from core.training.batches import BucketedPairs, EncodedPairs, RaggedIds
from core.training.pairs import PipelineError, PreparedPairs, encode_pairs, prepare_words

CONFIG = CLASSROOM.model


def numbered(count: int) -> EncodedPairs:
    """Pairs that can be told apart: the source of pair n is (n + 1, 7), its target (2, n + 1, 3)."""
    numbers = np.arange(1, count + 1, dtype=np.int32)[:, None]
    return EncodedPairs(
        source=np.hstack([numbers, np.full_like(numbers, 7)]),
        target=np.hstack([np.full_like(numbers, 2), numbers, np.full_like(numbers, 3)]),
    )


def test_toy_vocabularies_have_the_sizes_of_the_first_notebook() -> None:
    _, sized = prepare_words(PAIRS, ModelConfig(source_vocab_size=2, target_vocab_size=4, num_layers=3))
    # The first notebook: 38 and 35. The rest of the config stays.
    assert (sized.source_vocab_size, sized.target_vocab_size, sized.num_layers) == (38, 35, 3)


def test_targets_begin_with_start_and_end_with_end(toy: PreparedPairs) -> None:
    vocabulary = toy.target_tokenizer.vocabulary
    for pair, ids in zip(PAIRS, toy.encoded.target, strict=True):
        words = [vocabulary.tokens[i] for i in ids if i != 0]
        assert words == ["[START]", *pair.target.split(), "[END]"]


def test_sources_are_the_words_alone(toy: PreparedPairs) -> None:
    tokens = toy.source_tokenizer.vocabulary.tokens
    for pair, ids in zip(PAIRS, toy.encoded.source, strict=True):
        assert [tokens[i] for i in ids if i != 0] == pair.source.split()


def test_pads_stand_at_the_end_alone_and_the_longest_sentence_has_none(toy: PreparedPairs) -> None:
    for ids in (toy.encoded.source, toy.encoded.target):
        real = ids != 0
        assert np.array_equal(real, np.sort(real, axis=1)[:, ::-1])
        assert real.all(axis=1).any()
    assert toy.encoded.source.shape == (15, 5)  # "je veux de l eau"
    assert toy.encoded.target.shape == (15, 6)  # "i do not understand" between start and end


def test_the_decoder_reads_the_end_token_only_in_rows_with_padding(toy: PreparedPairs) -> None:
    """As Masks and Text as numbers say: without a causal mask [END] can be copied there, and nowhere else."""
    batch, end = toy.encoded.batch(np.arange(len(PAIRS)), len(PAIRS)), toy.target_tokenizer.vocabulary.end_id
    reads_it = (batch.decoder_input == end).any(axis=1)
    np.testing.assert_array_equal(reads_it, batch.labels[:, -1] == 0)
    assert 0 < reads_it.sum() < len(reads_it)


def test_labels_are_the_decoder_input_shifted_left_once(toy: PreparedPairs) -> None:
    for batch in toy.encoded.batches(TrainingConfig(batch_size=8, seed=1), epoch=1):
        for read, predicted in zip(batch.decoder_input, batch.labels, strict=True):
            if not read.any():  # a filling row
                assert not predicted.any()
                continue
            length = np.count_nonzero(predicted)
            assert read[0] == 2 and predicted[length - 1] == 3
            assert np.array_equal(read[1:length], predicted[: length - 1])
            assert not predicted[length:].any()


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


@given(seed=st.integers(0, 2**31 - 1), epoch=st.integers(1, 1000))
def test_batches_depend_on_seed_and_epoch_alone(seed: int, epoch: int) -> None:
    pairs = numbered(40)

    def order(seed: int, epoch: int) -> list[int]:
        training = TrainingConfig(batch_size=8, seed=seed)
        return [int(n) for batch in pairs.batches(training, epoch) for n in batch.source[:, 0]]

    assert order(seed, epoch) == order(seed, epoch)
    assert order(seed, epoch) != order(seed, epoch + 1)
    assert order(seed, epoch) != order((seed + 1) % 2**31, epoch)


def test_zero_pairs() -> None:
    with pytest.raises(PipelineError, match=r"There are no pairs to train on\. Add at least one"):
        prepare_words([], CONFIG)


@pytest.mark.parametrize(
    ("pair", "side"),
    [(Pair("🙂🙂", "smile"), "source"), (Pair("sourire", "🙂 !"), "target"), (Pair("", "a"), "source")],
)
def test_a_side_without_words_is_named(pair: Pair, side: str) -> None:
    with pytest.raises(PipelineError, match=rf"^Pair 2: the {side} has no words .*Received: "):
        prepare_words([Pair("bonjour", "hello"), pair], CONFIG)


def test_too_long_a_side_is_named_and_the_limit_itself_is_fine() -> None:
    config = CONFIG.replace(max_source_length=4, max_target_length=4)
    prepare_words([Pair("a b c d", "a b c")], config)  # the decoder reads start, a, b, c
    with pytest.raises(
        PipelineError, match=r"^Pair 1: the source has 5 tokens; this model takes at most 4\. Shorten"
    ):
        prepare_words([Pair("a b c d e", "a")], config)
    with pytest.raises(
        PipelineError, match=r"^Pair 2: the target has 4 tokens; this model takes at most 3\. Shorten"
    ):
        prepare_words([Pair("a", "a"), Pair("a", "a b c d")], config)


def test_words_the_tokenizer_does_not_know_are_unknown(toy: PreparedPairs) -> None:
    encoded = encode_pairs([Pair("bonjour zut", "hello")], toy.source_tokenizer, toy.target_tokenizer, 32, 32)
    assert encoded.source.tolist() == [[toy.source_tokenizer.vocabulary.id_of("bonjour"), 1]]


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
        assert (
            batch.source.any(axis=0).all() and batch.labels.any(axis=0).all()
        )  # padded no further than need be
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


def test_ragged_rows_come_back() -> None:
    ragged = RaggedIds.from_sequences([[1], [2, 3], [4, 5, 6]])
    assert [row.tolist() for row in ragged.rows(np.array([2, 0]))] == [[4, 5, 6], [1]]


def test_padded_pairs_become_buckets(toy: PreparedPairs) -> None:
    training = TrainingConfig(batch_tokens=64)
    batches = list(toy.encoded.bucketed().batches(training, epoch=1))
    rows = [tuple(row[row != 0]) for batch in batches for row in batch.source]
    assert sorted(rows) == sorted(tuple(row[row != 0]) for row in toy.encoded.source)
