"""Attention with every intermediate result (Vaswani et al. 2017, section 3.2). Axis letters: see `core.config`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Reals
from core.theory.attention import softmax


@dataclass(frozen=True)
class AttentionSteps:
    """One head of self-attention, step by step."""

    words: Reals  # (T, D)
    query_kernel: Reals  # W_Q, (D, K)
    key_kernel: Reals  # W_K, (D, K)
    value_kernel: Reals  # W_V, (D, K)
    queries: Reals  # (T, K)
    keys: Reals  # (T, K)
    values: Reals  # (T, K)
    scores: Reals  # Q K^T, (T, T)
    scaled: Reals  # scores / sqrt(K), (T, T)
    weights: Reals  # softmax of each row, (T, T)
    outputs: Reals  # weights times V, (T, K)


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
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v  # (T, K) each
    scores = queries @ keys.T  # (T, T): how well each query fits each key
    scaled = scores / math.sqrt(keys.shape[-1])
    weights = softmax(scaled)
    return AttentionSteps(x, w_q, w_k, w_v, queries, keys, values, scores, scaled, weights, weights @ values)


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
