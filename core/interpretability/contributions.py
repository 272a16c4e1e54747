"""How much of each written token comes from the source and from what was written before: ALTI+.

Ferrando et al. 2022, "Towards Opening the Black Box of Neural Machine Translation: Source and Target Interpretations
of the Transformer", after their ALTI for encoders ("Measuring the Mixing of Contextual Information in the
Transformer"). An attention block's output is a sum of one vector a token, the residual connection's among them
and the norm taken as linear around its own output. A token's share is how much nearer its vector brings the sum
(in the sum of absolute differences); the shares of the blocks are multiplied through the layers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.config import ModelConfig
from core.inference.transformer import Floats, Trace
from core.interpretability.words import Words, is_punctuation, is_special
from core.theory.norm_placement import EPSILON
from core.weights import Weights


class Shares(NamedTuple):
    """What each written token is made of; a row of both together sums to 1."""

    source: Floats  # (T, S): from each source token
    prefix: Floats  # (T, T): from each decoder-input token, the start token first


@dataclass(frozen=True, eq=False)
class _Block:
    """One attention sublayer's weights, with the norm that follows it in a post-norm stack."""

    kernel: Floats  # W_O, (D, D)
    bias: Floats  # (D,)
    gamma: Floats | None  # (D,); None where the norm comes before the sublayer
    beta: Floats | None

    def moved(self, values: Floats) -> Floats:
        """Values (H, S, K) -> what each head adds of them, (H, S, D)."""
        num_heads, _, head_dim = values.shape
        moved: Floats = values @ self.kernel.reshape(num_heads, head_dim, -1)
        return moved

    def output(self, x: Floats, mixed: Floats) -> tuple[Floats, Floats]:
        """The block's output (T, D) of residual x and heads' vectors (T, D), and the norm's scale (T, D)."""
        summed = x + mixed + self.bias
        if self.gamma is None or self.beta is None:
            return summed, np.ones_like(summed)
        scale = self.gamma / np.sqrt(summed.var(axis=-1, keepdims=True) + EPSILON)
        return scale * (summed - summed.mean(axis=-1, keepdims=True)) + self.beta, scale

    def through_norm(self, vectors: Floats, scale: Floats) -> Floats:
        """The part of the output that one of the summed vectors (T, D) makes."""
        return vectors if self.gamma is None else scale * (vectors - vectors.mean(axis=-1, keepdims=True))


def alti_shares(config: ModelConfig, weights: Weights, trace: Trace, row: int = 0) -> Shares:
    """Shares of source and prefix in each written token.

    Feed-forward sublayers change vectors but mix no tokens: ALTI+ leaves them out, and the final norm too.

    Args:
        config: shape of the model.
        weights: by name.
        trace: NumPy arrays of one pass.
        row: of the batch.
    """
    memory = _encoder_shares(config, weights, trace, row)
    source = np.zeros((trace.decoder_hidden.shape[2], len(memory)), np.float32)
    prefix = np.eye(len(source), dtype=np.float32)
    for index in range(config.num_layers):
        place = (row, index)
        block = _block(config, weights, f"decoder/layer_{index}/self_attention")
        mixing, x = _self_shares(
            block, trace.decoder_hidden[place], trace.attention.decoder[place], trace.decoder_values[place]
        )
        block = _block(config, weights, f"decoder/layer_{index}/cross_attention")
        looked, kept = _cross_shares(block, x, trace.attention.cross[place], trace.cross_values[place])
        source = kept * (mixing @ source) + looked @ memory
        prefix = kept * (mixing @ prefix)
    return Shares(source, prefix)


def _encoder_shares(config: ModelConfig, weights: Weights, trace: Trace, row: int) -> Floats:
    """(S, S): what the encoder's output at each position is made of."""
    memory = np.eye(trace.encoder_hidden.shape[2], dtype=np.float32)
    for index in range(config.num_layers):
        place = (row, index)
        block = _block(config, weights, f"encoder/layer_{index}/self_attention")
        mixing, _ = _self_shares(
            block, trace.encoder_hidden[place], trace.attention.encoder[place], trace.encoder_values[place]
        )
        memory = mixing @ memory
    return memory


def _block(config: ModelConfig, weights: Weights, name: str) -> _Block:
    post = config.norm == "post"
    return _Block(
        weights[f"{name}/output/kernel"],
        weights[f"{name}/output/bias"],
        weights[f"{name}_residual/norm/gamma"] if post else None,
        weights[f"{name}_residual/norm/beta"] if post else None,
    )


def _self_shares(block: _Block, x: Floats, attention: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Shares (T, T) in a self-attention block, and its output (T, D).

    Token t is attended to and comes by the residual connection too: these are one vector, with one share.

    Args:
        block: its weights.
        x: what enters its residual connection, (T, D).
        attention: (H, T, T)
        values: (H, T, K)
    """
    moved = block.moved(values)
    output, scale = block.output(x, np.einsum("hts,hsd->td", attention, moved))
    shares = np.empty(attention.shape[1:], np.float32)
    for s in range(len(x)):  # one token at a time: all at once would be (T, T, D)
        vectors = attention[:, :, s].T @ moved[:, s]
        vectors[s] += x[s]
        shares[:, s] = _nearer(output, block.through_norm(vectors, scale))
    return _normalized(shares, np.eye(len(x), dtype=np.float32)), output


def _cross_shares(block: _Block, x: Floats, attention: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Shares (T, S) of the source in a cross-attention block, and (T, 1) of the residual connection."""
    moved = block.moved(values)
    output, scale = block.output(x, np.einsum("hts,hsd->td", attention, moved))
    shares = np.empty((len(x), moved.shape[1] + 1), np.float32)
    for s in range(moved.shape[1]):
        shares[:, s] = _nearer(output, block.through_norm(attention[:, :, s].T @ moved[:, s], scale))
    shares[:, -1] = _nearer(output, block.through_norm(x, scale))
    kept = np.zeros_like(shares)
    kept[:, -1] = 1
    shares = _normalized(shares, kept)
    return shares[:, :-1], shares[:, -1:]


def _nearer(output: Floats, vectors: Floats) -> Floats:
    """How much nearer to the output (T, D) a vector (T, D) comes than nothing; 0 where it leads away."""
    length, left = np.abs(output).sum(axis=-1), np.abs(output - vectors).sum(axis=-1)
    found: Floats = np.maximum(length - left, 0.0)
    return found


def _normalized(shares: Floats, otherwise: Floats) -> Floats:
    """Rows that sum to 1; where no vector comes nearer, `otherwise`: the residual connection alone."""
    total = shares.sum(axis=-1, keepdims=True)
    return np.where(total > 0, shares / np.where(total > 0, total, 1), otherwise).astype(np.float32)


MIN_SOURCE_SHARE = 0.5  # of a word by ALTI+; below, more of it comes from what was said before
_APOSTROPHES = ("'", "’")


def possibly_invented(words: Words, source_share: Floats) -> frozenset[int]:
    """Rows of words with a low source share, which is how invented text shows (Ferrando et al. 2022, Dale et al. 2023).

    Punctuation, the end token and what follows an apostrophe ("don ' t") come from the words before in any
    translation, and are never marked. With `ted_pt_en`, on 70 validation sentences, the share is below 0.5 for one
    in five hundred of the words the model wrote, and for a third of those of another sentence's translation.

    Args:
        words: written.
        source_share: of each, 0 to 1.
    """
    return frozenset(
        row
        for row, text in enumerate(words.texts)
        if source_share[row] < MIN_SOURCE_SHARE
        and not (is_special(text) or is_punctuation(text))
        and not (row and words.texts[row - 1] in _APOSTROPHES)
    )
