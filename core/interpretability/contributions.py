"""Contributions of source and prefix to each generated token: ALTI+.

Ferrando et al. 2022, "Towards Opening the Black Box of Neural Machine Translation: Source and Target Interpretations
of the Transformer", after their ALTI for encoders ("Measuring the Mixing of Contextual Information in the
Transformer"). An attention block's output is a sum of one vector per token, with the residual connection as one of them
and the norm linearized at its output. A token's share is how much nearer its vector brings the sum to the output, in L1
distance; the shares of the blocks are multiplied through the layers. Axis letters: see `core.config`.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from core.arrays import Floats
from core.config import ModelConfig
from core.inference.model import Results, state_names, sublayer_path
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.words import Words, attention_of_words, is_punctuation, is_special, merged_words
from core.model.forward import ForwardPass
from core.records.analysis import Contributions
from core.records.attention import ATTENTION_KINDS
from core.theory.model_parts import SIDES
from core.tokens.vocabulary import START

_MIN_SOURCE_SHARE = 0.5  # by ALTI+; below, the prefix contributes more to a word than the source
_APOSTROPHES = ("'", "’")


class Shares(NamedTuple):
    """Contributions to each generated token; a row of both together sums to 1."""

    source: Floats  # (T, S), of each source token
    prefix: Floats  # (T, T), of each decoder-input token, the start token first


def word_contributions(tracer: Tracer, pair: ForcedPair) -> Contributions:
    """Return the contributions of whole words, and of the start token, to each generated word."""
    found = tracer.results(pair, alti_names(tracer.config))
    shares = alti_shares(tracer.translator.model.forward, found)
    source_words = merged_words(pair.source_tokens)
    words = merged_words(pair.predicted_tokens)
    source = attention_of_words(shares.source, words, source_words)
    # The decoder's input is one position behind: its token t + 1 is the generated token t.
    start = shares.prefix[:, :1]
    generated = np.concatenate([shares.prefix[:, 1:], np.zeros_like(start)], axis=1)
    of_start = np.stack([start[list(positions)].mean(axis=0) for positions in words.positions])
    of_generated = attention_of_words(generated, words, words)
    precedes = np.tri(len(words.texts), k=-1, dtype=bool)
    of_preceding = np.where(precedes, of_generated, np.float32(np.nan))
    return Contributions(
        words=words.texts,
        source_words=source_words.texts,
        prefix_words=(START, *words.texts[:-1]),
        source=source,
        prefix=np.concatenate([of_start, of_preceding[:, :-1]], axis=1),
        has_own_prefix=bool(np.diagonal(of_generated).any()),
        possible_hallucinations=possible_hallucinations(words, source.sum(axis=1)),
    )


def alti_names(config: ModelConfig) -> list[str]:
    """Return the names of the results that `alti_shares` reads."""
    paths = [sublayer_path(kind, i) for kind in ATTENTION_KINDS for i in range(config.num_layers)]
    states = [name for side in SIDES for name in state_names(side, config)]
    after_self_attention = [f"decoder/layer_{i}/self_attention_residual" for i in range(config.num_layers)]
    return [
        *states,
        *after_self_attention,
        *(f"{path}/{name}" for path in paths for name in ("weights", "values")),
    ]


def alti_shares(model: ForwardPass, found: Results) -> Shares:
    """Return the contributions of source and prefix to each generated token, from results of one sentence pair.

    ALTI+ leaves out the feed-forward sublayers and the final norm, which change vectors but mix no tokens.
    """
    config = model.config
    encoder_states, decoder_states = (state_names(side, config) for side in SIDES)
    block = partial(_block, model, found)
    memory = np.eye(found[encoder_states[0]].shape[1], dtype=np.float32)
    prefix = np.eye(found[decoder_states[0]].shape[1], dtype=np.float32)
    source = np.zeros((len(prefix), len(memory)), np.float32)
    for layer in range(config.num_layers):
        memory = block(f"encoder/layer_{layer}/self_attention", encoder_states[layer]) @ memory
    for layer in range(config.num_layers):
        path = f"decoder/layer_{layer}"
        mixing = block(f"{path}/self_attention", decoder_states[layer])
        looked = block(f"{path}/cross_attention", f"{path}/self_attention_residual")
        source = looked[:, -1:] * (mixing @ source) + looked[:, :-1] @ memory
        prefix = looked[:, -1:] * (mixing @ prefix)
    return Shares(source, prefix)


def possible_hallucinations(words: Words, source_share: Floats) -> frozenset[int]:
    """Return the indices of generated words with a low source share (Ferrando et al. 2022, Dale et al. 2023).

    Punctuation, the end token and words after an apostrophe ("don ' t") come from the prefix in any translation, and are
    never marked. With `ted_pt_en`, on 70 validation sentences, the share is below 0.5 for one in five hundred of the
    words that the model wrote, and for a third of the words of another sentence's translation.
    """
    return frozenset(
        row
        for row, text in enumerate(words.texts)
        if source_share[row] < _MIN_SOURCE_SHARE
        and not (is_special(text) or is_punctuation(text))
        and not (row and words.texts[row - 1] in _APOSTROPHES)
    )


def _block(model: ForwardPass, found: Results, name: str, state: str) -> Floats:
    """Return the shares of all vectors in one attention block's output.

    For self-attention, they are (T, S), and the residual connection counts for token t itself. For cross-attention, they
    are (T, S + 1), with the residual connection last.

    Args:
        model: the model.
        found: results by name.
        name: path of the sublayer.
        state: name of the state that enters the block.
    """
    x = found[state][0]  # (T, D)
    attention = found[f"{name}/weights"][0]  # (H, T, S)
    values = found[f"{name}/values"][0]  # (H, S, K)
    config, weights = model.config, model.weights
    kernel = weights[f"{name}/output/kernel"].reshape(config.num_heads, config.head_dim, -1)
    moved = values @ kernel  # (H, S, D)
    shares = []
    for t, residual in enumerate(x):
        vectors = np.einsum("hs,hsd->sd", attention[:, t], moved)
        place = t
        if name.endswith("cross_attention"):
            vectors = np.concatenate([vectors, np.zeros_like(residual[None])])
            place = -1
        vectors[place] += residual
        output = vectors.sum(axis=0) + weights[f"{name}/output/bias"]
        if config.norm == "post":
            norm = f"{name}_residual/norm"
            vectors = model.linear_norm(norm, vectors, at=output)
            output = model.norm(norm, output)
        nearer = np.maximum(np.abs(output).sum() - np.abs(output - vectors).sum(axis=-1), 0)
        if not nearer.any():
            nearer[place] = 1  # the residual connection
        shares.append(nearer / nearer.sum())
    return np.stack(shares)
