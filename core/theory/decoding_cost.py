"""What it costs to write one more token, with and without a key-value cache, and how large models have become.

Only the multiplications of matrix products count; `core.theory.model_size` counts their additions, too. Embeddings,
norms, softmax and activations are left out.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig
from core.language import N_

BYTES_OF_KNOWN = 2  # per number in the cache of a large model, which computes in 16 bits


@dataclass(frozen=True)
class DecoderSize:
    """The sizes of a decoder alone that its costs depend on."""

    layers: int  # L
    width: int  # D
    heads: int  # H
    inner: int  # F
    vocabulary: int  # V
    key_value_heads: int  # fewer than H where several heads share keys and values (Ainslie et al. 2023)
    is_gated: bool = False  # whether its feed-forward network has three matrices, as SwiGLU has
    bytes_per_number: int = BYTES_OF_KNOWN

    @classmethod
    def of(cls, config: ModelConfig) -> Self:
        """Return the sizes of a model of this app, which computes in 32 bits."""
        return cls(
            layers=config.num_layers,
            width=config.d_model,
            heads=config.num_heads,
            inner=config.inner_dim,
            vocabulary=config.target_vocab_size,
            key_value_heads=config.num_heads,
            is_gated=config.activation == "swiglu",
            bytes_per_number=4,
        )

    @property
    def key_value_width(self) -> int:
        """The width of one token's keys, and of its values."""
        return self.width // self.heads * self.key_value_heads


def token_multiplications(size: DecoderSize) -> tuple[int, ...]:
    """Count a token's multiplications in all layers: query, key, value, attention to one token, and all that follows.

    Attention is a score and a mixed value; W_O and the feed-forward network follow it.
    """
    queries = size.width * size.width
    keys = size.width * size.key_value_width
    feed_forward = (3 if size.is_gated else 2) * size.width * size.inner
    of_layer = queries, keys, keys, 2 * size.width, queries + feed_forward  # W_O is as large as W_Q
    return tuple(size.layers * count for count in of_layer)


def multiplications(size: DecoderSize, length: int, *, with_cache: bool) -> int:
    """Count the multiplications of the step that writes one token after n = `length` tokens.

    With a cache, only the last of them passes the layers. Logits are those of the last one, with and without.
    """
    query, key, value, attention, rest = token_multiplications(size)
    of_token = query + key + value + length * attention + rest  # attends to hidden tokens, too
    tokens = 1 if with_cache else length
    return tokens * of_token + size.width * size.vocabulary


def products_of_step(size: DecoderSize, length: int) -> NDArray[np.int64]:
    """Return those multiplications without a cache, a token a row, (n, 3 + n + 1).

    Columns are its query, key and value, its attention to each of the n tokens, and the rest, for the last one with the
    logits. With a cache, only the last row is computed; of the rows above it, keys and values are kept.
    """
    query, key, value, attention, rest = token_multiplications(size)
    counts = np.array([[query, key, value, *[attention] * length, rest]] * length)
    counts[-1, -1] += size.width * size.vocabulary
    return counts


def cache_bytes(size: DecoderSize, length: int) -> int:
    """Return the bytes of the keys and values of n = `length` tokens in all layers."""
    return 2 * size.layers * length * size.key_value_width * size.bytes_per_number


@dataclass(frozen=True)
class KnownModel:
    """A model and its training, as its paper has them."""

    name: str
    paper: str
    parameters: float  # N
    tokens: float  # D: read in training, repeated ones counted each time
    note: str = ""  # how the tokens are counted where the paper does not say it, in English
    decoder: DecoderSize | None = None  # None of an encoder-decoder

    @property
    def compute(self) -> float:
        """Floating-point operations of the training: about 6 N D (Kaplan et al. 2020, section 2.1)."""
        return 6 * self.parameters * self.tokens


_VASWANI = N_("25,000 tokens on each side in a step; a token of each side counts once, as in 6 N D")
_WEB_TEXT = N_("40 GB of text, at 4 bytes a token, read once; the paper does not say how often")
_GPT_WORDS = 50_257

KNOWN = (
    KnownModel("Transformer base", "Vaswani et al. 2017", 65e6, 100_000 * 25_000, _VASWANI),
    KnownModel("Transformer big", "Vaswani et al. 2017", 213e6, 300_000 * 25_000, _VASWANI),
    KnownModel(
        "GPT-2 small", "Radford et al. 2019", 117e6, 10e9, _WEB_TEXT, DecoderSize(12, 768, 12, 3072, _GPT_WORDS, 12)
    ),
    KnownModel(
        "GPT-2", "Radford et al. 2019", 1.542e9, 10e9, _WEB_TEXT, DecoderSize(48, 1600, 25, 6400, _GPT_WORDS, 25)
    ),
    KnownModel(
        "GPT-3", "Brown et al. 2020", 175e9, 300e9, decoder=DecoderSize(96, 12_288, 96, 49_152, _GPT_WORDS, 96)
    ),
    KnownModel(
        "Llama 3 8B", "Grattafiori et al. 2024", 8e9, 15e12,
        decoder=DecoderSize(32, 4096, 32, 14_336, 128_000, 8, is_gated=True),
    ),
    KnownModel(
        "Llama 3 405B", "Grattafiori et al. 2024", 405e9, 15.6e12,
        decoder=DecoderSize(126, 16_384, 128, 53_248, 128_000, 8, is_gated=True),
    ),
)  # fmt: skip
