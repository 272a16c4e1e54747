"""Attention with every intermediate result, as the forward pass computes it (Vaswani et al. 2017, section 3.2).

Axis letters: see `core.config`.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Reals
from core.config import ModelConfig
from core.model.forward import ForwardPass, join_heads, recording, scaled_dot_product_attention
from core.records.attention import AttentionSteps, Projection


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
    found: dict[str, Reals] = {}
    scaled_dot_product_attention(q, k, v, mask, hook=recording(found))
    scaled, weights, outputs = (found[f"attention/{name}"] for name in ("scores", "weights", "heads"))
    return AttentionSteps(q, k, v, q @ k.T, scaled, weights, outputs)


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
    weights = {
        "attention/query_key_value/kernel": np.concatenate([w_q, w_k, w_v], axis=1),
        "attention/output/kernel": w_o,
    }
    found: dict[str, Reals] = {}
    model = ForwardPass(
        ModelConfig(2, 4, d_model=len(w_q), num_heads=num_heads), weights, hook=recording(found)
    )
    mixed = model.self_attention("attention", x, None, None)
    queries, keys, values = (found[f"attention/{name}"] for name in ("queries", "keys", "values"))
    outputs = found["attention/heads"]
    return MultiHeadSteps(
        words=x,
        queries=join_heads(queries),
        keys=join_heads(keys),
        values=join_heads(values),
        head_queries=queries,
        head_keys=keys,
        head_values=values,
        weights=found["attention/weights"],
        head_outputs=outputs,
        concatenated=join_heads(outputs),
        mixed=mixed,
    )
