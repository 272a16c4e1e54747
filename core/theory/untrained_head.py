"""An untrained attention head: it shows what needs no training. Axis letters: see `core.config`."""

import zlib
from collections.abc import Sequence

import numpy as np

from core.arrays import Reals
from core.model.forward import scaled_dot_product_attention, sinusoidal_encoding
from core.theory.attention_steps import attention_steps

D_MODEL = 32
EXAMPLE = "the dog bites the man"  # a sentence whose meaning depends on word order, and with one word twice
_SALT = 83  # the first shuffle turns EXAMPLE around


def word_vectors(words: Sequence[str]) -> Reals:
    """Return random embeddings, the same for the same word; shape (T, D), variance 1."""
    return np.array(
        [np.random.default_rng(zlib.crc32(word.encode())).standard_normal(D_MODEL) for word in words]
    )


def untrained_kernels(seed: int) -> Reals:
    """Return random W_Q, W_K and W_V, shape (3, D, D); they keep the variance of their input."""
    return np.random.default_rng(seed).standard_normal((3, D_MODEL, D_MODEL)) * D_MODEL**-0.5


def shuffled_order(count: int, shuffle: int) -> tuple[int, ...]:
    """Return the indices 0 to count - 1 in the order of shuffle number `shuffle`; number 0 changes nothing."""
    if shuffle == 0:
        return tuple(range(count))
    order = np.random.default_rng((shuffle, _SALT)).permutation(count)
    # A permutation that moves nothing is no shuffle.
    if count > 1 and (order == np.arange(count)).all():
        order = np.roll(order, 1)
    return tuple(order.tolist())


def run_untrained_head(
    words: Sequence[str], order: Sequence[int], with_positions: bool
) -> tuple[Reals, Reals]:
    """Run one untrained head over the words in some order, and restore the written order of its output (3.5).

    Args:
        words: in their written order; 1 or more.
        order: the index of the word that is read first, second and so on.
        with_positions: whether to add the sinusoidal encoding to the words.

    Returns:
        The output of each word, (T, D), and the attention weights, (T, T), in the order of `words`.
    """
    embedded = word_vectors([words[place] for place in order])
    if with_positions:
        embedded = embedded + sinusoidal_encoding(len(embedded), D_MODEL)
    queries, keys, values = embedded @ untrained_kernels(seed=0)
    outputs, weights = scaled_dot_product_attention(queries, keys, values)
    back = np.argsort(order)  # where each written word was read
    return outputs[back], weights[np.ix_(back, back)]


def untrained_scores(words: Sequence[str]) -> Reals:
    """Return the scaled scores of one untrained head for each pair of words at their positions.

    Args:
        words: T words, 1 or more.

    Returns:
        Q K^T / sqrt(d_k), shape (T, T), rounded to one decimal, to calculate with by hand.
    """
    embedded = word_vectors(words) + sinusoidal_encoding(len(words), D_MODEL)
    return attention_steps(embedded, *untrained_kernels(seed=1)).scaled.round(1)
