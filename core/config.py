"""Settings of the model, of training and of decoding: frozen dataclasses that check themselves and travel as JSON.

Axis letters, the same in every shape of this package: B batch, S source length, T target length, L layers, H heads,
D model width, K head width, F feed-forward width, V vocabulary, M beams or samples. In attention, queries have the
length T and keys the length S.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from core.language import N_, _, ngettext, number

PositionalEncoding = Literal["sinusoidal", "learned", "none"]
Activation = Literal["relu", "gelu"]
NormPlacement = Literal["post", "pre"]
ScheduleName = Literal["constant", "warmup", "linear"]

MAX_SAMPLES = 16  # translations of one sentence sampled at once
# The options of each field that is a choice.
CHOICES: dict[str, tuple[str, ...]] = {
    "positional_encoding": get_args(PositionalEncoding),
    "activation": get_args(Activation),
    "norm": get_args(NormPlacement),
    "schedule": get_args(ScheduleName),
}

SAMPLING = ("samples", "temperature", "top_k", "top_p", "seed")  # the fields of DecodingConfig for sampling


class ConfigError(ValueError):
    """A setting is out of its range; the message names the range and the value received."""


@dataclass(frozen=True)
class _JsonConfig:
    """A config that converts to a plain dictionary for JSON, and back with checks."""

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: object) -> Self:
        """Build the config from parsed JSON.

        Raises:
            ConfigError: `values` is not an object, or has missing, unknown or invalid fields.
        """
        if not isinstance(values, dict):
            raise ConfigError(
                _("{name} must be a JSON object. Received: {received}").format(
                    name=cls.__name__, received=f"{values!r:.80}"
                )
            )
        fields = dataclasses.fields(cls)
        known = {field.name for field in fields}
        required = {field.name for field in fields if field.default is dataclasses.MISSING}
        if unknown := sorted(set(values) - known):
            raise ConfigError(
                _("{name} has no field {field}.").format(name=cls.__name__, field=f"{unknown[0]!r:.80}")
            )
        if missing := sorted(required - set(values)):
            raise ConfigError(
                _("{name} needs the field {field}.").format(name=cls.__name__, field=repr(missing[0]))
            )
        return cls(**values)

    def replace(self, **changes: Any) -> Self:
        """Return the config with some fields changed, checked again."""
        return dataclasses.replace(self, **changes)


@dataclass(frozen=True)
class ModelConfig(_JsonConfig):
    """The shape of one encoder-decoder Transformer (Vaswani et al. 2017, section 3).

    Raises:
        ConfigError: a field is out of its range.
    """

    source_vocab_size: int  # number of entries, pad and unknown included
    target_vocab_size: int  # number of entries, pad, unknown, start and end included
    num_layers: int = 2  # N in the paper, in the encoder and in the decoder; 1 to 24
    d_model: int = 64  # width of the residual stream; 1 to 4096, divisible by num_heads
    num_heads: int = 4  # h in the paper; each head is d_model / num_heads wide (3.2.2)
    d_ff: int = 128  # inner width of the feed-forward layers (3.3); 1 to 16384
    dropout_rate: float = 0.1  # P_drop (5.4); 0 <= rate < 1
    max_source_length: int = 32  # tokens; 1 to 4096
    max_target_length: int = 32  # tokens, start or end included; 2 to 4096
    positional_encoding: PositionalEncoding = "sinusoidal"  # 3.5
    activation: Activation = "relu"  # inside the feed-forward layers
    norm: NormPlacement = "post"  # after the residual sum (the paper) or before each sublayer
    tie_embeddings: bool = False  # target embedding = output projection (3.4)
    share_embeddings: bool = False  # source embedding = target embedding (3.4); needs one vocabulary
    # Whether training hides the words ahead (3.2.3). Without it, the model learns to copy them.
    causal_mask: bool = True

    def __post_init__(self) -> None:
        _whole_number(self, "source_vocab_size", 2, 1_000_000)
        _whole_number(self, "target_vocab_size", 4, 1_000_000)
        _whole_number(self, "num_layers", 1, 24)
        _whole_number(self, "d_model", 1, 4096)
        _whole_number(self, "num_heads", 1, 128)
        _whole_number(self, "d_ff", 1, 16384)
        _whole_number(self, "max_source_length", 1, 4096)
        _whole_number(self, "max_target_length", 2, 4096)
        _real_number(self, "dropout_rate", 0.0, 1.0, below=True)
        _one_of(self, "positional_encoding")
        _one_of(self, "activation")
        _one_of(self, "norm")
        true_or_false(self, "tie_embeddings")
        true_or_false(self, "share_embeddings")
        true_or_false(self, "causal_mask")
        if self.share_embeddings and self.source_vocab_size != self.target_vocab_size:
            raise ConfigError(
                _("share_embeddings needs one vocabulary for both languages. Received: {received}").format(
                    received=f"source_vocab_size={self.source_vocab_size}, target_vocab_size={self.target_vocab_size}"
                )
            )
        if self.d_model % self.num_heads:
            raise ConfigError(
                _(
                    "d_model must be divisible by num_heads, because each head is d_model / num_heads wide. "
                    "Received: {received}"
                ).format(received=f"d_model={self.d_model}, num_heads={self.num_heads}")
            )

    @property
    def head_dim(self) -> int:
        """d_k = d_v = d_model / num_heads (3.2.2)."""
        return self.d_model // self.num_heads


@dataclass(frozen=True)
class TrainingConfig(_JsonConfig):
    """How a model is trained (Vaswani et al. 2017, section 5).

    Raises:
        ConfigError: a field is out of its range.
    """

    epochs: int = 200  # passes over the pairs; 1 to 100000
    batch_size: int = 8  # sentence pairs per step; 1 to 4096
    # Instead of batch_size: tokens of the longer side per step, padding included; 64 to 65536.
    batch_tokens: int | None = None
    # "warmup" is section 5.3; "linear" rises, then falls straight to 0 at the end.
    schedule: ScheduleName = "constant"
    # The constant rate, the peak of "linear"; not used by "warmup"; 0 < rate <= 1.
    learning_rate: float = 1e-3
    warmup_steps: int = 400  # steps of linear growth, not used by "constant"; 1 to 1000000
    beta_1: float = 0.9  # Adam, section 5.3
    beta_2: float = 0.98  # Adam, section 5.3
    epsilon: float = 1e-9  # Adam, section 5.3
    label_smoothing: float = 0.0  # epsilon_ls (5.4); 0 <= value < 1
    r_drop: float = 0.0  # alpha of Liang et al. 2021, equation 4; without dropout it has no effect; 0 to 10
    clip_norm: float | None = None  # largest norm of the gradient, or None for no clipping; > 0
    patience: int | None = None  # epochs without a better loss before stopping, or None; >= 1
    seed: int = 42  # for initial weights, dropout and the order of the pairs; 0 to 2**31 - 1

    def __post_init__(self) -> None:
        _whole_number(self, "epochs", 1, 100_000)
        _whole_number(self, "batch_size", 1, 4096)
        if self.batch_tokens is not None:
            _whole_number(self, "batch_tokens", 64, 65536)
        _one_of(self, "schedule")
        _real_number(self, "learning_rate", 0.0, 1.0, above=True)
        _whole_number(self, "warmup_steps", 1, 1_000_000)
        _real_number(self, "beta_1", 0.0, 1.0, below=True)
        _real_number(self, "beta_2", 0.0, 1.0, below=True)
        _real_number(self, "epsilon", 1e-12, 1.0)  # less is 0 beside a float32 gradient
        _real_number(self, "label_smoothing", 0.0, 1.0, below=True)
        _real_number(self, "r_drop", 0.0, 10.0)
        if self.clip_norm is not None:
            _real_number(self, "clip_norm", 0.0, 1e6, above=True)
        if self.patience is not None:
            _whole_number(self, "patience", 1, 100_000)
        _whole_number(self, "seed", 0, 2**31 - 1)


@dataclass(frozen=True)
class DecodingConfig(_JsonConfig):
    """How a translation is searched for or sampled; beam search's length penalty is that of section 6.1.

    Raises:
        ConfigError: a field is out of its range, or the fields do not fit together.
    """

    beam_size: int = 1  # hypotheses kept; 1 is greedy; 1 to 16
    length_penalty: float = 0.6  # alpha of Wu et al. 2016, section 7; for beam search; 0 to 5
    samples: int = 0  # number of sampled translations; 0 searches instead; 0 to MAX_SAMPLES
    temperature: float = 1.0  # divides the logits before sampling; 0 takes the likeliest token; 0 to 10
    top_k: int = 0  # sample from the k likeliest tokens only (Fan et al. 2018); 0 for all; 0 to 1000000
    # Sample from the fewest tokens whose probability reaches p (Holtzman et al. 2020); 0 < p <= 1.
    top_p: float = 1.0
    seed: int = 42  # for sampling; 0 to 2**31 - 1

    def __post_init__(self) -> None:
        _whole_number(self, "beam_size", 1, 16)
        _real_number(self, "length_penalty", 0.0, 5.0)
        _whole_number(self, "samples", 0, MAX_SAMPLES)
        _real_number(self, "temperature", 0.0, 10.0)
        _whole_number(self, "top_k", 0, 1_000_000)
        _real_number(self, "top_p", 0.0, 1.0, above=True)
        _whole_number(self, "seed", 0, 2**31 - 1)
        if self.samples and self.beam_size > 1:
            raise ConfigError(
                _(
                    "A translation is either searched for with beams or drawn in samples. Received: {received}"
                ).format(received=f"beam_size={self.beam_size}, samples={self.samples}")
            )

    @property
    def in_words(self) -> str:
        """The search that changes what is written, in a few words."""
        if self.samples:
            return ngettext(
                "{count} sample, temperature {temperature}",
                "{count} samples, temperature {temperature}",
                self.samples,
            ).format(count=self.samples, temperature=number(self.temperature, "g"))
        if self.beam_size == 1:
            return _("greedy")
        return _("beam {size}, length penalty {penalty}").format(
            size=self.beam_size, penalty=number(self.length_penalty, "g")
        )

    @property
    def num_hypotheses(self) -> int:
        """The number of translations decoded in parallel for each sentence, which sets the cost."""
        return self.samples or self.beam_size


def _whole_number(config: object, name: str, low: int, high: int) -> None:
    value = getattr(config, name)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(
            _("{name} must be a whole number from {low} to {high}. Received: {received}").format(
                name=name, low=low, high=high, received=f"{value!r:.80}"
            )
        )


def _real_number(
    config: object, name: str, low: float, high: float, *, above: bool = False, below: bool = False
) -> None:
    """Check low <= value <= high, which rejects NaN and infinity; `above` and `below` make the ends open."""
    value = getattr(config, name)
    inside = (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (low < value if above else low <= value)
        and (value < high if below else value <= high)
    )
    if not inside:
        text = {
            (False, False): N_(
                "{name} must be a number of at least {low} and at most {high}. Received: {received}"
            ),
            (False, True): N_(
                "{name} must be a number of at least {low} and less than {high}. Received: {received}"
            ),
            (True, False): N_(
                "{name} must be a number of more than {low} and at most {high}. Received: {received}"
            ),
            (True, True): N_(
                "{name} must be a number of more than {low} and less than {high}. Received: {received}"
            ),
        }[above, below]
        raise ConfigError(
            _(text).format(name=name, low=number(low, "g"), high=number(high, "g"), received=f"{value!r:.80}")
        )


def _one_of(config: object, name: str) -> None:
    value = getattr(config, name)
    if value not in CHOICES[name]:
        raise ConfigError(
            _("{name} must be one of {choices}. Received: {received}").format(
                name=name, choices=", ".join(CHOICES[name]), received=f"{value!r:.80}"
            )
        )


def true_or_false(config: object, name: str) -> None:
    """Raise a ConfigError if a field is no switch."""
    value = getattr(config, name)
    if not isinstance(value, bool):
        raise ConfigError(
            _("{name} must be true or false. Received: {received}").format(
                name=name, received=f"{value!r:.80}"
            )
        )
