"""Attention of a sentence pair. Axis letters: see `core.config`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from core.arrays import Floats, Reals
from core.language import N_, _

AttentionKind = Literal["encoder", "decoder", "cross"]
ATTENTION_KINDS: tuple[AttentionKind, ...] = ("encoder", "decoder", "cross")


class Head(NamedTuple):
    """One attention head; layers and heads are counted from 0."""

    kind: AttentionKind
    layer: int
    head: int


@dataclass(frozen=True, eq=False)
class TokenAttention:
    """Attention of one kind, in every layer and head, with the tokens of its rows and columns."""

    rows: tuple[str, ...]  # T
    columns: tuple[str, ...]  # S
    weights: Floats  # (L, H, T, S)


@dataclass(frozen=True)
class AttentionRecord:
    """Attention of every layer and head over one sentence pair, from a search or a teacher-forced pass.

    Row t of `decoder` and `cross` is the attention when the model has read `decoder_input_tokens[: t + 1]` and predicts
    `predicted_tokens[t]`.
    """

    source_tokens: tuple[str, ...]  # S
    decoder_input_tokens: tuple[str, ...]  # T, from the start token on
    predicted_tokens: tuple[str, ...]  # T, with the end token if the sentence has ended
    encoder: Floats  # (L, H, S, S)
    decoder: Floats  # (L, H, T, T)
    cross: Floats  # (L, H, T, S)

    def of_kind(self, kind: AttentionKind) -> TokenAttention:
        """Return one kind of attention with its tokens."""
        rows, columns = tokens_of_maps(
            kind, self.source_tokens, self.decoder_input_tokens, self.predicted_tokens
        )
        return TokenAttention(rows, columns, getattr(self, kind))

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, for JSON."""
        return {
            "source_tokens": list(self.source_tokens),
            "decoder_input_tokens": list(self.decoder_input_tokens),
            "predicted_tokens": list(self.predicted_tokens),
            **{name: getattr(self, name).astype(float).round(6).tolist() for name in ATTENTION_KINDS},
        }


def tokens_of_maps(
    kind: AttentionKind,
    source: tuple[str, ...],
    decoder_input: tuple[str, ...],
    predicted: tuple[str, ...],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tokens of the rows and of the columns of one kind of attention over a sentence pair."""
    if kind == "encoder":
        return source, source
    return (predicted, source) if kind == "cross" else (decoder_input, decoder_input)


# Of the maps that belong to no single head.
_TITLES = {"mean": N_("Layer {layer}, mean of the heads"), "rollout": N_("Layer {layer}, rollout")}


@dataclass(frozen=True, eq=False)
class HeadMaps:
    """The maps of one kind of attention for display: all heads of each layer, and their mean beside them.

    Rows attend to columns, which are all or some tokens or words of a sentence pair. A map is called "2.3" (layer 2,
    head 3), as in addresses; a layer's mean "2.mean".
    """

    name: str  # "Cross-attention"
    weights: Floats  # (L, N, rows, columns), N with the mean; NaN where a row may not attend to a column
    names: tuple[str, ...]  # N: the numbers of the heads, from 1, and "mean"; or "rollout" alone
    roles: tuple[tuple[str, ...], ...]  # (L, N), in English; "" for no role
    first: str  # the map to show first
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_title: str
    column_title: str
    value_label: str
    notes: tuple[str, ...]  # sentences on what was left out or merged
    highest: float  # the end of the color scale

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Return what each map is called, layer by layer."""
        return tuple(f"{layer + 1}.{name}" for layer in range(len(self.weights)) for name in self.names)

    @property
    def heads(self) -> Floats:
        """Return the weights without the mean, (L, H, rows, columns)."""
        return self.weights[:, : len(self.names) - ("mean" in self.names)]

    def place(self, head: str) -> tuple[int, int]:
        """Return the place of a map in `weights`."""
        layer, number = divmod(self.ids.index(head), len(self.names))
        return layer, number

    def title(self, head: str) -> str:
        """Return the name of a map and what the head does: "Layer 2, head 3: aligns"."""
        layer, place = self.place(head)
        name = self.names[place]
        who = _("Layer {layer}, head {head}") if name.isdecimal() else _(_TITLES[name])
        title = who.format(layer=layer + 1, head=name)
        role = self.roles[layer][place]
        return _("{head}: {role}").format(head=title, role=_(role)) if role else title

    def without_roles(self) -> HeadMaps:
        """Return the same maps without the heads' roles, for a class that looks for them."""
        return replace(self, roles=(("",) * len(self.names),) * len(self.weights))


@dataclass(frozen=True, eq=False)
class Projection:
    """Words, and the kernels that make queries, keys and values of them: Q = X W_Q, K = X W_K, V = X W_V."""

    words: Reals  # X, (T, D)
    query_kernel: Reals  # W_Q, (D, K)
    key_kernel: Reals  # W_K, (D, K)
    value_kernel: Reals  # W_V, (D, K)


@dataclass(frozen=True, eq=False)
class AttentionSteps:
    """The attention of one head, step by step (Vaswani et al. 2017, section 3.2.1)."""

    queries: Reals  # (T, K)
    keys: Reals  # (S, K)
    values: Reals  # (S, K)
    scores: Reals  # Q K^T, (T, S), without a mask
    scaled: Reals  # scores / sqrt(K), (T, S)
    weights: Reals  # softmax of each row, after the mask, (T, S)
    outputs: Reals  # weights times V, (T, K)
    projection: Projection | None = None  # where queries, keys and values come from


@dataclass(frozen=True, eq=False)
class HeadFacts:
    """Properties of all heads, as means over the query positions of one sentence; each is (L, H).

    For cross-attention, whose rows and columns are different sentences, only entropy and the last token's share are
    meaningful; the others are NaN.
    """

    entropy: Floats  # bits
    max_entropy: float  # bits, of attention spread evenly over all allowed positions
    distance: Floats  # positions between query and key
    previous: Floats  # share of attention on the position before the query, 0 to 1
    same: Floats  # on the query's position
    next: Floats  # on the position after it
    last: Floats  # on the last key of the sentence, often its full stop

    def highest(self, fact: str) -> float:
        """Return the end of a property's scale: the highest value that is possible, or for distances, that was found."""
        if fact == "entropy":
            return self.max_entropy or 1.0
        if fact == "distance":
            return float(np.nanmax(self.distance)) or 1.0
        return 1.0
