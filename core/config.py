"""Settings of the model, of training and of decoding. Each field says its range, and how people are asked for it.

Axis letters, the same in every shape of this package: B batch, S source length, T target length, L layers, H heads,
D model width, K head width, F feed-forward width, V vocabulary, M beams or samples. In attention, queries have the
length T and keys the length S.
"""

import dataclasses
from typing import Any, ClassVar, Literal, Self

from core.described import described, read, setting
from core.errors import InputError
from core.language import N_, _, ngettext, number

MAX_SAMPLES = 16  # translations of one sentence sampled at once

SAMPLING = ("samples", "temperature", "top_k", "top_p", "seed")  # the fields of DecodingConfig for sampling

PositionalEncoding = Literal["sinusoidal", "learned", "rotary", "none"]
Activation = Literal["relu", "gelu", "swiglu"]
TokenKind = Literal["auto", "word", "subword", "character"]
NormPlacement = Literal["post", "pre"]
NormKind = Literal["layer", "rms"]
ScheduleName = Literal["constant", "warmup", "linear"]

_TOKEN_TITLES = {
    "auto": N_("by the sentences"),
    "word": N_("words"),
    "subword": N_("subwords"),
    "character": N_("characters"),
}
_SEED_HELP = N_(
    "The same seed gives the same result: weights, dropout and order of the pairs in training, the same samples in "
    "decoding."
)


class _Config:
    """A config that converts to a plain dictionary for JSON, and back with checks."""

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)  # type: ignore[call-overload]

    @classmethod
    def from_dict(cls, values: object) -> Self:
        """Build the config from parsed JSON.

        Raises:
            InputError: `values` is not an object, or has missing, unknown or invalid fields.
        """
        return read(cls, values)

    def replace(self, **changes: Any) -> Self:
        """Return the config with some fields changed, checked again."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]


@described
class ModelConfig(_Config):
    """The shape of one encoder-decoder Transformer (Vaswani et al. 2017, section 3).

    Raises:
        InputError: a field is out of its range.
    """

    has_encoder: ClassVar[bool] = True

    # Number of entries, pad and unknown included.
    source_vocab_size: int = setting(ge=2, le=1_000_000)
    # Number of entries; pad, unknown, start and end included.
    target_vocab_size: int = setting(ge=4, le=1_000_000)
    num_layers: int = setting(
        default=2,
        ge=1,
        le=24,
        label=N_("Layers"),
        help=N_("N: layers in the encoder and in the decoder."),
        high=6,
    )
    num_heads: int = setting(
        default=4,
        ge=1,
        le=128,
        label=N_("Heads"),
        help=N_("h: attention heads in each attention sublayer. It must divide d_model."),
        high=8,
    )
    d_model: int = setting(
        default=64,
        ge=1,
        le=4096,
        label=N_("d_model"),
        help=N_(
            "The width of every vector. It must be divisible by the number of heads: each head is d_model / h wide."
        ),
        low=4,
        high=256,
    )
    d_ff: int = setting(
        default=128,
        ge=1,
        le=16384,
        label=N_("d_ff"),
        help=N_("The inner width of the feed-forward layers."),
        low=4,
        high=1024,
    )
    dropout_rate: float = setting(
        default=0.1,
        ge=0,
        lt=1,
        label=N_("Dropout"),
        help=N_(
            "The share of activations set to 0 in training, so that the model does not rely on single ones "
            "(section 5.4)."
        ),
        high=0.9,
        step=0.05,
    )
    max_source_length: int = setting(
        default=32, ge=1, le=4096, help="The most tokens a source sentence may have."
    )
    max_target_length: int = setting(
        default=32,
        ge=2,
        le=4096,
        help="The most tokens a translation may have, the start or end token included.",
    )
    positional_encoding: PositionalEncoding = setting(
        default="sinusoidal",
        label=N_("Positional encoding"),
        help=N_(
            "How the model gets word order: the paper's sines and cosines (section 3.5), a learned table, queries and "
            "keys that are rotated by their positions (Su et al. 2021), or not at all."
        ),
        titles={
            "sinusoidal": N_("sinusoidal"),
            "learned": N_("learned"),
            "rotary": N_("rotary"),
            "none": N_("no positions"),
        },
    )
    activation: Activation = setting(
        default="relu",
        label=N_("Activation"),
        help=N_(
            "The activation function in the feed-forward layers. SwiGLU (Shazeer 2020) multiplies two inner layers, each "
            "two thirds as wide, so the number of parameters stays about the same."
        ),
        titles={"relu": "ReLU", "gelu": "GELU", "swiglu": "SwiGLU"},
    )
    norm: NormPlacement = setting(
        default="post",
        label=N_("Layer norm"),
        help=N_(
            "Where layer norm goes: after each residual sum (post-norm, the paper) or before each sublayer (pre-norm, "
            "more stable)."
        ),
    )
    norm_kind: NormKind = setting(
        default="layer",
        label=N_("Kind of norm"),
        help=N_(
            "Layer norm (the paper), or RMSNorm (Zhang & Sennrich 2019), which only scales: it subtracts no mean and "
            "adds nothing."
        ),
        titles={"layer": N_("layer norm"), "rms": "RMSNorm"},
    )
    tie_embeddings: bool = setting(
        default=False,
        label=N_("Tie embeddings"),
        help=N_(
            "Use the target embedding matrix for the output projection too (section 3.4): fewer parameters."
        ),
    )
    share_embeddings: bool = setting(
        default=False, help="One embedding for both languages (section 3.4); they must share one vocabulary."
    )
    causal_mask: bool = setting(
        default=True,
        label=N_("Causal mask"),
        help=N_(
            "Hide future words from the decoder in training (section 3.2.3). Without it the model can copy the answer."
        ),
    )

    def __post_init__(self) -> None:
        if self.share_embeddings and self.source_vocab_size != self.target_vocab_size:
            raise InputError(
                _("share_embeddings needs one vocabulary for both languages. Received: {received}").format(
                    received=f"source_vocab_size={self.source_vocab_size}, target_vocab_size={self.target_vocab_size}"
                )
            )
        if self.d_model % self.num_heads:
            raise InputError(
                _(
                    "d_model must be divisible by num_heads, because each head is d_model / num_heads wide. "
                    "Received: {received}"
                ).format(received=f"d_model={self.d_model}, num_heads={self.num_heads}")
            )

    @property
    def head_dim(self) -> int:
        """d_k = d_v = d_model / num_heads (3.2.2)."""
        return self.d_model // self.num_heads

    @property
    def inner_dim(self) -> int:
        """The width inside the feed-forward layers: d_ff; with SwiGLU 2/3 of it (Shazeer 2020, section 3)."""
        return max(1, round(2 / 3 * self.d_ff)) if self.activation == "swiglu" else self.d_ff


@described
class DecoderConfig(ModelConfig):
    """The shape of a decoder alone, as in GPT: without encoder and cross-attention. The source's fields are not used."""

    has_encoder: ClassVar[bool] = False


@described
class TrainingConfig(_Config):
    """How a model is trained (Vaswani et al. 2017, section 5)."""

    source_tokens: TokenKind = setting(
        default="auto",
        label=N_("Source tokens"),
        help=N_(
            "What the sentences that the model reads are cut into. By the sentences: characters where they hardly have "
            "spaces, as in Chinese or Thai; else words, and from 500 pairs on subwords (Sennrich et al. 2016)."
        ),
        titles=_TOKEN_TITLES,
    )
    target_tokens: TokenKind = setting(
        default="auto",
        label=N_("Target tokens"),
        help=N_("The same for the sentences that the model writes."),
        titles=_TOKEN_TITLES,
    )
    vocab_size: int | None = setting(
        default=None,
        ge=10,
        le=64_000,
        help="Entries of a vocabulary of subwords; if left out, as many as there are pairs, from 500 to 8,000.",
    )
    epochs: int = setting(
        default=200,
        ge=1,
        le=100_000,
        label=N_("Epochs"),
        help=N_("How many times the model is trained on every pair."),
    )
    batch_size: int = setting(
        default=8, ge=1, le=4096, label=N_("Batch size"), help=N_("Pairs in one training step."), high=64
    )
    batch_tokens: int | None = setting(
        default=None,
        ge=64,
        le=65536,
        help="Tokens of the longer side in one training step, padding included, in length-bucketed batches; used "
        "instead of the batch size.",
    )
    schedule: ScheduleName = setting(
        default="constant",
        label=N_("Schedule"),
        help=N_(
            "A constant rate; the paper's warmup and decay as 1/√step (section 5.3); or linear warmup and decay to 0."
        ),
        titles={"constant": N_("constant"), "warmup": N_("warmup"), "linear": N_("linear")},
    )
    learning_rate: float = setting(
        default=1e-3,
        gt=0,
        le=1,
        label=N_("Learning rate"),
        help=N_("The rate of every step with constant, the peak with linear. Not used with warmup."),
        low=0.0,
        step=0.0005,
        format="%.5f",
    )
    warmup_steps: int = setting(
        default=400,
        ge=1,
        le=1_000_000,
        label=N_("Warmup steps"),
        help=N_("Steps over which the rate grows linearly. Not used with a constant rate."),
        high=100_000,
    )
    beta_1: float = setting(
        default=0.9, ge=0, lt=1, help="Adam (section 5.3): decay rate of the running mean of the gradients."
    )
    beta_2: float = setting(
        default=0.98, ge=0, lt=1, help="Adam: decay rate of the running mean of their squares."
    )
    # Less is 0 beside a float32 gradient.
    epsilon: float = setting(
        default=1e-9, ge=1e-12, le=1, help="Adam: a small number that prevents a division by 0."
    )
    label_smoothing: float = setting(
        default=0.0,
        ge=0,
        lt=1,
        label=N_("Label smoothing"),
        help=N_(
            "The share of the target probability spread over all tokens; 0.1 in the paper (section 5.4). The loss "
            "stays above 0."
        ),
        high=0.9,
        step=0.05,
    )
    r_drop: float = setting(
        default=0.0,
        ge=0,
        le=10,
        label=N_("R-Drop"),
        help=N_(
            "R-Drop's α (Liang et al. 2021): each pair is read twice with different dropout, and α says how much the "
            "two predictions must agree. The loss includes it, and a step takes twice as long. 0 turns it off."
        ),
        step=0.5,
    )
    clip_norm: float | None = setting(
        default=None,
        gt=0,
        le=1e6,
        help="Gradients with a larger norm are scaled down to this; 0 turns clipping off.",
    )
    patience: int | None = setting(
        default=None,
        ge=1,
        le=100_000,
        help="Stop after this many epochs without a better validation loss; 0 turns early stopping off.",
    )
    seed: int = setting(default=42, ge=0, le=2**31 - 1, label=N_("Seed"), help=_SEED_HELP)


@described
class DecodingConfig(_Config):
    """How a translation is searched for or sampled; beam search's length penalty is that of section 6.1.

    Raises:
        InputError: a field is out of its range, or the fields do not fit together.
    """

    # Hypotheses kept; 1 is greedy.
    beam_size: int = setting(
        default=1,
        ge=1,
        le=16,
        label=N_("Beams"),
        help=N_(
            "Hypotheses kept at each step of beam search; 1 is greedy decoding. The paper uses 4 (section 6.1)."
        ),
        low=2,
        high=8,
        is_slider=True,
    )
    length_penalty: float = setting(
        default=0.6,
        ge=0,
        le=5,
        label=N_("Length penalty"),
        help=N_(
            "Alpha of Wu et al. 2016: 0 favors short translations, higher values longer ones. The paper uses 0.6 "
            "(section 6.1)."
        ),
        high=2.0,
        step=0.1,
        is_slider=True,
    )
    samples: int = setting(
        default=0,
        ge=0,
        le=MAX_SAMPLES,
        label=N_("Samples"),
        help=N_("How many translations to sample; with 0, greedy or beam search is used."),
        low=1,
        high=8,
        is_slider=True,
    )
    temperature: float = setting(
        default=1.0,
        ge=0,
        le=10,
        label=N_("Temperature"),
        help=N_("Below 1 makes sampling more conservative, above 1 more random; 0 is greedy."),
        high=2.0,
        step=0.1,
        is_slider=True,
    )
    top_k: int = setting(
        default=0,
        ge=0,
        le=1_000_000,
        label=N_("Top-k"),
        help=N_("Draw only from the k most likely tokens (Fan et al. 2018); 0 allows all."),
        high=1000,
    )
    top_p: float = setting(
        default=1.0,
        gt=0,
        le=1,
        label=N_("Top-p"),
        help=N_(
            "Draw from the fewest tokens whose probabilities add up to this (Holtzman et al. 2020); 1 allows all."
        ),
        low=0.05,
        step=0.05,
        is_slider=True,
    )
    seed: int = setting(default=42, ge=0, le=2**31 - 1, label=N_("Seed"), help=_SEED_HELP)

    def __post_init__(self) -> None:
        if self.samples and self.beam_size > 1:
            raise InputError(
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
