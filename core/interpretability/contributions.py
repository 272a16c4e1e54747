"""How much of each written token comes from the source and from what was written before: ALTI+.

Ferrando et al. 2022, "Towards Opening the Black Box of Neural Machine Translation: Source and Target Interpretations
of the Transformer", after their ALTI for encoders ("Measuring the Mixing of Contextual Information in the
Transformer"). An attention block's output is a sum of one vector a token, the residual connection's among them
and the norm taken as linear around its own output. A token's share is how much nearer its vector brings the sum
(in the sum of absolute differences); the shares of the blocks are multiplied through the layers.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from core.config import ModelConfig
from core.inference.transformer import Floats, Trace
from core.interpretability.words import Words, is_punctuation, is_special
from core.theory.norm_placement import EPSILON
from core.weights import Weights

MIN_SOURCE_SHARE = 0.5  # of a word by ALTI+; below, more of it comes from what was said before
_APOSTROPHES = ("'", "’")


class Shares(NamedTuple):
    """What each written token is made of; a row of both together sums to 1."""

    source: Floats  # (T, S): from each source token
    prefix: Floats  # (T, T): from each decoder-input token, the start token first


def alti_shares(config: ModelConfig, weights: Weights, trace: Trace) -> Shares:
    """Return the shares of source and prefix in each written token, from a trace of one sentence pair.

    Feed-forward sublayers change vectors but mix no tokens: ALTI+ leaves them out, and the final norm too.
    """
    encoder, decoder, cross = (each[0] for each in trace.attention)
    memory = np.eye(encoder.shape[-1], dtype=np.float32)
    source = np.zeros(cross.shape[-2:], np.float32)
    prefix = np.eye(len(source), dtype=np.float32)
    block = partial(_block, config, weights)
    for index in range(config.num_layers):
        x, values = trace.encoder_hidden[0, index], trace.encoder_values[0, index]
        mixing, _ = block(f"encoder/layer_{index}/self_attention", x, encoder[index], values)
        memory = mixing @ memory
    for index in range(config.num_layers):
        layer, x = f"decoder/layer_{index}", trace.decoder_hidden[0, index]
        mixing, x = block(f"{layer}/self_attention", x, decoder[index], trace.decoder_values[0, index])
        looked, _ = block(f"{layer}/cross_attention", x, cross[index], trace.cross_values[0, index])
        source = looked[:, -1:] * (mixing @ source) + looked[:, :-1] @ memory
        prefix = looked[:, -1:] * (mixing @ prefix)
    return Shares(source, prefix)


def possible_hallucinations(words: Words, source_share: Floats) -> frozenset[int]:
    """Return the numbers of the written words with a low source share, 0 to 1 (Ferrando et al. 2022, Dale et al. 2023).

    Punctuation, the end token and what follows an apostrophe ("don ' t") come from the words before in any
    translation, and are never marked. With `ted_pt_en`, on 70 validation sentences, the share is below 0.5 for one
    in five hundred of the words the model wrote, and for a third of those of another sentence's translation.
    """
    return frozenset(
        row
        for row, text in enumerate(words.texts)
        if source_share[row] < MIN_SOURCE_SHARE
        and not (is_special(text) or is_punctuation(text))
        and not (row and words.texts[row - 1] in _APOSTROPHES)
    )


def _block(
    config: ModelConfig, weights: Weights, name: str, x: Floats, attention: Floats, values: Floats
) -> tuple[Floats, Floats]:
    """Return the shares of all vectors in one attention block's output, and that output (T, D).

    The shares are (T, S) of self-attention, where token t is attended to and comes by the residual connection too:
    these are one vector, with one share. Of cross-attention they are (T, S + 1), the residual connection's the last.

    Args:
        config: shape of the model.
        weights: by name.
        name: of the sublayer.
        x: what enters its residual connection, (T, D).
        attention: (H, T, S)
        values: (H, S, K)
    """
    kernel = weights[f"{name}/output/kernel"].reshape(config.num_heads, config.head_dim, -1)
    moved = values @ kernel  # (H, S, D)
    shares, outputs = [], []
    for t, residual in enumerate(x):
        vectors = np.einsum("hs,hsd->sd", attention[:, t], moved)
        place = t
        if name.endswith("cross_attention"):
            vectors = np.concatenate([vectors, np.zeros_like(residual[None])])
            place = -1
        vectors[place] += residual
        output = vectors.sum(axis=0) + weights[f"{name}/output/bias"]
        if config.norm == "post":
            gamma, beta = weights[f"{name}_residual/norm/gamma"], weights[f"{name}_residual/norm/beta"]
            scale = gamma / np.sqrt(output.var() + EPSILON)
            vectors = scale * (vectors - vectors.mean(axis=-1, keepdims=True))
            output = scale * (output - output.mean()) + beta
        nearer = np.maximum(np.abs(output).sum() - np.abs(output - vectors).sum(axis=-1), 0)
        if not nearer.any():
            nearer[place] = 1  # where no vector comes nearer, the residual connection alone
        shares.append(nearer / nearer.sum())
        outputs.append(output)
    return np.stack(shares), np.stack(outputs)
