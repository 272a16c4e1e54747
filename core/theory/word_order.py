"""What attention knows of the order of words, with positions and without (Vaswani et al. 2017, 3.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.theory.attention import scaled_dot_product_attention
from core.theory.positional_encoding import sinusoidal_encoding
from core.theory.untrained_head import D_MODEL, untrained_kernels, word_vectors

Floats = NDArray[np.floating]
EXAMPLE = "the dog bites the man"
"""Its meaning hangs on the order alone, and one word stands twice."""
_SALT = 83  # the first shuffle turns EXAMPLE around


@dataclass(frozen=True)
class HeadOutput:
    """The output of one untrained head; rows are in the order in which the words were written."""

    weights: Floats  # (T, T), attention
    outputs: Floats  # (T, D), of each word

    def change(self, other: HeadOutput) -> float:
        """The largest difference in the output of any word."""
        return float(np.abs(self.outputs - other.outputs).max(initial=0.0))


def shuffled_order(count: int, shuffle: int) -> tuple[int, ...]:
    """The places 0 to count - 1 in another order, the same for the same number; shuffle 0 keeps theirs."""
    if shuffle == 0:
        return tuple(range(count))
    order = np.random.default_rng((shuffle, _SALT)).permutation(count)
    if count > 1 and (order == np.arange(count)).all():  # nothing moved: no shuffle at all
        order = np.roll(order, 1)
    return tuple(order.tolist())


def read_words(words: Sequence[str], order: Sequence[int], with_positions: bool) -> HeadOutput:
    """Let one untrained head read the words in some order, and put its output back in the written order.

    Args:
        words: as written.
        order: which word is read first, second and so on: a permutation of the places of `words`.
        with_positions: whether the sinusoidal encoding is added to the words.

    Returns:
        Weights and outputs, in the order of `words`.
    """
    embedded = word_vectors([words[place] for place in order])
    if with_positions:
        embedded = embedded + sinusoidal_encoding(len(embedded), D_MODEL)
    to_query, to_key, to_value = untrained_kernels(seed=0)
    if not len(words):
        return HeadOutput(np.zeros((0, 0)), np.zeros((0, D_MODEL)))
    outputs, weights = scaled_dot_product_attention(
        embedded @ to_query, embedded @ to_key, embedded @ to_value
    )
    back = np.argsort(order)  # where each written word was read
    return HeadOutput(weights[np.ix_(back, back)], outputs[back])
