"""Sentences of similar length in batches.

A few are padded to one of a few shapes, each of which XLA compiles once; many to the longest of their batch.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.config import DecodingConfig, ModelConfig
from core.decoding.side_by_side import num_cores

MAX_BATCH = 64  # sentences of one call where people wait, and of one search in a sampling graph
MAX_COMPILED_ROWS = 4  # of an XLA program; more are faster in the plain graph, where they leave when they end
MIN_A_CORE = 16  # sentences worth a search of their own on another core; fewer together cost more each
SHORTEST_BUCKET = 16  # tokens
MAX_BATCH_ROWS = 128  # sentences searched together: more would not make the products any faster
MAX_BATCH_WORK = 8192  # padded source tokens x hypotheses searched together, which bounds their memory
EXTRA_TARGET_TOKENS = 50  # of a translation beyond its source's length (Vaswani et al. 2017, section 6.1)
# Source tokens, each sentence's padded to its bucket, x beams translated at once where people wait: about a second on
# two cores.
MAX_WORK = 2048


def source_bucket(length: int, config: ModelConfig) -> int:
    """The padded length of a source of `length` tokens for XLA: 16, 32, 64, … up to the model's limit.

    Smaller buckets would not make short sentences noticeably faster, and each needs a program of its own.

    Raises:
        ValueError: the model reads no sentence of that length.
    """
    if length > config.max_source_length:
        raise ValueError(f"The model reads at most {config.max_source_length} tokens. Received: {length}")
    bucket = SHORTEST_BUCKET
    while bucket < length:
        bucket *= 2
    return min(bucket, config.max_source_length)


def target_limit(source_length: int, config: ModelConfig) -> int:
    """Most tokens a translation may have, end included: the source's length + 50 (section 6.1), that of its bucket.

    A program of XLA's has one limit for all of a bucket, and a translation must not depend on what found it.

    Raises:
        ValueError: as `source_bucket`.
    """
    return min(config.max_target_length, source_bucket(source_length, config) + EXTRA_TARGET_TOKENS)


def work_of(length: int, config: ModelConfig, decoding: DecodingConfig) -> int:
    """What a sentence of `length` tokens counts of MAX_WORK."""
    return source_bucket(length, config) * decoding.num_hypotheses


def batch_bucket(size: int) -> int:
    """The number of sentences that an XLA program for `size` computes: 1 or 4.

    Raises:
        ValueError: there are more than MAX_COMPILED_ROWS.
    """
    if size > MAX_COMPILED_ROWS:
        raise ValueError(f"XLA compiles for at most {MAX_COMPILED_ROWS} sentences. Received: {size}")
    return 1 if size == 1 else MAX_COMPILED_ROWS


def rows_together(length: int, num_hypotheses: int = 1) -> int:
    """Most sentences searched together, the longest of which has `length` tokens."""
    work = max(length, SHORTEST_BUCKET) * num_hypotheses
    return max(1, min(MAX_BATCH_ROWS, MAX_BATCH_WORK // work))


def batches_by_length(
    lengths: Mapping[int, int], config: ModelConfig, decoding: DecodingConfig
) -> list[list[int]]:
    """Sentences of like length together: they take the same steps, and end at about the same time.

    A few, and samples, which share one limit, are of one source bucket a batch. Many are shared out between all cores.

    Args:
        lengths: source tokens of each sentence, by its number.
        config: of the model.
        decoding: how they will be translated.

    Returns:
        The numbers of each batch. The longest sentences come first, so that no core is left with them at the end.
    """
    ordered = sorted(lengths, key=lambda number: lengths[number], reverse=True)
    if len(ordered) > MAX_COMPILED_ROWS and not decoding.samples:
        return _split(ordered, lengths, decoding)
    buckets: dict[int, list[int]] = {}
    for number in ordered:
        buckets.setdefault(source_bucket(lengths[number], config), []).append(number)
    return [
        batch
        for bucket, numbers in buckets.items()
        for batch in _split(numbers, dict.fromkeys(numbers, bucket), decoding)
    ]


def _split(numbers: list[int], padded: Mapping[int, int], decoding: DecodingConfig) -> list[list[int]]:
    """In batches of at most MAX_BATCH_WORK, at least as many as there are cores, unless they would be small.

    Args:
        numbers: of the sentences, the longest first.
        padded: the length each is padded to where it is the longest of its batch.
        decoding: how they will be translated.
    """
    cores = max(1, min(num_cores(), len(numbers) // MIN_A_CORE))
    fair = -(-len(numbers) // cores)
    batches = []
    while numbers:
        longest = padded[numbers[0]]
        # A few may be much shorter, rather than be searched by themselves; many would be padding for the most part.
        alike = sum(2 * max(padded[number], SHORTEST_BUCKET) >= longest for number in numbers)
        most = min(fair, max(alike, MIN_A_CORE), rows_together(longest, decoding.num_hypotheses))
        # As many in each of the batches that are left, rather than a few in the last.
        size = -(-len(numbers) // -(-len(numbers) // most))
        batches.append(numbers[:size])
        numbers = numbers[size:]
    return batches
