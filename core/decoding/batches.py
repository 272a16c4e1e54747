"""Sentences of similar length in batches, each padded to one of a few shapes.

Every shape is compiled once, and sentences that share one waste little on padding.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter

from core.config import DecodingConfig, ModelConfig

MAX_BATCH = 64  # sentences translated in one call
# Sentences computed together: XLA multiplies on one core, so that other rows keep the other cores busy.
MAX_ROWS = 16
EXTRA_TARGET_TOKENS = 50  # of a translation beyond its source's length (Vaswani et al. 2017, section 6.1)
# Padded source tokens x beams translated at once where people wait: about a second on two cores.
MAX_WORK = 2048


def source_bucket(length: int, config: ModelConfig) -> int:
    """The padded length a source of `length` tokens is computed at: 16, 32, 64, … up to the model's limit.

    Smaller buckets would not make short sentences noticeably faster, and each needs a program of its own.

    Raises:
        ValueError: the model reads no sentence of that length.
    """
    if length > config.max_source_length:
        raise ValueError(f"The model reads at most {config.max_source_length} tokens. Received: {length}")
    bucket = 16
    while bucket < length:
        bucket *= 2
    return min(bucket, config.max_source_length)


def target_limit(source_length: int, config: ModelConfig) -> int:
    """Most tokens a translation may have, end included: the padded source's length + 50 (section 6.1)."""
    return min(config.max_target_length, source_length + EXTRA_TARGET_TOKENS)


def work_of(length: int, config: ModelConfig, decoding: DecodingConfig) -> int:
    """What a sentence of `length` tokens counts of MAX_WORK."""
    return source_bucket(length, config) * decoding.num_hypotheses


def batch_bucket(size: int) -> int:
    """The padded number of sentences: 1, 4 or 16.

    Raises:
        ValueError: there are more than MAX_ROWS.
    """
    for bucket in (1, 4, MAX_ROWS):
        if size <= bucket:
            return bucket
    raise ValueError(f"A batch must have at most {MAX_ROWS} sentences. Received: {size}")


def batches_by_length(lengths: Mapping[int, int], config: ModelConfig) -> list[list[int]]:
    """Sentences of one source bucket together, those of like length, at most MAX_ROWS of them.

    A batch is computed until its last translation ends, and sentences of one length end at about the same time.

    Args:
        lengths: source tokens of each sentence, by its number.
        config: of the model.

    Returns:
        The numbers of each batch, the shortest first, in the order of `lengths` where they are equal.
    """
    buckets: dict[int, list[int]] = {}
    for number, length in sorted(lengths.items(), key=itemgetter(1)):
        buckets.setdefault(source_bucket(length, config), []).append(number)
    return [
        numbers[first : first + MAX_ROWS]
        for numbers in buckets.values()
        for first in range(0, len(numbers), MAX_ROWS)
    ]
