"""Attention with every intermediate result (Vaswani et al. 2017, section 3.2). Axis letters: see `core.config`."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Reals
from core.records.attention import AttentionSteps, Projection
from core.theory.attention import masked_softmax, softmax


def attention_steps(
    words: ArrayLike, to_query: ArrayLike, to_key: ArrayLike, to_value: ArrayLike
) -> AttentionSteps:
    """Compute self-attention (3.2.1, equation 1) and keep every intermediate result.

    Args:
        words: one row per word, shape (T, D); T is 1 or more.
        to_query: W_Q, shape (D, K).
        to_key: W_K, shape (D, K).
        to_value: W_V, shape (D, K).
    """
    x, w_q, w_k, w_v = (np.asarray(array, np.float64) for array in (words, to_query, to_key, to_value))
    steps = attend(x @ w_q, x @ w_k, x @ w_v)
    return replace(steps, projection=Projection(x, w_q, w_k, w_v))


def attend(
    queries: ArrayLike, keys: ArrayLike, values: ArrayLike, mask: ArrayLike | None = None
) -> AttentionSteps:
    """Compute equation (1) of one head (3.2.1) and keep every intermediate result.

    Args:
        queries: shape (T, K).
        keys: shape (S, K); S is 1 or more.
        values: shape (S, K).
        mask: Boolean, shape (T, S); True = may be attended to. None = all may.
    """
    q, k, v = (np.asarray(array, np.float64) for array in (queries, keys, values))
    scores = q @ k.T  # (T, S): how well each query fits each key
    scaled = scores / math.sqrt(k.shape[-1])
    weights = softmax(scaled) if mask is None else masked_softmax(scaled, mask)
    return AttentionSteps(q, k, v, scores, scaled, weights, weights @ v)


@dataclass(frozen=True)
class MultiHeadSteps:
    """Several heads side by side, step by step (3.2.2)."""

    words: Reals  # (T, D)
    queries: Reals  # all heads together, (T, D)
    keys: Reals  # (T, D)
    values: Reals  # (T, D)
    head_queries: Reals  # split, (H, T, K) with K = D / H
    head_keys: Reals  # (H, T, K)
    head_values: Reals  # (H, T, K)
    weights: Reals  # (H, T, T)
    head_outputs: Reals  # (H, T, K)
    concatenated: Reals  # (T, D)
    mixed: Reals  # concatenated times W_O, (T, D)


def multi_head_steps(words: ArrayLike, kernels: ArrayLike, num_heads: int) -> MultiHeadSteps:
    """Split into heads, attend in each, concatenate, mix (3.2.2).

    Args:
        words: one row per word, shape (T, D).
        kernels: W_Q, W_K, W_V and W_O, shape (4, D, D).
        num_heads: H; divides D.
    """
    x = np.asarray(words, np.float64)
    w_q, w_k, w_v, w_o = np.asarray(kernels, np.float64)
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v  # (T, D) each
    q, k, v = (split_heads(array, num_heads) for array in (queries, keys, values))  # (H, T, K) each
    weights = softmax(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]))  # (H, T, T)
    outputs = weights @ v  # (H, T, K)
    together = concatenate_heads(outputs)
    return MultiHeadSteps(x, queries, keys, values, q, k, v, weights, outputs, together, together @ w_o)


def split_heads(array: ArrayLike, num_heads: int) -> Reals:
    """Split the width into equal parts, one for each head: (…, T, D) -> (…, H, T, K)."""
    vectors = np.asarray(array)
    *batch, length, width = vectors.shape
    # (…, T, D) -> (…, T, H, K) -> (…, H, T, K)
    return vectors.reshape(*batch, length, num_heads, width // num_heads).swapaxes(-2, -3)


def concatenate_heads(heads: ArrayLike) -> Reals:
    """Join the heads side by side, the reverse of `split_heads`: (…, H, T, K) -> (…, T, D)."""
    parts = np.asarray(heads)
    *batch, num_heads, length, width = parts.shape
    # (…, H, T, K) -> (…, T, H, K) -> (…, T, D)
    return parts.swapaxes(-2, -3).reshape(*batch, length, num_heads * width)
