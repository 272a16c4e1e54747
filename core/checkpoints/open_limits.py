"""How large a checkpoint may be to be opened, checked in config.json before any weight is read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.checkpoints.format import CONFIG, FILES, METRICS, WEIGHTS, CheckpointError
from core.config import ModelConfig
from core.decoding.batches import MAX_BATCH, SHORTEST_BUCKET, rows_together, target_limit
from core.records import Pair
from core.theory.model_size import BYTES_FLOAT32
from core.tokens.vocabulary import Vocabulary
from core.weights import parameter_count

NO_LIMIT = math.inf
MAX_EXAMPLE_CHARACTERS = 300  # of a side of an example, in what training writes and a page opens


class CheckpointTooLargeError(CheckpointError):
    """The checkpoint may be sound, but is larger than allowed here."""


@dataclass(frozen=True)
class OpenLimits:
    """What opening a checkpoint may cost. The defaults are for your own machine; a shared server allows less.

    Where there is no limit here, `ModelConfig` still has its own.
    """

    max_bytes: int = 256 * 1024 * 1024  # bytes of all files, unpacked
    # Bytes of each file but the weights; in memory it takes many times that.
    max_text_bytes: int = 4 * 1024 * 1024
    max_entries: int = 100  # files in a zip, others included
    max_layers: float = NO_LIMIT  # in the encoder, and as many in the decoder
    max_heads: float = NO_LIMIT  # of one attention
    max_d_model: float = NO_LIMIT  # width of the residuals
    max_d_ff: float = NO_LIMIT  # inner width of the feed-forward layers
    max_vocabulary: float = NO_LIMIT  # tokens of one language
    max_length: float = NO_LIMIT  # tokens of a sentence, either side
    max_parameters: float = NO_LIMIT  # numbers learned; each takes 4 bytes
    max_batch_bytes: float = NO_LIMIT  # bytes that a batch of the longest sentences takes, see `batch_bytes`
    max_token: float = NO_LIMIT  # characters of a token
    max_examples: int = 100  # pairs
    max_example: int = 1000  # characters of each side of a pair
    max_metrics: int = 1000  # numbers about the training
    max_metric: int = 1000  # characters of the name of one

    def check_files(self, sizes: Mapping[str, int]) -> None:
        """Refuse files by their sizes (bytes, by name) alone.

        Raises:
            CheckpointTooLargeError: one of the checkpoint's own files, or all files together, are too large.
        """
        total = sum(sizes.values())
        if total > self.max_bytes:
            raise CheckpointTooLargeError(
                f"This checkpoint unpacks to {total / 2**20:,.0f} MiB; at most {self.max_bytes / 2**20:,.0f} MiB are "
                "read."
            )
        for name in FILES:
            most = self.max_bytes if name == WEIGHTS else self.max_text_bytes
            if sizes.get(name, 0) > most:
                raise CheckpointTooLargeError(
                    f"{name} has {sizes[name] / 2**20:,.1f} MiB; at most {most / 2**20:,.0f} MiB are read."
                )

    def check_model(self, config: ModelConfig) -> None:
        """Refuse a model by its shape, before anything of that shape is made.

        Raises:
            CheckpointTooLargeError: it is too large to open here; the message names the first field that is.
        """
        for name, received, most in (
            ("num_layers", config.num_layers, self.max_layers),
            ("num_heads", config.num_heads, self.max_heads),
            ("d_model", config.d_model, self.max_d_model),
            ("d_ff", config.d_ff, self.max_d_ff),
            ("source_vocab_size", config.source_vocab_size, self.max_vocabulary),
            ("target_vocab_size", config.target_vocab_size, self.max_vocabulary),
            ("max_source_length", config.max_source_length, self.max_length),
            ("max_target_length", config.max_target_length, self.max_length),
        ):
            _at_most(f"{name} must be", received, most)
        _at_most("the model's parameters must be", parameter_count(config), self.max_parameters)
        _at_most("the bytes that a batch takes must be", batch_bytes(config), self.max_batch_bytes)

    def check_tokens(self, name: str, vocabulary: Vocabulary) -> None:
        """Refuse overlong tokens: a translation may repeat one hundreds of times.

        Raises:
            CheckpointTooLargeError: a token of the file `name` is too long.
        """
        longest = max(vocabulary.tokens, key=len)
        if len(longest) > self.max_token:
            raise CheckpointTooLargeError(
                f"{name}: a token must have at most {self.max_token:,} characters. "
                f"Received: {len(longest):,}, {longest!r:.60}…"
            )

    def check_examples(self, examples: Sequence[Pair]) -> None:
        """Refuse examples that would make a page slow: it shortens and joins them at every run.

        Raises:
            CheckpointTooLargeError: there are too many, or one is too long.
        """
        if len(examples) > self.max_examples:
            raise CheckpointTooLargeError(
                f"{CONFIG}: there must be at most {self.max_examples} examples. Received: {len(examples):,}"
            )
        longest = max((len(text) for pair in examples for text in (pair.source, pair.target)), default=0)
        if longest > self.max_example:
            raise CheckpointTooLargeError(
                f"{CONFIG}: each side of an example must have at most {self.max_example} characters. "
                f"Received: {longest:,}"
            )

    def check_metrics(self, metrics: Mapping[str, float]) -> None:
        """Refuse metrics that would make a page slow: it lists them at every run.

        Raises:
            CheckpointTooLargeError: there are too many, or a name is too long.
        """
        if len(metrics) > self.max_metrics:
            raise CheckpointTooLargeError(
                f"{METRICS}: there must be at most {self.max_metrics} numbers. Received: {len(metrics):,}"
            )
        longest = max(map(len, metrics), default=0)
        if longest > self.max_metric:
            raise CheckpointTooLargeError(
                f"{METRICS}: a name must have at most {self.max_metric} characters. Received: {longest:,}"
            )


def batch_bytes(config: ModelConfig) -> int:
    """An estimate of the memory, besides the weights, to translate one batch of the length that takes most.

    Batches side by side take as much each.

    Counted in float32 for B sentences of S source and T target tokens, greedily: one encoder layer's attention
    before and after its softmax (B, heads, S, S), its residuals and the inner feed-forward layer (B, S, 4 d_model +
    d_ff), keys and values of both attentions of all decoder layers (B, S + T, 2 d_model), and the logits before and
    after their softmax, of a step (B, V) or, where translations are explained, of all steps of one (T, V).
    """
    # The ends of each bucket: between them rows fall as lengths rise, and the target's limit stays.
    lengths, bucket = {config.max_source_length}, SHORTEST_BUCKET
    while bucket < config.max_source_length:
        lengths |= {bucket, bucket + 1}
        bucket *= 2
    return max(_batch_bytes(length, config) for length in lengths)


def _batch_bytes(source: int, config: ModelConfig) -> int:
    """Of sentences of `source` tokens."""
    target, batch = target_limit(source, config), max(MAX_BATCH, rows_together(source))
    attention = 2 * batch * config.num_heads * source**2
    activations = batch * source * (4 * config.d_model + config.d_ff)
    cache = config.num_layers * batch * (source + target) * 2 * config.d_model
    logits = 2 * max(batch, target) * config.target_vocab_size
    return BYTES_FLOAT32 * (attention + activations + cache + logits)


def _at_most(what: str, received: int, most: float) -> None:
    if received > most:
        raise CheckpointTooLargeError(
            f"{CONFIG}: {what} at most {most:,} to be opened here. Received: {received:,}"
        )
