"""The Transformer's forward pass (Vaswani et al. 2017, figure 1), written once, to translate, to explain and to train.

`ops` are the functions that it computes with: those of `numpy_ops` translate and explain, those of `keras_ops` train.
Both have array, dense, gelu, layer_norm, relu, reshape, rms_norm, shape, softmax, split, swapaxes, swiglu, take and
transpose, and what NumPy and `keras.ops` call by the same name, such as arange, concatenate, mean and sqrt.

Every result has a name. A hook sees each of them, `hook(name, value)`, and returns the value that the pass goes on with:
it can keep, replace, multiply or drop it. What is computed inside a part stands below its name. `layer_0` stands for
every layer:

    source_embedding/tokens                      (B, S, D)     token embeddings times sqrt(D)
    source_embedding/positions                   (S, D)        positional encodings; 0 with rotary ones or none
    source_embedding                             (B, S, D)     their sum
    encoder/layer_0/self_attention/input         (B, S, D)     what the sublayer reads; with pre-norm, after the norm
    encoder/layer_0/self_attention/queries       (B, H, S, K)  also keys and values; with rotary positions, rotated
    encoder/layer_0/self_attention/scores        (B, H, S, S)  Q K^T / sqrt(d_k), without the mask
    encoder/layer_0/self_attention/weights       (B, H, S, S)  after the mask and the softmax
    encoder/layer_0/self_attention/heads         (B, H, S, K)  weights times values
    encoder/layer_0/self_attention               (B, S, D)     the heads side by side, times W_O
    encoder/layer_0/self_attention_residual      (B, S, D)     the sum with the residual; with post-norm, after the norm
    encoder/layer_0/feed_forward/input           (B, S, D)
    encoder/layer_0/feed_forward/inner           (B, S, F)     after the activation
    encoder/layer_0/feed_forward                 (B, S, D)
    encoder/layer_0/feed_forward_residual        (B, S, D)
    encoder/layer_0                              (B, S, D)     the layer's output, which is its last residual sum
    encoder                                      (B, S, D)     the stack's output; with pre-norm, after the final norm
    output                                       (B, T, V)     logits; whoever asks for them takes the softmax (3.4)

The decoder has the same names with T, from `target_embedding` to `decoder`. Between its self-attention and its
feed-forward network stands `decoder/layer_0/cross_attention`: queries (B, H, T, K), keys and values (B, H, S, K).

With caches, one position of M beams is decoded: M stands for T, as (B, M, D) or (B, H, M, S). In self-attention each
beam is a sequence of its own: queries, keys, values and heads are those of the new position, (B, M, H, 1, K), scores and
weights (B, M, H, 1, T). The embedding is (B, M, 1, D).

The weights, which `core.weights` lists, stand below the names of these parts, but for two: `shared_embedding` is that of
both sides, and `final_norm` ends a pre-norm stack. Matrices with one input lie side by side, as in `query_key_value`.
Axis letters: see `core.config`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from core.arrays import Floats
from core.config import ModelConfig
from core.model import numpy_ops
from core.tokens.vocabulary import PAD_ID

Array = Any  # of NumPy, or a tensor of Keras's backend
Hook = Callable[[str, Array], Array]

EMBEDDINGS = {"encoder": "source_embedding", "decoder": "target_embedding"}
ADDED_POSITIONS = ("sinusoidal", "learned")  # the encodings that are vectors, added to those of the tokens


def unchanged(name: str, value: Array) -> Array:
    """Return a result as it is."""
    return value


class Memory(NamedTuple):
    """What the decoder attends to in the source."""

    keys_values: Sequence[Sequence[Array]]  # both of each layer's cross-attention, (B, H, S, K)
    mask: Array | None  # (B, 1, 1, S), True where attention is allowed; None for everywhere


class Cache(Protocol):
    """Keys and values of the positions that one layer of the decoder has read."""

    length: int  # T, positions so far

    def append(self, keys: Array, values: Array) -> tuple[Array, Array]:
        """Append those of the next position, (B, M, H, 1, K), and return all so far, (B, M, H, T, K)."""
        ...


class ForwardPass:
    """The arithmetic of one model.

    Args:
        config: the model's configuration.
        weights: the weights by name, as in `core.weights`; a decoder alone needs only its own.
        ops: the functions to compute with.
        hook: sees every result.
    """

    def __init__(
        self, config: ModelConfig, weights: Mapping[str, Array], ops: Any = numpy_ops, hook: Hook = unchanged
    ) -> None:
        self.config = config
        self.weights = weights
        self.ops = ops
        self.hook = hook
        sides = [
            side for side in EMBEDDINGS if all(name in weights for name in embedding_names(config, side))
        ]
        self.position_tables = {side: self.position_table(side) for side in sides}
        if config.positional_encoding == "rotary":
            length = max(config.max_source_length, config.max_target_length)
            self.rotations = ops.array(sinusoidal_encoding(length, config.head_dim))
        if config.tie_embeddings:  # the output's matrix is the target's embedding (3.4)
            embedding = weights[token_embedding_name(config, "decoder")]
            self.weights = {**weights, "output/kernel": ops.transpose(embedding)}

    def hooked(self, hook: Hook) -> Self:
        """Return the same pass with another hook."""
        changed = object.__new__(type(self))
        changed.__dict__.update(self.__dict__, hook=hook)
        return changed

    def encode(self, source_ids: Array, mask: Array | None) -> Memory:
        """Encode sources (B, S) once for all steps of decoding, with a mask (B, 1, 1, S) such as `padding_mask`."""
        encoded = self.stack("encoder", self.embedding("encoder", source_ids), mask)
        paths = [f"decoder/layer_{i}/cross_attention" for i in range(self.config.num_layers)]
        return Memory([self.heads(path, "key_value", encoded, "keys", "values") for path in paths], mask)

    def decode(self, target_ids: Array, memory: Memory | None) -> Array:
        """Return the decoder's output (B, T, D) for whole targets (B, T), from the start token on.

        Without a memory, the decoder is a language model.
        """
        is_causal = self.config.causal_mask
        mask = decoder_mask(target_ids, self.ops) if is_causal else padding_mask(target_ids)
        return self.stack("decoder", self.embedding("decoder", target_ids), mask, memory)

    def decode_step(self, ids: Array, memory: Memory | None, caches: Sequence[Cache]) -> Array:
        """Return the decoder's output (B, M, D) for the next token (B, M) of M beams; the caches hold those before."""
        x = self.embedding("decoder", ids[..., None], caches[0].length)[:, :, 0]
        return self.stack("decoder", x, None, memory, caches)

    def logits(self, x: Array) -> Array:
        """Project the decoder's output to the vocabulary (3.4), (…, D) -> (…, V)."""
        return self.hook("output", self.dense("output", x))

    def embedding(self, side: str, ids: Array, first: int = 0) -> Array:
        """Return token embeddings plus positional encodings from position `first` on, (…, T) -> (…, T, D) (3.5)."""
        name = EMBEDDINGS[side]
        table = self.weights[token_embedding_name(self.config, side)]
        tokens = self.hook(f"{name}/tokens", embed(ids, table, self.ops))
        positions = self.position_tables[side][first : first + self.ops.shape(ids)[-1]]
        return self.hook(name, tokens + self.hook(f"{name}/positions", positions))

    def position_table(self, side: str) -> Array:
        """Return the encodings of all positions of a side, (length, D) (3.5)."""
        config = self.config
        length = config.max_source_length if side == "encoder" else config.max_target_length
        if config.positional_encoding == "learned":
            _, positions = embedding_names(config, side)
            learned = self.weights[positions]
            return embed(self.ops.arange(length), learned, self.ops)
        encoding = sinusoidal_encoding(length, config.d_model)
        return self.ops.array(encoding if config.positional_encoding in ADDED_POSITIONS else 0 * encoding)

    def stack(
        self,
        side: str,
        x: Array,
        mask: Array | None,
        memory: Memory | None = None,
        caches: Sequence[Cache] | None = None,
    ) -> Array:
        """Run all layers of a side on x (B, T, D) (3.1); with caches, on one position of M beams, (B, M, D)."""
        for i in range(self.config.num_layers):
            layer = f"{side}/layer_{i}"
            cache = None if caches is None else caches[i]
            x = self.residual(f"{layer}/self_attention", x, self.self_attention, mask, cache)
            if memory is not None:
                keys_values = memory.keys_values[i]
                x = self.residual(
                    f"{layer}/cross_attention", x, self.cross_attention, keys_values, memory.mask
                )
            x = self.hook(layer, self.residual(f"{layer}/feed_forward", x, self.feed_forward))
        if self.config.norm == "pre":
            x = self.norm(f"{side}/final_norm", x)
        return self.hook(side, x)

    def residual(self, path: str, x: Array, sublayer: Callable[..., Array], *others: Any) -> Array:
        """Return LayerNorm(x + Sublayer(x)) (3.1), or with pre-norm x + Sublayer(LayerNorm(x)) (Xiong et al. 2020)."""
        is_pre = self.config.norm == "pre"
        norm = f"{path}_residual/norm"
        read = self.hook(f"{path}/input", self.norm(norm, x) if is_pre else x)
        total = x + self.hook(path, sublayer(path, read, *others))
        return self.hook(f"{path}_residual", total if is_pre else self.norm(norm, total))

    def self_attention(self, path: str, x: Array, mask: Array | None, cache: Cache | None) -> Array:
        """Let x (B, T, D) attend to itself (3.2.3); with a cache, each beam of x (B, M, D) to its earlier positions."""
        read = x if cache is None else x[:, :, None]  # each beam is a sequence of its own, (B, M, 1, D)
        first = 0 if cache is None else cache.length
        queries, keys, values = self.heads(
            path, "query_key_value", read, "queries", "keys", "values", first=first
        )
        if cache is not None:
            keys, values = cache.append(keys, values)
        output = self.attend(path, queries, keys, values, mask)
        return output if cache is None else output[:, :, 0]

    def cross_attention(self, path: str, x: Array, keys_values: Sequence[Array], mask: Array | None) -> Array:
        """Let x (B, T, D) attend to the encoded source (3.2.3); M beams of one sentence do so like M positions."""
        (queries,) = self.heads(path, "query", x, "queries")
        keys, values = keys_values
        return self.attend(path, queries, keys, values, mask)

    def heads(
        self, path: str, projection: str, x: Array, *names: str, first: int | None = None
    ) -> list[Array]:
        """Project x (…, T, D) with the matrices of several names at once, and split into heads, each (…, H, T, K).

        Rotary positions rotate queries and keys of self-attention, whose `first` position is given.
        """
        projected = self.dense(f"{path}/{projection}", x)
        all_heads = split_heads(projected, len(names) * self.config.num_heads, self.ops)
        parts = self.ops.split(all_heads, len(names), axis=-3)
        if first is not None and self.config.positional_encoding == "rotary":
            angles = self.rotations[first : first + self.ops.shape(x)[-2]]
            queries, keys, values = parts
            parts = rotate(queries, angles, self.ops), rotate(keys, angles, self.ops), values
        return [self.hook(f"{path}/{name}", part) for name, part in zip(names, parts, strict=True)]

    def attend(self, path: str, queries: Array, keys: Array, values: Array, mask: Array | None) -> Array:
        """Attend in all heads, put them side by side and mix them with W_O (3.2.2), (…, H, T, K) -> (…, T, D)."""
        heads, _ = scaled_dot_product_attention(queries, keys, values, mask, self.ops, self.hook, path)
        return self.dense(f"{path}/output", join_heads(heads, self.ops))

    def feed_forward(self, path: str, x: Array) -> Array:
        """Apply two dense layers to each position alone: max(0, x W1 + b1) W2 + b2, equation (2); or GELU, SwiGLU."""
        activation = getattr(self.ops, self.config.activation)
        inner = self.hook(f"{path}/inner", activation(self.dense(f"{path}/inner", x)))
        return self.dense(f"{path}/outer", inner)

    def norm(self, path: str, x: Array) -> Array:
        """Give each vector mean 0 and variance 1, then the learned scale and shift (Ba et al. 2016); or only scale it.

        RMSNorm gives each a root mean square of 1, then the learned scale (Zhang & Sennrich 2019).
        """
        if self.config.norm_kind == "rms":
            return self.ops.rms_norm(x, self.weights[f"{path}/gamma"])
        return self.ops.layer_norm(x, self.weights[f"{path}/gamma"], self.weights[f"{path}/beta"])

    def linear_norm(self, path: str, x: Array, at: Array) -> Array:
        """Return the norm of x (…, D) without its shift, and scaled as the norm scales `at`: linear in x.

        So a vector that is a sum of others is normed part by part; `norm(path, at)` is `linear_norm(path, at, at)` plus
        the shift.
        """
        if self.config.norm_kind == "layer":
            at, x = (each - self.ops.mean(each, axis=-1, keepdims=True) for each in (at, x))
        size = self.ops.sqrt(self.ops.mean(at * at, axis=-1, keepdims=True) + numpy_ops.EPSILON)
        return x / size * self.weights[f"{path}/gamma"]

    def dense(self, path: str, x: Array) -> Array:
        """Return x W + b, (…, D) -> (…, units); a tied output has no bias."""
        return self.ops.dense(x, self.weights[f"{path}/kernel"], self.weights.get(f"{path}/bias"))


def scaled_dot_product_attention(
    queries: Array,
    keys: Array,
    values: Array,
    mask: Array | None = None,
    ops: Any = numpy_ops,
    hook: Hook = unchanged,
    path: str = "attention",
) -> tuple[Array, Array]:
    """Compute softmax(Q K^T / sqrt(d_k)) V, the paper's equation (1).

    Args:
        queries: what each position looks for, (…, T, K).
        keys: what each position offers, (…, S, K).
        values: what each position contributes, (…, S, K).
        mask: fits (…, T, S) by broadcasting; True where attention is allowed. None for everywhere.
        ops: the functions to compute with.
        hook: sees scores, weights and heads.
        path: their names' beginning.

    Returns:
        The output (…, T, K) and the weights (…, T, S). Weights are exactly 0 where masked; each row sums to 1.
    """
    # Scale the queries, which have fewer numbers than the scores.
    scores = (queries / math.sqrt(queries.shape[-1])) @ ops.swapaxes(keys, -1, -2)
    weights = hook(f"{path}/weights", ops.softmax(hook(f"{path}/scores", scores), mask))
    return hook(f"{path}/heads", weights @ values), weights


def rotate(x: Array, encoding: Array, ops: Any = numpy_ops) -> Array:
    """Rotate queries or keys (…, T, K) by their positions' sinusoidal encoding (T, K) (Su et al. 2021, equation (34)).

    Channels i and i + K / 2 are a pair, turned by the angle pos / 10000^(2i / K); the paper's pairs are neighbors. The
    dot product of two rotated vectors depends on the distance of their positions alone. An odd width leaves its last
    channel as it is.
    """
    half = x.shape[-1] // 2
    one, other, rest = x[..., :half], x[..., half : 2 * half], x[..., 2 * half :]
    sin, cos = encoding[:, 0 : 2 * half : 2], encoding[:, 1 : 2 * half : 2]
    return ops.concatenate([one * cos - other * sin, other * cos + one * sin, rest], axis=-1)


def split_heads(x: Array, number: int, ops: Any = numpy_ops) -> Array:
    """Split the width into equal parts (3.2.2), (…, T, D) -> (…, H, T, K)."""
    *batch, length, width = ops.shape(x)
    return ops.swapaxes(ops.reshape(x, (*batch, length, number, width // number)), -2, -3)


def join_heads(heads: Array, ops: Any = numpy_ops) -> Array:
    """Put the heads side by side, the reverse of `split_heads`: (…, H, T, K) -> (…, T, D)."""
    *batch, number, length, width = ops.shape(heads)
    return ops.reshape(ops.swapaxes(heads, -2, -3), (*batch, length, number * width))


def padding_mask(ids: Array) -> Array:
    """Return where ids (B, S) are not padding, (B, 1, 1, S); the axes of length 1 stand for all heads and queries."""
    return (ids != PAD_ID)[:, None, None, :]


def causal_mask(length: int, ops: Any = numpy_ops) -> Array:
    """Return the mask (T, T) that hides the future: position t may attend to positions 0 to t (3.2.3)."""
    positions = ops.arange(length)
    return positions[:, None] >= positions[None, :]


def decoder_mask(ids: Array, ops: Any = numpy_ops) -> Array:
    """Return the mask of the decoder's self-attention, which hides padding and the future, (B, T) -> (B, 1, T, T)."""
    return padding_mask(ids) & causal_mask(ops.shape(ids)[1], ops)


def embed(ids: Array, table: Array, ops: Any = numpy_ops) -> Array:
    """Return the rows of an embedding (V, D) times sqrt(D) (3.4), for ids of any shape (…) -> (…, D)."""
    return ops.take(table, ids) * math.sqrt(table.shape[1])


def sinusoidal_encoding(length: int, d_model: int) -> Floats:
    """Return sines in the even channels and cosines in the odd ones (3.5), (length, D).

    PE(pos, 2i) = sin(pos / 10000^(2i / d_model)) and PE(pos, 2i + 1) = cos of the same angle. With an odd width, the last
    channel is a sine without its cosine.
    """
    # float64 until the end: float32 angles of late positions would be wrong in the third decimal.
    positions = np.arange(length, dtype=np.float64)[:, np.newaxis]  # (length, 1)
    even_channels = np.arange(0, d_model, 2, dtype=np.float64)  # the paper's 2i
    angles = positions / 10_000.0 ** (even_channels / d_model)  # (length, ceil(D / 2))
    encoding = np.empty((length, d_model))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles[:, : d_model // 2])
    return encoding.astype(np.float32)


def token_embedding_name(config: ModelConfig, side: str) -> str:
    """Return the name of a side's token embedding; a tied output uses the decoder's matrix too."""
    return (
        "shared_embedding/embeddings" if config.share_embeddings else f"{EMBEDDINGS[side]}/tokens/embeddings"
    )


def embedding_names(config: ModelConfig, side: str) -> list[str]:
    """Return the names of a side's embeddings: of tokens, and of positions if they are learned."""
    positions = (
        [f"{EMBEDDINGS[side]}/positions/embeddings"] if config.positional_encoding == "learned" else []
    )
    return [token_embedding_name(config, side), *positions]


def norm_weights(config: ModelConfig) -> tuple[str, ...]:
    """Return the names of a norm's weights, each (D,); "gamma" starts at 1, others at 0."""
    return ("gamma",) if config.norm_kind == "rms" else ("gamma", "beta")


def recording(found: dict[str, Array]) -> Hook:
    """Return a hook that keeps every result in `found`, by name."""

    def keep(name: str, value: Array) -> Array:
        found[name] = value
        return value

    return keep
