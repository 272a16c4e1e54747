"""What is too large to be opened, and the errors of checkpoints."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.language import _, number
from core.tokens.vocabulary import MAX_TOKEN_CHARACTERS

MAX_EXAMPLE_CHARACTERS = 300  # per side of an example that training writes, or that a page opens
_NO_LIMIT = math.inf


class CheckpointError(ValueError):
    """A checkpoint cannot be read or written; the message says which part and why."""


class CheckpointTooLargeError(CheckpointError):
    """A checkpoint is larger than allowed; otherwise it may be sound."""


@dataclass(frozen=True)
class OpenLimits:
    """Limits on the checkpoints that are opened. The defaults are for your own machine; a shared server allows less.

    `ModelConfig` has further limits.
    """

    max_bytes: int = 256 * 1024 * 1024  # all files together, unpacked
    # Each file except the weights; it takes many times that in memory.
    max_text_bytes: int = 4 * 1024 * 1024
    max_entries: int = 100  # files in a zip, others included
    shape: Mapping[str, int] = field(default_factory=dict)  # largest values of fields of ModelConfig
    max_parameters: float = _NO_LIMIT  # each takes 4 bytes
    max_token: float = _NO_LIMIT  # characters per token
    max_examples: int = 100  # pairs
    max_example: int = 1000  # characters per side of a pair
    max_metrics: int = 1000  # numbers in metrics.json
    max_metric: int = 1000  # characters of a metric's name

    def check_bytes(self, received: int) -> None:
        """Refuse a checkpoint whose files are too large together.

        Raises:
            CheckpointTooLargeError: `received` is more than `max_bytes`.
        """
        if received > self.max_bytes:
            raise CheckpointTooLargeError(
                _("This checkpoint unpacks to {received} MiB; at most {most} MiB are read.").format(
                    received=number(received / 2**20, ",.0f"), most=number(self.max_bytes / 2**20, ",.0f")
                )
            )

    def check(self, what: str, received: int, most: float) -> None:
        """Refuse a number that is larger than allowed.

        Raises:
            CheckpointTooLargeError: `received` is more than `most`; the message names `what`.
        """
        if received > most:
            raise CheckpointTooLargeError(
                _("{what} must be at most {most} to be opened here. Received: {received}").format(
                    what=what, most=number(most, ","), received=number(received, ",")
                )
            )


OPEN_LIMITS = OpenLimits(  # for checkpoints that a server's visitors open
    max_text_bytes=1024 * 1024,
    shape={
        "num_layers": 12,
        "num_heads": 16,
        "d_model": 1024,
        "d_ff": 4096,
        "source_vocab_size": 64_000,
        "target_vocab_size": 64_000,
        "max_source_length": 512,
        "max_target_length": 512,
    },
    max_parameters=30_000_000,
    max_token=MAX_TOKEN_CHARACTERS,
    max_examples=20,
    max_example=MAX_EXAMPLE_CHARACTERS,
    max_metrics=100,
    max_metric=100,
)
