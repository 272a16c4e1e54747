"""What is too large to be opened, and the errors of checkpoints."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.checkpoints.description import Description
from core.language import _, number
from core.tokens.vocabulary import MAX_TOKEN_CHARACTERS
from core.weights import parameter_count


class CheckpointError(ValueError):
    """A checkpoint cannot be read or written; the message says which part and why."""


class CheckpointTooLargeError(CheckpointError):
    """A checkpoint is larger than allowed; otherwise it may be sound."""


@dataclass(frozen=True)
class OpenLimits:
    """Limits on the models that are opened, besides those of `Description`. On your own machine there are none."""

    shape: Mapping[str, int] = field(default_factory=dict)  # largest values of fields of ModelConfig
    max_parameters: float = math.inf  # each takes 4 bytes
    max_token: float = math.inf  # characters per token; a translation may repeat a token hundreds of times

    def check(self, model: Description) -> None:
        """Refuse a model by what its file says of it, before its weights are read.

        Raises:
            CheckpointTooLargeError: a number is larger than allowed; the message names it.
        """
        numbers: dict[str, tuple[int, float]] = {
            name: (getattr(model.config, name), most) for name, most in self.shape.items()
        }
        numbers[_("the number of parameters")] = parameter_count(model.config), self.max_parameters
        tokenizers = model.source_tokenizer, model.target_tokenizer
        longest = max(len(token) for each in tokenizers for token in each.vocabulary.tokens)
        numbers[_("the characters of a token")] = longest, self.max_token
        for what, (received, most) in numbers.items():
            if received > most:
                text = _("{what} must be at most {most} to be opened here. Received: {received}")
                raise CheckpointTooLargeError(
                    text.format(what=what, most=number(most, ","), received=number(received, ","))
                )


OPEN_LIMITS = OpenLimits(  # for models that a server's visitors open
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
)
